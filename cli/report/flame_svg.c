/* SPDX-License-Identifier: MIT */
#include "cli/report/flame_svg.h"

#include <math.h>
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

struct frame {
	uint64_t depth;                    /* 1: without caller */
	double width;                      /* instructions */
	double inclusive[2], exclusive[2]; /* of both traces; the same if there is one */
	const char *function, *module;
};

/* How a table becomes a picture. */
struct graph {
	const json_t *rows;
	enum chart_kind kind;
	double total; /* instructions that are as wide as the picture */
	double most;  /* the greatest change of exclusive instructions */
	uint64_t deepest;
};

static const char *text_of(const json_t *row, size_t column)
{
	const char *text = json_string_value(json_array_get(row, column));

	return text ? text : "";
}

/* Reads a row whose columns are those of a chart of the kind. */
static struct frame frame_of(const struct graph *graph, const json_t *row)
{
	enum { DEPTH = 2, EXCLUSIVE = 3 };
	bool is_pair = graph->kind != CHART_FLAME;
	size_t n = is_pair ? 2 : 1, inclusive = EXCLUSIVE + n, texts = inclusive + n;
	struct frame frame = {
		.depth = (uint64_t)json_integer_value(json_array_get(row, DEPTH)),
		.function = text_of(row, texts),
		.module = text_of(row, texts + 1),
	};

	for (size_t i = 0; i < 2; i++) {
		size_t of = i < n ? i : 0;

		frame.exclusive[i] = json_number_value(json_array_get(row, EXCLUSIVE + of));
		frame.inclusive[i] = json_number_value(json_array_get(row, inclusive + of));
	}
	frame.width = frame.inclusive[graph->kind == CHART_DIFFERENTIAL_B];
	return frame;
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

/*
 * Returns the colour of a change, which is a share of the greatest one from -1 to 1: white for 0,
 * red for growth, blue for the opposite. Free it.
 */
static char *colour_of_change(double share)
{
	unsigned pale = 255 - (unsigned)(205 * sqrt(fabs(share)) + 0.5);

	if (share == 0)
		return checked_copy("#f2f2f2");
	return share > 0 ? text_format("#ff%02x%02x", pale, pale)
			 : text_format("#%02x%02xff", pale, pale);
}

static char *frame_colour(const struct graph *graph, const struct frame *frame)
{
	double change = frame->exclusive[1] - frame->exclusive[0];

	if (graph->kind == CHART_FLAME)
		return checked_copy(colour_of(frame->module));
	return colour_of_change(graph->most > 0 ? change / graph->most : 0);
}

/* Writes the text that appears over a frame. */
static void put_title(FILE *out, const struct graph *graph, const struct frame *frame)
{
	fputs("<title>", out);
	put_text(out, frame->function, MOST_TITLE);
	fputs(", ", out);
	put_text(out, frame->module, MOST_TITLE);
	if (graph->kind == CHART_FLAME)
		fprintf(out, ": %.0f instructions, %.2f %%", frame->width,
			100 * frame->width / graph->total);
	else
		fprintf(out, ": %.0f instructions, then %.0f; of its own %.0f, then %.0f (%+.0f)",
			frame->inclusive[0], frame->inclusive[1], frame->exclusive[0],
			frame->exclusive[1], frame->exclusive[1] - frame->exclusive[0]);
	fputs("</title>\n", out);
}

static void put_frame(FILE *out, const struct graph *graph, const struct frame *frame, double left,
		      double width)
{
	double top = HEAD + FRAME_HEIGHT * (double)(graph->deepest - frame->depth);
	char *colour = frame_colour(graph, frame);

	fputs("<g>", out);
	put_title(out, graph, frame);
	fprintf(out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%d\" fill=\"%s\" "
		"stroke=\"%s\" stroke-width=\"0.5\"/>\n",
		left, top, width, FRAME_HEIGHT - 1, colour,
		graph->kind == CHART_FLAME ? "#ffffff" : "#b0b0b0");
	if (width > 3 * CHARACTER + 4) {
		fprintf(out, "<text x=\"%.2f\" y=\"%.2f\">", left + 2, top + FRAME_HEIGHT - 5);
		put_text(out, frame->function, (size_t)((width - 4) / CHARACTER));
		fputs("</text>\n", out);
	}
	fputs("</g>\n", out);
	free(colour);
}

/* Sets the sizes of the picture by all frames. */
static void measure(struct graph *graph)
{
	json_t *row;
	size_t i;

	json_array_foreach ((json_t *)graph->rows, i, row) {
		struct frame frame = frame_of(graph, row);

		graph->total += frame.depth == 1 ? frame.width : 0;
		graph->most = fmax(graph->most, fabs(frame.exclusive[1] - frame.exclusive[0]));
		if (frame.depth > graph->deepest && frame.depth <= MOST_DEPTH)
			graph->deepest = frame.depth;
	}
}

static void put_frames(FILE *out, const struct graph *graph)
{
	double *next = checked_array(graph->deepest + 2, sizeof(*next)); /* left edge, by depth */
	uint64_t last_depth = 0;
	json_t *row;
	size_t i;

	json_array_foreach ((json_t *)graph->rows, i, row) {
		struct frame frame = frame_of(graph, row);
		double width = WIDTH * frame.width / graph->total;

		if (!has_place(&frame, last_depth))
			continue;
		last_depth = frame.depth;
		if (width >= least_width)
			put_frame(out, graph, &frame, next[frame.depth], width);
		next[frame.depth + 1] = next[frame.depth];
		next[frame.depth] += width;
	}
	free(next);
}

void write_flame_svg(FILE *out, const struct chart *chart, const json_t *table)
{
	struct graph graph = { .rows = json_object_get(table, "rows"), .kind = chart->kind };

	measure(&graph);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<text x=\"%d\" y=\"24\" font-size=\"15\" text-anchor=\"middle\">%s</text>\n",
		WIDTH, (int)(HEAD + FRAME_HEIGHT * graph.deepest + 10), WIDTH / 2, chart->title);
	if (graph.total > 0)
		put_frames(out, &graph);
	fputs("</svg>\n", out);
}
