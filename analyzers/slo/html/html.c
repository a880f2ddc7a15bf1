/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/html.h"

#include <inttypes.h>

#include "analyzers/slo/html/histogram.h"
#include "analyzers/slo/html/list.h"
#include "analyzers/slo/html/panes.h"
#include "analyzers/slo/html/text.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"
#include "cli/common/quantity.h"

/* ---- the parts that all pages have in common, as strings ---------------------------------- */

/* The assembler copies the files of these parts into the object file, with a NUL behind each. */
/* clang-format off */
#define EMBED(name, file) \
	__asm__(".pushsection .rodata\n" \
		".global " #name "\n" \
		".hidden " #name "\n" \
		".type " #name ", @object\n" \
		#name ": .incbin \"analyzers/slo/html/" file "\"\n" \
		".byte 0\n" \
		".size " #name ", . - " #name "\n" \
		".popsection\n")
/* clang-format on */

extern const char html_head[];   /* HTML, to the title */
extern const char html_style[];  /* CSS */
extern const char html_script[]; /* JavaScript: draws the histogram, highlights and links */
EMBED(html_head, "head.html");
EMBED(html_style, "style.css");
EMBED(html_script, "script.js");

/* ---- the page ------------------------------------------------------------------------------ */

struct save_file *slo_html_open(const char *path, const char *trace)
{
	return would_overwrite(path, trace) ? NULL : save_file_begin(path);
}

/* ---- header ------------------------------------------------------------------------------ */

static void put_head(FILE *out, const struct slo_html *html)
{
	fputs(html_head, out);
	fputs("<title>Locality advice: ", out);
	html_put(out, html->command ? html->command : html->trace);
	fputs("</title>\n<style>\n", out);
	fputs(html_style, out);
	fputs("</style>\n</head>\n<body>\n", out);
}

static void put_fact(FILE *out, const char *name, uint64_t count)
{
	fprintf(out, "<dt>%s</dt><dd>", name);
	html_put_count(out, count);
	fputs("</dd>\n", out);
}

static void put_facts(FILE *out, const struct slo_html *html)
{
	fputs("<dl class=\"facts\">\n<dt>trace</dt><dd><code>", out);
	html_put(out, html->trace);
	fputs("</code></dd>\n", out);
	put_fact(out, "instructions", html->instructions);
	fputs("<dt>block size</dt><dd>", out);
	html_put_size(out, html->block_size);
	fputs("</dd>\n", out);
	put_fact(out, "touches of blocks", html->touches);
	put_fact(out,
		 "cold by thread (blocks that a thread touched first, the sum over all threads)",
		 html->cold);
	fputs("<dt>reuses at ", out);
	html_put_count(out, html->shortest);
	fprintf(out, " %s and more</dt><dd>", noun(html->shortest, "block", "blocks"));
	html_put_count(out, html->reuses);
	fputs("</dd>\n", out);
	put_fact(out, "cycles lost by them", html->advice->lost);
	put_fact(out, "refactorings found", html->advice->refactorings.count);
	fputs("</dl>\n", out);
}

static void put_caches(FILE *out, const struct slo_html *html)
{
	const struct slo_counts *all = &html->advice->all;

	fputs("<table>\n<thead><tr><th scope=\"col\" class=\"n\">cache</th>"
	      "<th scope=\"col\" class=\"n\">blocks</th>"
	      "<th scope=\"col\" class=\"n\">cycles of a miss</th>"
	      "<th scope=\"col\" class=\"n\">misses by these reuses</th></tr></thead>\n"
	      "<tbody>\n",
	      out);
	for (unsigned i = 0; i < html->groups->n_caches; i++) {
		const uint64_t numbers[] = { html->groups->caches[i], html->cycles[i],
					     all->misses[i] };

		fputs("<tr><th scope=\"row\" class=\"n\">", out);
		html_put_size(out, html->groups->caches[i] * html->block_size);
		fputs("</th>", out);
		for (unsigned k = 0; k < 3; k++) {
			fputs("<td class=\"n\">", out);
			html_put_count(out, numbers[k]);
			fputs("</td>", out);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

static void put_header(FILE *out, const struct slo_html *html)
{
	fputs("<header>\n<h1>Locality advice</h1>\n", out);
	if (html->command) {
		fputs("<p class=\"command\"><code>", out);
		html_put(out, html->command);
		fputs("</code></p>\n", out);
	}
	fputs("<div class=\"summary\">\n", out);
	put_facts(out, html);
	put_caches(out, html);
	fputs("</div>\n", out);
	if (!html->complete)
		fputs("<p class=\"warning\">The trace is not complete.</p>\n", out);
	fputs("<p>Whether a change keeps the dependences of the program, and so what it computes, "
	      "is for the reader to check.</p>\n</header>\n",
	      out);
}

/* ---- body -------------------------------------------------------------------------------- */

static void put_list(FILE *out, const struct slo_html *html, struct html_sources *sources)
{
	fputs("<section>\n<h2>Refactorings</h2>\n", out);
	if (html->advice->refactorings.count > html->top) {
		fputs("<p>The ", out);
		html_put_count(out, html->top);
		fputs(" of ", out);
		html_put_count(out, html->advice->refactorings.count);
		fputs(" that lose most.</p>\n", out);
	}
	fputs("<div class=\"wide\">", out);
	html_put_list(out, html->advice, html->places, sources, html->top);
	fputs("</div>\n</section>\n", out);
}

static void put_page(FILE *out, const struct slo_html *html, struct html_sources *sources)
{
	put_head(out, html);
	put_header(out, html);
	fputs("<section>\n<h2>Reuse distances</h2>\n", out);
	html_put_histogram(out, html);
	fputs("</section>\n", out);
	put_list(out, html, sources);
	fputs("<section>\n<h2>Source</h2>\n<p>Files as they are on this computer, of the folders that were asked for. Shares are of "
	      "all these reuses: of how many the line touches the data first, and again. Marks "
	      "have the ranks of refactorings; their loops and calls are bars.</p>\n",
	      out);
	html_put_panes(out, sources, html->advice->all.reuses);
	fputs("</section>\n<script type=\"application/json\" id=\"data\">\n", out);
	html_put_data(out, html, sources);
	fputs("</script>\n<script>\n", out);
	fputs(html_script, out);
	fputs("</script>\n</body>\n</html>\n", out);
}

/* Reports the sources in the page, so that its user knows what is passed on with it. */
static void tell_sources(const struct slo_html *html, const struct html_sources *sources)
{
	uint64_t left_out = 0;

	for (uint32_t i = 0; i < sources->n_sources; i++) {
		const struct html_source *source = &sources->sources[i];

		if (source->text)
			command_note("%s: contains %s", html->path, html_path(sources, i));
		left_out += source->wanted && !source->text;
	}
	if (left_out)
		command_note("%s: %" PRIu64
			     " source %s, see the end of the page; --source=DIR names "
			     "folders whose files may be in it",
			     html->path, left_out,
			     noun(left_out, "file is left out", "files are left out"));
}

int slo_html_write(struct save_file *file, const struct slo_html *html)
{
	struct html_sources sources;

	html_sources_init(&sources, html->roots, html->advice, html->places, html->top);
	tell_sources(html, &sources);
	put_page(save_file_stream(file), html, &sources);
	html_sources_free(&sources);
	return save_file_end(file);
}
