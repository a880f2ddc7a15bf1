/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/histogram.h"

#include <stdlib.h>

#include "analyzers/slo/html/panes.h"
#include "analyzers/slo/html/text.h"
#include "cli/common/checked.h"
#include "cli/common/json_values.h"

static size_t shown(const struct slo_html *html)
{
	return html->top < html->advice->n_shown ? html->top : html->advice->n_shown;
}

static void sum_kinds(const struct slo_advice *advice, struct slo_counts kinds[REUSE_KINDS])
{
	for (size_t i = 0; i < advice->refactorings.count; i++)
		slo_counts_merge(&kinds[advice->refactorings.at[i].change.kind],
				 &advice->refactorings.at[i].counts);
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

static json_t *bins_of(const struct slo_counts *counts)
{
	json_t *bins = checked(json_array());

	for (unsigned bin = 0; bin < SLO_LOG2_BINS; bin++)
		json_element(bins, json_number(counts->log2[bin]));
	return bins;
}

static json_t *caches_of(const struct slo_groups *groups)
{
	json_t *caches = checked(json_array());

	for (unsigned i = 0; i < groups->n_caches; i++)
		json_element(caches, json_number(groups->caches[i]));
	return caches;
}

static json_t *kinds_of(const struct slo_advice *advice)
{
	struct slo_counts sums[REUSE_KINDS] = { 0 };
	json_t *kinds = checked(json_array());

	sum_kinds(advice, sums);
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++) {
		json_t *entry = checked(json_object());

		json_member(entry, "name", json_word(slo_kind_name(kind)));
		json_member(entry, "bins", bins_of(&sums[kind]));
		json_element(kinds, entry);
	}
	return kinds;
}

/* Returns the arrows from the lines of uses to those of reuses, for pairs in one file. */
static json_t *arrows_of(const struct slo_html *html, struct html_sources *sources,
			 const struct slo_refactoring *r)
{
	json_t *arrows = checked(json_array());

	for (size_t i = 0; i < r->references.count && i < HTML_PAIRS; i++) {
		const struct slo_reference *pair = &r->references.at[i];
		struct html_site use = html_insn_site(sources, html->places, pair->first);
		struct html_site reuse = html_insn_site(sources, html->places, pair->second);
		const uint64_t ends[] = { use.file, use.line, reuse.line, pair->reuses };

		if (!html_has_line(sources, &use) || !html_has_line(sources, &reuse) ||
		    use.file != reuse.file)
			continue;
		json_t *arrow = checked(json_array());

		for (unsigned k = 0; k < 4; k++)
			json_element(arrow, json_number(ends[k]));
		json_element(arrows, arrow);
	}
	return arrows;
}

static json_t *refactoring_of(const struct slo_html *html, struct html_sources *sources,
			      const struct slo_refactoring *r)
{
	json_t *entry = checked(json_object());

	json_member(entry, "kind", json_number(r->change.kind));
	json_member(entry, "advice", json_text(r->advice));
	json_member(entry, "bins", bins_of(&r->counts));
	json_member(entry, "arrows", arrows_of(html, sources, r));
	return entry;
}

/* The page shows a bounded number of refactorings, so its data fits in memory. */
void html_put_data(FILE *out, const struct slo_html *html, struct html_sources *sources)
{
	json_t *data = checked(json_object()), *refactorings = checked(json_array());

	for (size_t i = 0; i < shown(html); i++)
		json_element(refactorings,
			     refactoring_of(html, sources, &html->advice->refactorings.at[i]));
	json_member(data, "block", json_number(html->block_size));
	json_member(data, "colours", json_number(HTML_COLOURS));
	json_member(data, "caches", caches_of(html->groups));
	json_member(data, "kinds", kinds_of(html->advice));
	json_member(data, "all", bins_of(&html->advice->all));
	json_member(data, "refactorings", refactorings);

	char *text = checked(json_dumps(data, JSON_COMPACT));

	html_put_json_text(out, text);
	putc('\n', out);
	free(text);
	json_decref(data);
}
