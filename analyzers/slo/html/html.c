/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/html.h"

#include <inttypes.h>

#include "analyzers/slo/html/advice_json.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/json_values.h"
#include "cli/common/quantity.h"
#include "cli/common/save_file.h"
#include "cli/common/write_page.h"

struct save_file *slo_html_open(const char *path, const char *trace)
{
	return would_overwrite(path, trace) ? NULL : save_file_begin(path);
}

/* ---- the report's document, of which a page of locality advice is a part ------------------- */

static json_t *object_of(const char *name, json_t *value)
{
	json_t *object = checked(json_object());

	json_member(object, name, value);
	return object;
}

static json_t *array_of(json_t *value)
{
	json_t *array = checked(json_array());

	json_element(array, value);
	return array;
}

static json_t *trace_of(const struct slo_html *html)
{
	json_t *trace = object_of("file", json_text(html->trace));

	if (html->command)
		json_member(trace, "command", json_text(html->command));
	json_member(trace, "instructions", json_number(html->instructions));
	json_member(trace, "complete", checked(json_boolean(html->complete)));
	return trace;
}

static json_t *document_of(const struct slo_html *html, struct html_sources *sources)
{
	json_t *document = object_of("tracelab_report", json_number(1));

	json_member(document, "sections", array_of(json_word("locality")));
	json_member(document, "traces", array_of(trace_of(html)));
	json_member(document, "results", object_of("slo", html_advice(html, sources)));
	json_member(document, "exactness", object_of("slo", json_word("modelled")));
	return document;
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
		command_note(
			"%s: %" PRIu64
			" source %s (the end of the page lists them); allow a folder with --source=DIR",
			html->path, left_out,
			noun(left_out, "file is left out", "files are left out"));
}

int slo_html_write(struct save_file *file, const struct slo_html *html)
{
	struct html_sources sources;

	html_sources_init(&sources, html->roots, html->advice, html->places, html->top);
	tell_sources(html, &sources);
	json_t *document = document_of(html, &sources);

	write_page(save_file_stream(file), document);
	json_decref(document);
	html_sources_free(&sources);
	return save_file_end(file);
}
