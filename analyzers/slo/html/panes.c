/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/panes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/slo/html/text.h"
#include "cli/common/checked.h"
#include "cli/common/quantity.h"

enum { LINES_AROUND = 12 };

struct pane {
	FILE *out;
	const struct html_source *source;
	uint32_t file;
	uint64_t all;     /* number of all reuses */
	const char *text; /* the rest of the source, which begins with line `line` */
	uint32_t line;    /* number of the present line */
	const struct html_touch *touches, *touches_end; /* touches of this line and of later ones */
	const struct html_bar *bars, *bars_end;         /* bars of the file */
	uint32_t *points, n_points;                     /* lines to be shown, ascending */
};

/* ---- a line ------------------------------------------------------------------------------ */

/* Writes the bars of the loops and calls around the line. */
static void put_bars(const struct pane *p)
{
	const struct html_bar *lanes[HTML_LANES + 1] = { NULL };

	for (const struct html_bar *bar = p->bars; bar < p->bars_end; bar++)
		if (bar->first <= p->line && p->line <= bar->last)
			lanes[bar->lane] = bar;
	fputs("<td class=\"bars\">", p->out);
	for (uint32_t lane = 0; lane < p->source->n_lanes; lane++) {
		const struct html_bar *bar = lanes[lane];

		if (bar)
			fprintf(p->out,
				"<i class=\"c%u%s\" title=\"%" PRIu32 ": lines %" PRIu32
				"&ndash;%" PRIu32 "\"></i>",
				html_colour(bar->rank), bar->line == p->line ? " t" : "", bar->rank,
				bar->first, bar->last);
		else
			fputs("<i></i>", p->out);
	}
	fputs("</td>", p->out);
}

static void put_share(const struct pane *p, const struct html_touch *end, bool is_reuse)
{
	uint64_t reuses = 0;

	for (const struct html_touch *touch = p->touches; touch < end; touch++)
		reuses += touch->is_reuse == is_reuse ? touch->reuses : 0;
	if (!reuses) {
		fputs("<td></td>", p->out);
		return;
	}
	fprintf(p->out, "<td class=\"n share\" style=\"--p:%.1f%%\">",
		100 * (double)reuses / (double)p->all);
	html_put_percent(p->out, (double)reuses, (double)p->all);
	fputs("</td>", p->out);
}

/* Goes through the refactorings that mark a line: the next one's first touch, or the end. */
static const struct html_touch *next_mark(const struct html_touch *touch,
					  const struct html_touch *end, uint32_t rank)
{
	while (touch < end && touch->rank <= rank)
		touch++;
	return touch;
}

static void put_ranks(const struct pane *p, const struct html_touch *end)
{
	const struct html_touch *mark = next_mark(p->touches, end, 0);

	if (mark == end)
		return;
	fprintf(p->out, " class=\"m c%u\" data-r=\"", html_colour(mark->rank));
	for (const char *blank = ""; mark < end; mark = next_mark(mark, end, mark->rank)) {
		fprintf(p->out, "%s%" PRIu32, blank, mark->rank);
		blank = " ";
	}
	putc('"', p->out);
}

/* Marks a refactoring's role for a line: "use", "reuse", or both. */
static void put_mark(const struct pane *p, const struct html_touch *mark,
		     const struct html_touch *end)
{
	bool is_use = false, is_reuse = false;
	uint32_t rank = mark->rank;

	for (; mark < end && mark->rank == rank; mark++) {
		is_use |= !mark->is_reuse;
		is_reuse |= mark->is_reuse;
	}
	fprintf(p->out, "<a class=\"c%u\" href=\"#r%" PRIu32 "\">%" PRIu32 "<small>%s</small></a>",
		html_colour(rank), rank, rank,
		is_use && is_reuse ? "both"
		: is_use           ? "use"
				   : "reuse");
}

static void put_marks(const struct pane *p, const struct html_touch *end)
{
	const struct html_touch *mark = next_mark(p->touches, end, 0);

	fputs("<td class=\"marks\">", p->out);
	for (; mark < end; mark = next_mark(mark, end, mark->rank))
		put_mark(p, mark, end);
	fputs("</td>", p->out);
}

static void put_line(const struct pane *p, const char *text, size_t length)
{
	const struct html_touch *end = p->touches;

	while (end < p->touches_end && end->line == p->line)
		end++;
	fprintf(p->out, "<tr id=\"f%" PRIu32 "-%" PRIu32 "\"", p->file, p->line);
	put_ranks(p, end);
	putc('>', p->out);
	put_share(p, end, false);
	put_share(p, end, true);
	put_bars(p);
	fprintf(p->out, "<th scope=\"row\" class=\"n\">%" PRIu32 "</th>", p->line);
	put_marks(p, end);
	fputs("<td class=\"ar\"></td><td class=\"src\">", p->out);
	if (length && text[length - 1] == '\r')
		length--;
	html_put_code(p->out, text, length);
	fputs("</td></tr>\n", p->out);
}

