/* SPDX-License-Identifier: MIT */
#include "cli/report/flame_svg.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/report/chart_label.h"

enum {
	WIDTH = 1200, /* pixels */
	FRAME_HEIGHT = 17,
	HEAD = 40,
	CHARACTER = 7, /* width of a character of a frame's name, at most */
	MOST_DEPTH = 1000,
	MOST_TITLE = 400, /* characters */
};

static const double least_width = 0.5; /* pixels; narrower frames are not drawn */

/* The columns of the table. */
enum { DEPTH = 2, INCLUSIVE = 4, FUNCTION = 5, MODULE = 6 };

struct frame {
	uint64_t depth; /* 1: without caller */
	double inclusive;
	const char *function, *module;
};

static struct frame frame_of(const json_t *row)
{
	const char *function = json_string_value(json_array_get(row, FUNCTION));
	const char *module = json_string_value(json_array_get(row, MODULE));

	return (struct frame){
		.depth = (uint64_t)json_integer_value(json_array_get(row, DEPTH)),
		.inclusive = json_number_value(json_array_get(row, INCLUSIVE)),
		.function = function ? function : "",
		.module = module ? module : "",
	};
}

/* Returns whether a frame can be drawn: with a caller that has been, or with none. */
static bool has_place(const struct frame *frame, uint64_t last_depth)
{
	return frame->depth && frame->depth <= MOST_DEPTH && frame->depth <= last_depth + 1;
}

static void put_text(FILE *out, const char *text, size_t most)
{
	char *label = chart_label(text, most);

	for (const char *p = label; *p; p++)
		switch (*p) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		default: putc(*p, out);
		}
	free(label);
}

/* Returns a colour by the name of a module, the same in all graphs. */
static const char *colour_of(const char *module)
{
	static const char *const colours[] = { "#f4a582", "#92c5de", "#b8e186", "#fdd87a",
					       "#d5b5e0", "#c9c9c9", "#f1b6da", "#8fd3c1" };
	uint32_t hash = 2166136261; /* FNV-1a */

	for (; *module; module++)
		hash = (hash ^ (uint8_t)*module) * 16777619;
	return colours[hash % (sizeof(colours) / sizeof(*colours))];
}

static void put_frame(FILE *out, const struct frame *frame, double left, double width, double top,
		      double total)
{
	size_t characters = (size_t)((width - 4) / CHARACTER);

	fprintf(out, "<g><title>");
	put_text(out, frame->function, MOST_TITLE);
	fputs(", ", out);
	put_text(out, frame->module, MOST_TITLE);
	fprintf(out, ": %.0f instructions, %.2f %%</title>\n", frame->inclusive,
		100 * frame->inclusive / total);
	fprintf(out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%d\" fill=\"%s\" "
		"stroke=\"#ffffff\" stroke-width=\"0.5\"/>\n",
		left, top, width, FRAME_HEIGHT - 1, colour_of(frame->module));
	if (width > 3 * CHARACTER + 4) {
		fprintf(out, "<text x=\"%.2f\" y=\"%.2f\">", left + 2, top + FRAME_HEIGHT - 5);
		put_text(out, frame->function, characters);
		fputs("</text>\n", out);
	}
	fputs("</g>\n", out);
}

/* Returns the inclusive instructions of all frames without caller, and sets the greatest depth. */
static double measure(const json_t *rows, uint64_t *deepest)
{
	double total = 0;
	json_t *row;
	size_t i;

	*deepest = 0;
	json_array_foreach((json_t *)rows, i, row)
	{
		struct frame frame = frame_of(row);

		total += frame.depth == 1 ? frame.inclusive : 0;
		if (frame.depth > *deepest && frame.depth <= MOST_DEPTH)
			*deepest = frame.depth;
	}
	return total;
}

static void put_frames(FILE *out, const json_t *rows, double total, uint64_t deepest)
{
	double *next = checked_array(deepest + 2, sizeof(*next)); /* left edge, by depth */
	uint64_t last_depth = 0;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		struct frame frame = frame_of(row);
		double width = WIDTH * frame.inclusive / total;
		double top = HEAD + FRAME_HEIGHT * (double)(deepest - frame.depth);

		if (!has_place(&frame, last_depth))
			continue;
		last_depth = frame.depth;
		if (width >= least_width)
			put_frame(out, &frame, next[frame.depth], width, top, total);
		next[frame.depth + 1] = next[frame.depth];
		next[frame.depth] += width;
	}
	free(next);
}

void write_flame_svg(FILE *out, const struct chart *chart, const json_t *table)
{
	const json_t *rows = json_object_get(table, "rows");
	uint64_t deepest;
	double total = measure(rows, &deepest);

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<text x=\"%d\" y=\"24\" font-size=\"15\" text-anchor=\"middle\">%s</text>\n",
		WIDTH, (int)(HEAD + FRAME_HEIGHT * deepest + 10), WIDTH / 2, chart->title);
	if (total > 0)
		put_frames(out, rows, total, deepest);
	fputs("</svg>\n", out);
}
