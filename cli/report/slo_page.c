/* SPDX-License-Identifier: MIT */
#include "cli/report/slo_page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/json_values.h"
#include "cli/common/unfinished.h"

bool slo_page_begin(struct slo_page *page)
{
	const char *folder = getenv("TMPDIR");

	page->folder = text_format("%s/trace-report.XXXXXX", folder && *folder ? folder : "/tmp");
	if (!mkdtemp(page->folder)) {
		command_warning("cannot make %s: %m; the page will have no source lines",
				page->folder);
		free(page->folder);
		page->folder = NULL;
		return false;
	}
	page->unfinished = unfinished_folder(page->folder);
	page->path = text_format("%s/slo.html", page->folder);
	return true;
}

void slo_page_end(struct slo_page *page)
{
	if (!page->folder)
		return;
	unfinished_drop(page->unfinished);
	free(page->path);
	free(page->folder);
}

/* ---- the document of the page -------------------------------------------------------------- */

static char *read_text(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "re");

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

/* Returns the document in a page, or NULL. The document has no '<', see write_page(). */
static json_t *document_of(const char *page)
{
	static const char begin[] = "id=\"data\">";
	const char *data = page ? strstr(page, begin) : NULL;
	const char *end = data ? strstr(data, "</script>") : NULL;

	if (!end)
		return NULL;
	data += strlen(begin);
	return json_loadb(data, (size_t)(end - data), 0, NULL);
}

void slo_page_add(const struct slo_page *page, json_t *result)
{
	char *text = page->folder ? read_text(page->path) : NULL;
	json_t *document = document_of(text);
	json_t *slo = json_object_get(json_object_get(document, "results"), "slo");

	if (json_is_object(slo)) {
		if (json_object_update(result, slo))
			out_of_memory();
		/* The page has these for each refactoring. */
		json_object_del(result, "references");
		json_object_del(result, "data");
	}
	json_decref(document);
	free(text);
}

/* ---- messages ------------------------------------------------------------------------------ */

void slo_page_tell(const struct slo_page *page, FILE *messages, const char *output)
{
	char *line = NULL;
	size_t size = 0, length = page->folder ? strlen(page->path) : 0;

	rewind(messages);
	while (length && getline(&line, &size, messages) > 0) {
		char *at = strstr(line, page->path);

		line[strcspn(line, "\n")] = '\0';
		if (at)
			command_note("%s%s", output, at + length);
	}
	free(line);
}