/* Goes to the next line, and writes the present one if it is wanted. */
static void step(struct pane *p, bool wanted)
{
	const char *text_end = p->source->text + p->source->size;
	const char *end = memchr(p->text, '\n', (size_t)(text_end - p->text));

	if (!end)
		end = text_end;
	while (p->touches < p->touches_end && p->touches->line < p->line)
		p->touches++;
	if (wanted)
		put_line(p, p->text, (size_t)(end - p->text));
	p->text = end < text_end ? end + 1 : end;
	p->line++;
}

/* ---- a file ------------------------------------------------------------------------------ */

static int compare_points(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void add_point(struct pane *p, uint32_t line)
{
	if (line && line <= p->source->n_lines)
		p->points[p->n_points++] = line;
}

static void find_points(struct pane *p)
{
	size_t most = (size_t)(p->touches_end - p->touches) + 3 * (size_t)(p->bars_end - p->bars);

	p->points = checked_array(most, sizeof(*p->points));
	for (const struct html_touch *touch = p->touches; touch < p->touches_end; touch++)
		if (touch->rank)
			add_point(p, touch->line);
	for (const struct html_bar *bar = p->bars; bar < p->bars_end; bar++) {
		add_point(p, bar->first);
		add_point(p, bar->line);
		add_point(p, bar->last);
	}
	if (p->n_points)
		qsort(p->points, p->n_points, sizeof(*p->points), compare_points);
}

static void put_lines(struct pane *p)
{
	uint32_t at = 0;

	while (p->line <= p->source->n_lines) {
		bool skips = false;

		while (at < p->n_points && p->points[at] + LINES_AROUND < p->line)
			at++;
		if (at == p->n_points)
			break;
		while (p->line + LINES_AROUND < p->points[at]) {
			skips = true;
			step(p, false);
		}
		if (skips)
			fputs("<tr class=\"gap\"><td colspan=\"7\">&hellip;</td></tr>\n", p->out);
		step(p, true);
	}
	if (p->line <= p->source->n_lines)
		fputs("<tr class=\"gap\"><td colspan=\"7\">&hellip;</td></tr>\n", p->out);
}

/* Returns true if the file lacks lines that the program has, so that it is not the compiled one. */
static bool is_short(const struct pane *p)
{
	for (const struct html_touch *touch = p->touches; touch < p->touches_end; touch++)
		if (touch->line > p->source->n_lines)
			return true;
	for (const struct html_bar *bar = p->bars; bar < p->bars_end; bar++)
		if (bar->last > p->source->n_lines)
			return true;
	return false;
}

static void put_pane(struct pane *p, const char *path)
{
	fprintf(p->out, "<section class=\"file\" id=\"f%" PRIu32 "\">\n<h3>", p->file);
	html_put(p->out, path);
	fputs("</h3>\n", p->out);
	if (is_short(p))
		fprintf(p->out,
			"<p class=\"warning\">The program was made of another version of "
			"this file, which has only %" PRIu32 " %s.</p>\n",
			p->source->n_lines, noun(p->source->n_lines, "line", "lines"));
	fputs("<div class=\"pane\"><table class=\"code\">\n<thead><tr><th scope=\"col\">use %</th>"
	      "<th scope=\"col\">reuse %</th><th scope=\"col\">bars</th><th scope=\"col\">line</th>"
	      "<th scope=\"col\">marks</th><th class=\"ar\"></th><th scope=\"col\">source</th></tr>"
	      "</thead>\n<tbody>\n",
	      p->out);
	find_points(p);
	put_lines(p);
	fputs("</tbody></table></div>\n</section>\n", p->out);
	free(p->points);
}

static void put_absent(FILE *out, const struct html_sources *s)
{
	bool any = false;

	for (uint32_t i = 0; i < s->n_sources; i++) {
		if (!s->sources[i].wanted || s->sources[i].text)
			continue;
		if (!any)
			fputs("<section>\n<h3>Not to be shown</h3>\n<ul class=\"absent\">\n", out);
		fputs("<li><code>", out);
		html_put(out, html_path(s, i));
		fprintf(out, "</code> %s</li>\n", s->sources[i].why);
		any = true;
	}
	if (any)
		fputs("</ul>\n</section>\n", out);
}

void html_put_panes(FILE *out, const struct html_sources *s, uint64_t reuses)
{
	const struct html_touch *touches = s->touches.at, *last_touch = touches + s->touches.count;
	const struct html_bar *bars = s->bars.at, *last_bar = bars + s->bars.count;

	for (uint32_t i = 0; i < s->n_sources; i++) {
		struct pane p = {
			.out = out,
			.source = &s->sources[i],
			.file = i,
			.all = reuses,
			.text = s->sources[i].text,
			.line = 1,
			.touches = touches,
			.bars = bars,
		};

		while (touches < last_touch && touches->file == i)
			touches++;
		while (bars < last_bar && bars->file == i)
			bars++;
		p.touches_end = touches;
		p.bars_end = bars;
		if (p.source->text)
			put_pane(&p, html_path(s, i));
	}
	put_absent(out, s);
}
