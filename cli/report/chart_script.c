/* SPDX-License-Identifier: MIT */
#include "cli/report/chart_script.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/report/chart_label.h"

enum {
	MOST_BARS = 25,
	MOST_LABEL = 48, /* characters */
	WIDTH = 760,     /* pixels */
	HEIGHT = 440,
	PANEL_HEIGHT = 110,
	BAR_HEIGHT = 22,
	MARGINS = 110, /* above and below bars, with title and axis */
};

static const char our_colour[] = "#b2182b"; /* of this trace, beside others */

static size_t n_columns(const json_t *table)
{
	return json_array_size(json_object_get(table, "columns"));
}

static const char *column_name(const json_t *table, size_t i)
{
	return json_string_value(json_array_get(json_object_get(table, "columns"), i));
}

static size_t n_drawn_rows(const json_t *table)
{
	size_t n = json_array_size(json_object_get(table, "rows"));

	return n < MOST_BARS ? n : MOST_BARS;
}

/* Writes a text between single quotes, where only a single quote is special. */
static void put_quoted(FILE *out, const char *text)
{
	char *label = chart_label(text, MOST_LABEL);

	putc('\'', out);
	for (const char *p = label; *p; p++) {
		if (*p == '\'')
			putc(*p, out);
		putc(*p, out);
	}
	putc('\'', out);
	free(label);
}

/*
 * Writes the label of a tick, in which % is special, too. gnuplot cuts a label with % after some
 * bytes, even in the middle of a character.
 */
static void put_tick(FILE *out, const char *text)
{
	enum { MOST_BYTES = 48 };
	size_t most = MOST_LABEL;
	char *label = chart_label(text, most);

	while (strchr(label, '%') && strlen(label) > MOST_BYTES) {
		free(label);
		label = chart_label(text, --most);
	}
	putc('\'', out);
	for (const char *p = label; *p; p++) {
		if (*p == '\'' || *p == '%')
			putc(*p, out);
		putc(*p, out);
	}
	putc('\'', out);
	free(label);
}

static void put_head(FILE *out, const struct chart *chart, size_t height)
{
	fprintf(out,
		"# Draws %s.csv: gnuplot %s.gnuplot >%s.svg\n"
		"set encoding utf8\n"
		"set terminal svg size %d,%zu noenhanced font 'sans-serif,12' "
		"background '#ffffff'\n"
		"set datafile separator comma\n"
		"set datafile commentschars ''\n"
		"set tics nomirror\n"
		"set grid linecolor '#dddddd'\n"
		"set title '%s'\n"
		"set xlabel '%s'\n",
		chart->name, chart->name, chart->name, WIDTH, height, chart->title, chart->x_axis);
	if (chart->y_axis)
		fprintf(out, "set ylabel '%s'\n", chart->y_axis);
	if (chart->x_format)
		fprintf(out, "set logscale x 2\nset format x '%s'\n", chart->x_format);
}

/* Writes the labels of the rows, from top to bottom. */
static void put_row_labels(FILE *out, const json_t *table)
{
	size_t n = n_drawn_rows(table), j;
	json_t *value;

	fputs("set ytics (", out);
	for (size_t i = 0; i < n; i++) {
		json_t *row = json_array_get(json_object_get(table, "rows"), i);
		char *label = checked_copy("");

		json_array_foreach (row, j, value)
			if (json_is_string(value)) {
				char *longer = text_format("%s%s%s", label, *label ? ", " : "",
							   json_string_value(value));

				free(label);
				label = longer;
			}
		fputs(i ? ", " : "", out);
		put_tick(out, label);
		fprintf(out, " %zu", i);
		free(label);
	}
	fprintf(out, ")\nset yrange [%zu.5:-0.5]\n", n - 1);
}

static void put_bars(FILE *out, const struct chart *chart, const json_t *table)
{
	size_t n = n_drawn_rows(table);

	put_head(out, chart, MARGINS + BAR_HEIGHT * n);
	put_row_labels(out, table);
	fprintf(out,
		"set xrange [0:*]\n"
		"set style fill solid\n"
		"plot '%s.csv' skip 1 every ::0::%zu using 1:0:(0):1:($0-0.35):($0+0.35) "
		"with boxxyerror linecolor '#2166ac' notitle\n",
		chart->name, n - 1);
}

