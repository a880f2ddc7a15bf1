/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

enum { LINES_AROUND = 12, MOST_CODE = 1000 /* bytes of a line */ };

struct excerpt {
	const struct html_source *source;
	const char *text;                               /* begins with line `line` */
	uint32_t line;                                  /* the present one */
	const struct html_touch *touches, *touches_end; /* of the file */
	const struct html_bar *bars, *bars_end;         /* of the file */
	uint32_t *points, n_points;                     /* lines to be shown, ascending */
	json_t *lines;
};

/* ---- lines ------------------------------------------------------------------------------- */

/* Returns true if a byte continues a character. */
static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Returns a line of so many bytes, shortened if it is long. A NUL ends it. */
static json_t *code(const char *text, size_t length)
{
	size_t shown = length < MOST_CODE ? length : MOST_CODE;

	if (shown && text[shown - 1] == '\r')
		shown--;
	while (shown && shown < length && is_continuation(text[shown]))
		shown--;
	char *line = checked(strndup(text, shown));
	json_t *string = json_text(line);

	free(line);
	return string;
}

/* Goes to the next line, and adds the present one if it is wanted. */
static void step(struct excerpt *e, bool wanted)
{
	const char *text_end = e->source->text + e->source->size;
	const char *end = memchr(e->text, '\n', (size_t)(text_end - e->text));

	if (!end)
		end = text_end;
	if (wanted) {
		json_t *line = checked(json_array());

		json_element(line, json_number(e->line));
		json_element(line, code(e->text, (size_t)(end - e->text)));
		json_element(e->lines, line);
	}
	e->text = end < text_end ? end + 1 : end;
	e->line++;
}

static int compare_points(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void add_point(struct excerpt *e, uint32_t line)
{
	if (line && line <= e->source->n_lines)
		e->points[e->n_points++] = line;
}

static void find_points(struct excerpt *e)
{
	size_t most = (size_t)(e->touches_end - e->touches) + 3 * (size_t)(e->bars_end - e->bars);

	e->points = checked_array(most, sizeof(*e->points));
	for (const struct html_touch *touch = e->touches; touch < e->touches_end; touch++)
		if (touch->rank)
			add_point(e, touch->line);
	for (const struct html_bar *bar = e->bars; bar < e->bars_end; bar++) {
		add_point(e, bar->first);
		add_point(e, bar->line);
		add_point(e, bar->last);
	}
	if (e->n_points)
		qsort(e->points, e->n_points, sizeof(*e->points), compare_points);
}

static void add_lines(struct excerpt *e)
{
	find_points(e);
	for (uint32_t at = 0; e->line <= e->source->n_lines;) {
		while (at < e->n_points && e->points[at] + LINES_AROUND < e->line)
			at++;
		if (at == e->n_points)
			break;
		step(e, e->line + LINES_AROUND >= e->points[at]);
	}
	free(e->points);
}

/* ---- marks ------------------------------------------------------------------------------- */

/* Returns true if the file lacks lines that the program has, so that it is not the compiled one. */
static bool is_short(const struct excerpt *e)
{
	for (const struct html_touch *touch = e->touches; touch < e->touches_end; touch++)
		if (touch->line > e->source->n_lines)
			return true;
	for (const struct html_bar *bar = e->bars; bar < e->bars_end; bar++)
		if (bar->last > e->source->n_lines)
			return true;
	return false;
}

static json_t *touches_of(const struct excerpt *e)
{
	json_t *touches = checked(json_array());

	for (const struct html_touch *touch = e->touches; touch < e->touches_end; touch++) {
		json_t *entry = checked(json_array());

		json_element(entry, json_number(touch->line));
		json_element(entry, json_number(touch->rank));
		json_element(entry, json_word(touch->is_reuse ? "reuse" : "use"));
		json_element(entry, json_number(touch->reuses));
		json_element(touches, entry);
	}
	return touches;
}

static json_t *bars_of(const struct excerpt *e)
{
	json_t *bars = checked(json_array());

	for (const struct html_bar *bar = e->bars; bar < e->bars_end; bar++) {
		const uint32_t numbers[] = { bar->rank, bar->first, bar->last, bar->line,
					     bar->lane };
		json_t *entry = checked(json_array());

		for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
			json_element(entry, json_number(numbers[i]));
		json_element(bars, entry);
	}
	return bars;
}

/* ---- files ------------------------------------------------------------------------------- */

static json_t *file_of(struct excerpt *e, uint32_t number, const char *path)
{
	json_t *file = checked(json_object());

	e->lines = checked(json_array());
	json_member(file, "file", json_number(number));
	json_member(file, "path", json_text(path));
	json_member(file, "complete", checked(json_boolean(!is_short(e))));
	json_member(file, "touches", touches_of(e));
	json_member(file, "bars", bars_of(e));
	add_lines(e);
	json_member(file, "lines", e->lines);
	return file;
}

json_t *html_files(const struct html_sources *s)
{
	const struct html_touch *touches = s->touches.at, *last_touch = touches + s->touches.count;
	const struct html_bar *bars = s->bars.at, *last_bar = bars + s->bars.count;
	json_t *files = checked(json_array());

	for (uint32_t i = 0; i < s->n_sources; i++) {
		struct excerpt e = {
			.source = &s->sources[i],
			.text = s->sources[i].text,
			.line = 1,
			.touches = touches,
			.bars = bars,
		};

		while (touches < last_touch && touches->file == i)
			touches++;
		while (bars < last_bar && bars->file == i)
			bars++;
		e.touches_end = touches;
		e.bars_end = bars;
		if (e.text)
			json_element(files, file_of(&e, i, html_path(s, i)));
	}
	return files;
}

json_t *html_absent_files(const struct html_sources *s)
{
	json_t *files = checked(json_array());

	for (uint32_t i = 0; i < s->n_sources; i++) {
		if (!s->sources[i].wanted || s->sources[i].text)
			continue;
		json_t *file = checked(json_object());

		json_member(file, "path", json_text(html_path(s, i)));
		json_member(file, "why", json_text(s->sources[i].why));
		json_element(files, file);
	}
	return files;
}
