/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/pc_file.h"

#include <string.h>

#include "analyzers/simpoint/unpack.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

/* The whole text of a file, ended with a NUL; NULL after a message. */
static char *read_text(const char *path)
{
	enum { STEP = 1 << 20 };
	struct unpack *file = unpack_open(path);
	char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (!file)
		return NULL;
	do {
		text = checked(realloc(text, size + STEP + 1));
		n = unpack_read(file, text + size, STEP);
		size += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	unpack_close(file);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

static void set_name(struct pc_names *names, size_t id, const char *name)
{
	if (id >= names->n) {
		size_t n = 2 * id + 64;

		names->at = checked(reallocarray(names->at, n, sizeof(*names->at)));
		memset(names->at + names->n, 0, (n - names->n) * sizeof(*names->at));
		names->n = n;
	}
	free(names->at[id]);
	names->at[id] = *name ? checked_copy(name) : NULL;
}

bool pc_names_read(const char *path, struct pc_names *names)
{
	char *text = read_text(path), *rest = text, *line;
	bool any = false;

	*names = (struct pc_names){ 0 };
	if (!text)
		return false;
	while ((line = strsep(&rest, "\n"))) {
		char *end;
		unsigned long id;

		if (strncmp(line, "F:", 2))
			continue;
		id = strtoul(line + 2, &end, 10);
		if (end == line + 2 || *end != ':' || id >= BB_MAX_ID || !strchr(end + 1, ':'))
			continue;
		set_name(names, id, strchr(end + 1, ':') + 1);
		any = true;
	}
	free(text);
	if (!any)
		command_error("%s: has no lines F:ID:ADDRESS:FUNCTION", path);
	return any;
}

void pc_names_free(struct pc_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
	*names = (struct pc_names){ 0 };
}

struct share { const char *name; double value; };

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct share *)a)->name, ((const struct share *)b)->name);
}

const char *pc_names_heaviest(const struct pc_names *names, const struct bb_row *row)
{
	struct share *shares = checked_array(row->n, sizeof(*shares));
	const char *heaviest = NULL;
	double most = 0, sum = 0;	/* most: at first of the blocks without a name */
	size_t n = 0;

	for (uint32_t k = 0; k < row->n; k++)
		if (row->ids[k] < names->n && names->at[row->ids[k]])
			shares[n++] = (struct share){ names->at[row->ids[k]], row->values[k] };
		else
			most += row->values[k];
	qsort(shares, n, sizeof(*shares), by_name);
	for (size_t i = 0; i < n; i++) {
		sum = i && !strcmp(shares[i].name, shares[i - 1].name) ? sum + shares[i].value :
									 shares[i].value;
		if (sum > most) {
			most = sum;
			heaviest = shares[i].name;
		}
	}
	free(shares);
	return heaviest;
}
