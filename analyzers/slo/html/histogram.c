/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/histogram.h"

#include <inttypes.h>

#include "analyzers/slo/html/panes.h"
#include "analyzers/slo/html/text.h"

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

static void put_bins(FILE *out, const struct slo_counts *counts)
{
	for (unsigned bin = 0; bin < SLO_LOG2_BINS; bin++)
		fprintf(out, "%c%" PRIu64, bin ? ',' : '[', counts->log2[bin]);
	putc(']', out);
}

static void put_caches(FILE *out, const struct slo_groups *groups)
{
	fputs("\"caches\":[", out);
	for (unsigned i = 0; i < groups->n_caches; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", groups->caches[i]);
	fputs("],\n", out);
}

static void put_kinds(FILE *out, const struct slo_advice *advice)
{
	struct slo_counts kinds[REUSE_KINDS] = { 0 };

	sum_kinds(advice, kinds);
	fputs("\"kinds\":[", out);
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++) {
		fprintf(out, "%s{\"name\":\"%s\",\"bins\":", kind ? "," : "", slo_kind_name(kind));
		put_bins(out, &kinds[kind]);
		putc('}', out);
	}
	fputs("],\n", out);
}

/* From the lines of uses to those of reuses, of pairs that are in one file. */
static void put_arrows(FILE *out, const struct slo_html *html, struct html_sources *sources,
		       const struct slo_refactoring *r)
{
	const char *comma = "";

	fputs("\"arrows\":[", out);
	for (size_t i = 0; i < r->n_references && i < HTML_PAIRS; i++) {
		const struct slo_reference *pair = &r->references[i];
		struct html_site use = html_insn_site(sources, html->places, pair->first);
		struct html_site reuse = html_insn_site(sources, html->places, pair->second);

		if (!html_has_line(sources, &use) || !html_has_line(sources, &reuse) ||
		    use.file != reuse.file)
			continue;
		fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]", comma, use.file,
			use.line, reuse.line, pair->reuses);
		comma = ",";
	}
	putc(']', out);
}

static void put_refactoring(FILE *out, const struct slo_html *html, struct html_sources *sources,
			    size_t index)
{
	const struct slo_refactoring *r = &html->advice->refactorings[index];

	fprintf(out, "{\"kind\":%u,\"advice\":", r->change.kind);
	html_put_json(out, r->advice);
	fputs(",\"bins\":", out);
	put_bins(out, &r->counts);
	putc(',', out);
	put_arrows(out, html, sources, r);
	putc('}', out);
}

void html_put_data(FILE *out, const struct slo_html *html, struct html_sources *sources)
{
	fprintf(out, "{\"block\":%" PRIu64 ",\"colours\":%d,\n", html->block_size, HTML_COLOURS);
	put_caches(out, html->groups);
	put_kinds(out, html->advice);
	fputs("\"all\":", out);
	put_bins(out, &html->advice->all);
	fputs(",\n\"refactorings\":[", out);
	for (size_t i = 0; i < shown(html); i++) {
		fputs(i ? ",\n" : "\n", out);
		put_refactoring(out, html, sources, i);
	}
	fputs("]}\n", out);
}
