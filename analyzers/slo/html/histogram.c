/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/histogram.h"

#include <inttypes.h>
#include <jansson.h>

#include "analyzers/slo/html/panes.h"
#include "analyzers/slo/html/text.h"
#include "cli/common/checked.h"
#include "cli/common/escape.h"

static size_t shown(const struct slo_html *html)
{
	return html->top < html->advice->n_shown ? html->top : html->advice->n_shown;
}

static void sum_kinds(const struct slo_advice *advice, struct slo_counts kinds[REUSE_KINDS])
{
	for (size_t i = 0; i < advice->count; i++)
		slo_counts_merge(&kinds[advice->refactorings[i].change.kind],
				 &advice->refactorings[i].counts);
}

/* ---- the table --------------------------------------------------------------------------- */

static void put_cell(FILE *out, uint64_t reuses)
{
	fputs("<td class=\"n\">", out);
	if (reuses)
		html_put_count(out, reuses);
	fputs("</td>", out);
}

/* more: reuses at this distance and longer ones. */
static void put_row(FILE *out, const struct slo_html *html, const struct slo_counts *kinds,
		    unsigned bin, uint64_t more)
{
	uint64_t from = bin ? UINT64_C(1) << bin : 0;

	fputs("<tr><th scope=\"row\" class=\"n\">", out);
	html_put_count(out, from);
	fputs("</th><td class=\"n\">", out);
	html_put_size(out, from * html->block_size);
	fputs("</td>", out);
	put_cell(out, html->advice->all.log2[bin]);
	put_cell(out, more);
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++)
		put_cell(out, kinds[kind].log2[bin]);
	fputs("</tr>\n", out);
}

static void put_numbers(FILE *out, const struct slo_html *html)
{
	struct slo_counts kinds[REUSE_KINDS] = { 0 };
	const uint64_t *log2 = html->advice->all.log2;
	uint64_t more = html->advice->all.reuses;

	sum_kinds(html->advice, kinds);
	fputs("<details><summary>the numbers, by kind</summary>\n<table>\n<thead><tr>"
	      "<th scope=\"col\" class=\"n\">distance from [blocks]</th>"
	      "<th scope=\"col\" class=\"n\">from</th><th scope=\"col\" class=\"n\">reuses</th>"
	      "<th scope=\"col\" class=\"n\">reuses from here on</th>",
	      out);
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++)
		fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>", slo_kind_name(kind));
	fputs("</tr></thead>\n<tbody>\n", out);
	for (unsigned bin = 0; bin < SLO_LOG2_BINS; more -= log2[bin++])
		if (log2[bin])
			put_row(out, html, kinds, bin, more);
	fputs("</tbody></table>\n</details>\n", out);
}

void html_put_histogram(FILE *out, const struct slo_html *html)
{
	static const char controls[] =
		"<div class=\"js\"><form class=\"controls\">\n"
		"<fieldset><legend>height</legend>\n"
		"<label><input type=\"radio\" name=\"scale\" value=\"absolute\" checked>absolute</label>\n"
		"<label><input type=\"radio\" name=\"scale\" value=\"relative\">"
		"relative, each distance is 100 %</label>\n"
		"</fieldset>\n<fieldset><legend>reuses</legend>\n"
		"<label><input type=\"radio\" name=\"form\" value=\"plain\" checked>at this distance</label>\n"
		"<label><input type=\"radio\" name=\"form\" value=\"reverse\">"
		"at this distance and more: misses of a cache of this size</label>\n"
		"</fieldset>\n<fieldset><legend>colours</legend>\n"
		"<label><input type=\"radio\" name=\"by\" value=\"refactoring\" checked>by refactoring</label>\n"
		"<label><input type=\"radio\" name=\"by\" value=\"kind\">by kind</label>\n"
		"</fieldset>\n</form>\n"
		"<svg id=\"plot\" role=\"img\" aria-label=\"Histogram of reuse distances\"></svg>\n"
		"<ul id=\"legend\"></ul>\n</div>\n"
		"<noscript><p>The histogram is drawn by JavaScript, which is off. Its numbers are here:</p>"
		"</noscript>\n";

	fputs(controls, out);
	put_numbers(out, html);
}