/* Bars that grow from 0 to the right are increases. */
static void put_changes(FILE *out, const struct chart *chart, const json_t *table)
{
	size_t n = n_drawn_rows(table);

	put_head(out, chart, MARGINS + BAR_HEIGHT * n);
	put_row_labels(out, table);
	fprintf(out,
		"set xrange [*<0:0<*]\n"
		"set yzeroaxis linetype -1\nset style fill solid\n"
		"plot '%s.csv' skip 1 every ::0::%zu using "
		"1:0:($1<0?$1:0):($1<0?0:$1):($0-0.35):($0+0.35):($1<0?0x2166ac:0xb2182b) "
		"with boxxyerror linecolor rgb variable notitle\n",
		chart->name, n - 1);
}

static void put_curves(FILE *out, const struct chart *chart, const json_t *table)
{
	size_t n = n_columns(table);

	put_head(out, chart, HEIGHT);
	fputs("set yrange [0:*]\nset key outside bottom center horizontal\nplot ", out);
	for (size_t i = 1; i < n; i++) {
		fprintf(out, "%s'%s.csv' skip 1 using 1:%zu with %s linewidth 2 ",
			i > 1 ? ", \\\n\t" : "", chart->name, i + 1,
			chart->kind == CHART_STEPS ? "steps" : "linespoints");
		fputs(n > 2 ? "title " : "notitle", out);
		if (n > 2)
			put_quoted(out, column_name(table, i));
	}
	fputs("\n", out);
}

static void put_panels(FILE *out, const struct chart *chart, const json_t *table)
{
	enum { ABOVE = 70, BELOW = 50, BETWEEN = 30 }; /* pixels */
	size_t n = 0, height;

	for (size_t i = 1; i < n_columns(table); i++)
		n += column_has_numbers(table, i);
	height = ABOVE + BELOW + PANEL_HEIGHT * n;
	put_head(out, chart, height);
	fprintf(out,
		"unset xlabel\nset format x ''\nset title offset 0,-0.6\n"
		"set multiplot layout %zu,1 title '%s' margins 0.1,0.97,%.4f,%.4f spacing 0,%.4f\n",
		n, chart->title, (double)BELOW / (double)height, 1 - (double)ABOVE / (double)height,
		(double)BETWEEN / (double)height);
	for (size_t i = 1; n && i < n_columns(table); i++) {
		if (!column_has_numbers(table, i))
			continue;
		if (!--n)
			fprintf(out, "set format x '%%g'\nset xlabel '%s'\n", chart->x_axis);
		fputs("set title ", out);
		put_quoted(out, column_name(table, i));
		fprintf(out,
			"\nplot '%s.csv' skip 1 using 1:%zu with %s linecolor '#2166ac' notitle\n",
			chart->name, i + 1, i == 1 ? "points pointtype 7 pointsize 0.2" : "lines");
	}
	fputs("unset multiplot\n", out);
}

/* Points of all programs, and of this trace above them. The greatest is behind the programs. */
static void put_profile(FILE *out, const struct chart *chart, const json_t *table)
{
	size_t divisor = n_columns(table) - 2;

	put_head(out, chart, MARGINS + BAR_HEIGHT * (n_drawn_rows(table) + 3));
	put_row_labels(out, table);
	fputs("set xrange [-2:102]\nset key outside bottom center horizontal\nplot ", out);
	for (size_t i = 2; i < divisor; i++) {
		fprintf(out,
			"'%s.csv' skip 1 using (100*$%zu/$%zu):0 with points pointtype %zu title ",
			chart->name, i, divisor, i % 15);
		put_quoted(out, column_name(table, i - 1));
		fputs(", \\\n\t", out);
	}
	fprintf(out,
		"'%s.csv' skip 1 using (100*$1/$%zu):0 with points pointtype 7 pointsize 1.2 "
		"linecolor '%s' title 'this trace'\n",
		chart->name, divisor, our_colour);
}

void write_chart_script(FILE *out, const struct chart *chart, const json_t *table)
{
	switch (chart->kind) {
	case CHART_BARS: put_bars(out, chart, table); break;
	case CHART_CHANGES: put_changes(out, chart, table); break;
	case CHART_STEPS:
	case CHART_LINES: put_curves(out, chart, table); break;
	case CHART_PANELS: put_panels(out, chart, table); break;
	case CHART_PROFILE: put_profile(out, chart, table); break;
	case CHART_FLAME:
	case CHART_DIFFERENTIAL_A:
	case CHART_DIFFERENTIAL_B: break; /* gnuplot has none */
	}
}
