/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/sources.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

/* ---- sites ------------------------------------------------------------------------------- */

/*
 * Returns the path of a line's file. A relative name starts at the folder where the compiler ran,
 * not at the current one.
 */
static char *path_of(const struct source_line *line)
{
	const char *file = line->file;

	if (*file == '/' || !line->folder || *line->folder != '/')
		return checked_copy(file);
	if (!strncmp(file, "./", 2))
		file += 2;
	return text_format("%s/%s", line->folder, file);
}

static struct html_site site_of(struct html_sources *s, const struct source_line *line)
{
	char *path = path_of(line);
	struct html_site site = { true, numbering_add_text(&s->paths, path), line->line };

	html_roots_learn(s->roots, line->module, line->folder);
	free(path);
	return s->n_sources && site.file >= s->n_sources ? (struct html_site){ 0 } : site;
}

struct html_site html_insn_site(struct html_sources *s, const struct slo_places *places,
				uint32_t insn)
{
	struct source_line line;

	return slo_insn_line(places, insn, &line) ? site_of(s, &line) : (struct html_site){ 0 };
}

/* Finds the line of an address of a node. */
static bool node_line(const struct slo_places *places, const struct slo_node *node, uint64_t offset,
		      struct source_line *line)
{
	return node->module != TF_NONE && lines_find(places->lines, node->module, offset, line);
}

/* Finds the lines of a loop, all of which was compiled in one folder. */
static bool loop_bar(struct html_sources *s, const struct slo_places *places, uint32_t loop,
		     struct html_bar *bar)
{
	const struct slo_code *code = places->code;
	const struct slo_node *header = &code->graph.nodes[slo_header(code, loop)];
	struct slo_span span = slo_loop_span(places, loop);
	struct source_line line;

	if (!span.file)
		return false;
	if (!node_line(places, header, header->last, &line))
		line = (struct source_line){ .module = TF_NONE };
	line.file = span.file;
	line.line = span.line;
	*bar = (struct html_bar){ .file = site_of(s, &line).file,
				  .first = span.first,
				  .last = span.last,
				  .line = span.line };
	return true;
}

/* Finds the line of a call. */
static bool call_bar(struct html_sources *s, const struct slo_places *places, uint32_t site,
		     struct html_bar *bar)
{
	const struct slo_node *node = &places->code->graph.nodes[site];
	struct source_line line;

	if (!node_line(places, node, node->last, &line))
		return false;
	*bar = (struct html_bar){ .file = site_of(s, &line).file,
				  .first = line.line,
				  .last = line.line,
				  .line = line.line };
	return true;
}

/* Finds a bar. Returns false if the part is neither loop nor call, or is not known. */
static bool find_bar(struct html_sources *s, const struct slo_places *places,
		     const struct slo_part *part, struct html_bar *bar)
{
	if (part->what == CONTEXT_NONE || part->what == CONTEXT_ROOT)
		return false;
	if (part->is_loop)
		return loop_bar(s, places, part->what, bar);
	return part->site != SLO_NONE && call_bar(s, places, part->site, bar);
}

/* ---- touches ----------------------------------------------------------------------------- */

static void add_touch(struct html_sources *s, const struct html_site *site, uint32_t rank,
		      bool is_reuse, uint64_t reuses)
{
	if (!site->known)
		return;
	CHECKED_RESERVE(s->touches, s->touches.count + 1);
	s->touches.at[s->touches.count++] = (struct html_touch){
		.file = site->file,
		.line = site->line,
		.rank = rank,
		.is_reuse = is_reuse,
		.reuses = reuses,
	};
}