/* ---- data for the script ----------------------------------------------------------------- */

/*
 * Returns a number; sizes beyond 2^63 - 1, which valid traces do not have, are strings, as in
 * reports.
 */
static json_t *number(uint64_t value)
{
	char text[24];

	if (value <= INT64_MAX)
		return checked(json_integer((json_int_t)value));
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return checked(json_string(text));
}

static json_t *bins_of(const struct slo_counts *counts)
{
	json_t *bins = checked(json_array());

	for (unsigned bin = 0; bin < SLO_LOG2_BINS; bin++)
		json_array_append_new(bins, number(counts->log2[bin]));
	return bins;
}

static json_t *caches_of(const struct slo_groups *groups)
{
	json_t *caches = checked(json_array());

	for (unsigned i = 0; i < groups->n_caches; i++)
		json_array_append_new(caches, number(groups->caches[i]));
	return caches;
}

static json_t *kinds_of(const struct slo_advice *advice)
{
	struct slo_counts sums[REUSE_KINDS] = { 0 };
	json_t *kinds = checked(json_array());

	sum_kinds(advice, sums);
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++) {
		json_t *entry = checked(json_object());

		json_object_set_new(entry, "name", checked(json_string(slo_kind_name(kind))));
		json_object_set_new(entry, "bins", bins_of(&sums[kind]));
		json_array_append_new(kinds, entry);
	}
	return kinds;
}

/* Returns the arrows from the lines of uses to those of reuses, for pairs in one file. */
static json_t *arrows_of(const struct slo_html *html, struct html_sources *sources,
			 const struct slo_refactoring *r)
{
	json_t *arrows = checked(json_array());

	for (size_t i = 0; i < r->n_references && i < HTML_PAIRS; i++) {
		const struct slo_reference *pair = &r->references[i];
		struct html_site use = html_insn_site(sources, html->places, pair->first);
		struct html_site reuse = html_insn_site(sources, html->places, pair->second);
		const uint64_t ends[] = { use.file, use.line, reuse.line, pair->reuses };

		if (!html_has_line(sources, &use) || !html_has_line(sources, &reuse) ||
		    use.file != reuse.file)
			continue;
		json_t *arrow = checked(json_array());

		for (unsigned k = 0; k < 4; k++)
			json_array_append_new(arrow, number(ends[k]));
		json_array_append_new(arrows, arrow);
	}
	return arrows;
}

static json_t *refactoring_of(const struct slo_html *html, struct html_sources *sources,
			      const struct slo_refactoring *r)
{
	json_t *entry = checked(json_object());
	char *advice = escape_utf8(r->advice);

	json_object_set_new(entry, "kind", number(r->change.kind));
	json_object_set_new(entry, "advice", checked(json_string(advice)));
	json_object_set_new(entry, "bins", bins_of(&r->counts));
	json_object_set_new(entry, "arrows", arrows_of(html, sources, r));
	free(advice);
	return entry;
}

/* The page shows a bounded number of refactorings, so its data fits in memory. */
void html_put_data(FILE *out, const struct slo_html *html, struct html_sources *sources)
{
	json_t *data = checked(json_object()), *refactorings = checked(json_array());

	for (size_t i = 0; i < shown(html); i++)
		json_array_append_new(refactorings, refactoring_of(html, sources,
								   &html->advice->refactorings[i]));
	json_object_set_new(data, "block", number(html->block_size));
	json_object_set_new(data, "colours", number(HTML_COLOURS));
	json_object_set_new(data, "caches", caches_of(html->groups));
	json_object_set_new(data, "kinds", kinds_of(html->advice));
	json_object_set_new(data, "all", bins_of(&html->advice->all));
	json_object_set_new(data, "refactorings", refactorings);

	char *text = checked(json_dumps(data, JSON_COMPACT));

	html_put_json_text(out, text);
	putc('\n', out);
	free(text);
	json_decref(data);
}
