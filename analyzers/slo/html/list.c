/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/list.h"

#include <inttypes.h>

#include "analyzers/slo/html/panes.h"
#include "analyzers/slo/html/text.h"
#include "cli/common/quantity.h"

struct list {
	FILE *out;
	const struct slo_advice *advice;
	const struct slo_places *places;
	struct html_sources *sources;
};

/* ---- what unfolds ------------------------------------------------------------------------ */

/* Writes a name of a place, which links to its line if the page shows that. */
static void put_place(const struct list *l, const struct html_site *site, const char *text)
{
	if (!html_has_line(l->sources, site)) {
		html_put(l->out, text);
		return;
	}
	fprintf(l->out, "<a href=\"#f%" PRIu32 "-%" PRIu32 "\">", site->file, site->line);
	html_put(l->out, text);
	fputs("</a>", l->out);
}

static void put_part(const struct list *l, const char *what, const struct slo_part *part,
		     const char *text)
{
	struct html_site site = html_part_site(l->sources, l->places, part);

	fprintf(l->out, "<dt>%s</dt><dd>", what);
	put_place(l, &site, text);
	fputs("</dd>", l->out);
}

static void put_reference(const struct list *l, const struct slo_refactoring *r,
			  const struct slo_reference *reference)
{
	struct html_site use = html_insn_site(l->sources, l->places, reference->first);
	struct html_site reuse = html_insn_site(l->sources, l->places, reference->second);
	double reuses = (double)reference->reuses;

	fputs("<tr><td>", l->out);
	put_place(l, &use, reference->use);
	fputs("</td><td>", l->out);
	put_place(l, &reuse, reference->reuse);
	fputs("</td><td class=\"n\">", l->out);
	html_put_count(l->out, reference->reuses);
	fputs("</td><td class=\"n\">", l->out);
	html_put_percent(l->out, reuses, (double)r->counts.reuses);
	fputs("</td><td class=\"n\">", l->out);
	html_put_tenths(l->out, reference->distance / reuses);
	fputs("</td></tr>\n", l->out);
}

/* Writes the rest that the listed pairs do not cover. */
static void put_rest(const struct list *l, const struct slo_refactoring *r)
{
	size_t more = r->references.count - HTML_PAIRS;
	uint64_t reuses = 0;

	for (size_t i = HTML_PAIRS; i < r->references.count; i++)
		reuses += r->references.at[i].reuses;
	fputs("<tr><td colspan=\"2\">and ", l->out);
	html_put_count(l->out, more);
	fprintf(l->out, " more %s</td><td class=\"n\">", noun(more, "pair", "pairs"));
	html_put_count(l->out, reuses);
	fputs("</td><td class=\"n\">", l->out);
	html_put_percent(l->out, (double)reuses, (double)r->counts.reuses);
	fputs("</td><td></td></tr>\n", l->out);
}

static void put_references(const struct list *l, const struct slo_refactoring *r)
{
	fputs("<table>\n<thead><tr><th scope=\"col\">use</th><th scope=\"col\">reuse</th>"
	      "<th scope=\"col\" class=\"n\">reuses</th><th scope=\"col\" class=\"n\">share %</th>"
	      "<th scope=\"col\" class=\"n\">mean distance</th></tr></thead>\n<tbody>\n",
	      l->out);
	for (size_t i = 0; i < r->references.count && i < HTML_PAIRS; i++)
		put_reference(l, r, &r->references.at[i]);
	if (r->references.count > HTML_PAIRS)
		put_rest(l, r);
	fputs("</tbody></table>\n", l->out);
}

static void put_data(const struct list *l, const struct slo_refactoring *r)
{
	enum { MOST = 6 };

	if (!r->data.count)
		return;
	fputs("<table>\n<thead><tr><th scope=\"col\">data</th><th scope=\"col\" class=\"n\">reuses"
	      "</th><th scope=\"col\" class=\"n\">share %</th></tr></thead>\n<tbody>\n",
	      l->out);
	for (size_t i = 0; i < r->data.count && i < MOST; i++) {
		fputs("<tr><td>", l->out);
		html_put(l->out, r->data.at[i].text);
		fputs("</td><td class=\"n\">", l->out);
		html_put_count(l->out, r->data.at[i].reuses);
		fputs("</td><td class=\"n\">", l->out);
		html_put_percent(l->out, (double)r->data.at[i].reuses, (double)r->counts.reuses);
		fputs("</td></tr>\n", l->out);
	}
	fputs("</tbody></table>\n", l->out);
}

static void put_details(const struct list *l, const struct slo_refactoring *r)
{
	static const struct slo_part nowhere = { .what = CONTEXT_NONE };
	const struct slo_part *overview = &r->change.overview;

	fputs("<details><summary>", l->out);
	html_put(l->out, r->advice);
	fputs("</summary>\n<dl>", l->out);
	/* The place at which a function begins is not known. */
	put_part(l, "where", overview->is_loop ? overview : &nowhere, r->where);
	if (r->first)
		put_part(l, "first", &r->change.first, r->first);
	if (r->second)
		put_part(l, "second", &r->change.second, r->second);
	fputs("</dl>\n", l->out);
	put_references(l, r);
	put_data(l, r);
	fputs("</details>", l->out);
}

/* ---- the table --------------------------------------------------------------------------- */

static void put_head(FILE *out)
{
	static const char *const columns[] = { "reuses",      "mean distance", "spatial %",
					       "lost cycles", "share %",       "cumulative %" };

	fputs("<table class=\"list\">\n<thead><tr><th scope=\"col\">rank</th>"
	      "<th scope=\"col\">kind</th>",
	      out);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>", columns[i]);
	fputs("<th scope=\"col\">advice</th></tr></thead>\n<tbody>\n", out);
}

static void put_row(const struct list *l, size_t rank, uint64_t lost)
{
	const struct slo_refactoring *r = &l->advice->refactorings.at[rank - 1];
	double reuses = (double)r->counts.reuses, all = (double)l->advice->lost;

	fprintf(l->out,
		"<tr id=\"r%zu\" class=\"c%u\"><th scope=\"row\" class=\"n\">"
		"<a href=\"#r%zu\">%zu</a></th><td>%s</td><td class=\"n\">",
		rank, html_colour((uint32_t)rank), rank, rank, slo_kind_name(r->change.kind));
	html_put_count(l->out, r->counts.reuses);
	fputs("</td><td class=\"n\">", l->out);
	html_put_tenths(l->out, r->counts.distance / reuses);
	fputs("</td><td class=\"n\">", l->out);
	html_put_percent(l->out, (double)r->counts.spatial, reuses);
	fputs("</td><td class=\"n\">", l->out);
	html_put_count(l->out, r->lost);
	fputs("</td><td class=\"n\">", l->out);
	html_put_percent(l->out, (double)r->lost, all);
	fputs("</td><td class=\"n\">", l->out);
	html_put_percent(l->out, (double)lost, all);
	fputs("</td><td>", l->out);
	put_details(l, r);
	fputs("</td></tr>\n", l->out);
}

void html_put_list(FILE *out, const struct slo_advice *advice, const struct slo_places *places,
		   struct html_sources *sources, size_t top)
{
	const struct list l = { out, advice, places, sources };
	uint64_t lost = 0;

	put_head(out);
	for (size_t i = 0; i < top && i < advice->refactorings.count; i++) {
		lost += advice->refactorings.at[i].lost;
		put_row(&l, i + 1, lost);
	}
	fputs("</tbody></table>\n", out);
}