static void add_touches(struct html_sources *s, const struct slo_refactoring *r,
			const struct slo_places *places, uint32_t rank)
{
	for (size_t i = 0; i < r->references.count; i++) {
		const struct slo_reference *reference = &r->references.at[i];
		struct html_site use = html_insn_site(s, places, reference->first);
		struct html_site reuse = html_insn_site(s, places, reference->second);
		uint32_t marked = i < HTML_PAIRS ? rank : 0;

		add_touch(s, &use, marked, false, reference->reuses);
		add_touch(s, &reuse, marked, true, reference->reuses);
	}
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_touches(const void *a, const void *b)
{
	const struct html_touch *x = a, *y = b;
	int order = compare_numbers(x->file, y->file);

	if (!order)
		order = compare_numbers(x->line, y->line);
	if (!order)
		order = compare_numbers(x->rank, y->rank);
	return order ? order : x->is_reuse - y->is_reuse;
}

/* ---- bars -------------------------------------------------------------------------------- */

static void add_bar(struct html_sources *s, const struct slo_places *places,
		    const struct slo_part *part, uint32_t rank)
{
	struct html_bar bar;

	if (!find_bar(s, places, part, &bar))
		return;
	bar.rank = rank;
	CHECKED_RESERVE(s->bars, s->bars.count + 1);
	s->bars.at[s->bars.count++] = bar;
}

static void add_bars(struct html_sources *s, const struct slo_refactoring *r,
		     const struct slo_places *places, uint32_t rank)
{
	const struct slo_change *change = &r->change;
	const struct slo_part child = { .is_loop = true, .what = r->counts.child };

	if (change->overview.is_loop)
		add_bar(s, places, &change->overview, rank);
	if (change->kind != REUSE_LOOP) {
		add_bar(s, places, &change->first, rank);
		add_bar(s, places, &change->second, rank);
	} else if (r->counts.votes) {
		add_bar(s, places, &child, rank);
	}
}

static int compare_bars(const void *a, const void *b)
{
	const struct html_bar *x = a, *y = b;
	int order = compare_numbers(x->file, y->file);

	if (!order)
		order = compare_numbers(x->first, y->first);
	if (!order)
		order = compare_numbers(y->last, x->last);
	if (!order)
		order = compare_numbers(x->rank, y->rank);
	return order ? order : compare_numbers(x->line, y->line);
}

/*
 * Drops repeated bars: the same lines twice for a refactoring are one bar, as for two calls on a
 * line or two loops of one.
 */
static void drop_repeated_bars(struct html_sources *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->bars.count; i++)
		if (!kept || compare_bars(&s->bars.at[kept - 1], &s->bars.at[i]))
			s->bars.at[kept++] = s->bars.at[i];
	s->bars.count = kept;
}

static void lay_out_bars(struct html_sources *s)
{
	uint32_t ends[HTML_LANES] = { 0 }; /* by lane: the last line that is in it */

	for (size_t i = 0; i < s->bars.count; i++) {
		struct html_bar *bar = &s->bars.at[i];
		struct html_source *source = &s->sources[bar->file];

		if (!i || bar->file != bar[-1].file)
			memset(ends, 0, sizeof(ends));
		while (bar->lane < HTML_LANES && ends[bar->lane] >= bar->first)
			bar->lane++;
		if (bar->lane == HTML_LANES)
			continue;
		ends[bar->lane] = bar->last;
		if (source->n_lanes <= bar->lane)
			source->n_lanes = bar->lane + 1;
	}
}

/* ---- files ------------------------------------------------------------------------------- */

static uint32_t count_lines(const char *text, size_t size)
{
	uint32_t count = size && text[size - 1] != '\n';

	for (size_t i = 0; i < size; i++)
		count += text[i] == '\n';
	return count;
}

static void read_sources(struct html_sources *s)
{
	for (size_t i = 0; i < s->touches.count; i++)
		s->sources[s->touches.at[i].file].wanted |= s->touches.at[i].rank;
	for (size_t i = 0; i < s->bars.count; i++)
		s->sources[s->bars.at[i].file].wanted = true;
	for (uint32_t i = 0; i < s->n_sources; i++) {
		struct html_source *source = &s->sources[i];

		if (source->wanted)
			source->text = html_read_source(s->roots, html_path(s, i), &source->size,
							&source->why);
		if (source->text)
			source->n_lines = count_lines(source->text, source->size);
	}
}

void html_sources_init(struct html_sources *s, struct html_roots *roots,
		       const struct slo_advice *advice, const struct slo_places *places, size_t top)
{
	*s = (struct html_sources){ .roots = roots };
	for (size_t i = 0; i < advice->refactorings.count; i++) {
		uint32_t rank = i < top ? (uint32_t)i + 1 : 0;

		add_touches(s, &advice->refactorings.at[i], places, rank);
		if (rank)
			add_bars(s, &advice->refactorings.at[i], places, rank);
	}
	if (s->touches.count)
		qsort(s->touches.at, s->touches.count, sizeof(*s->touches.at), compare_touches);
	if (s->bars.count)
		qsort(s->bars.at, s->bars.count, sizeof(*s->bars.at), compare_bars);
	drop_repeated_bars(s);
	s->n_sources = s->paths.count;
	s->sources = checked_array(s->n_sources, sizeof(*s->sources));
	lay_out_bars(s);
	read_sources(s);
}

void html_sources_free(struct html_sources *s)
{
	for (uint32_t i = 0; i < s->n_sources; i++)
		free(s->sources[i].text);
	free(s->sources);
	free(s->touches.at);
	free(s->bars.at);
	numbering_free(&s->paths);
}
