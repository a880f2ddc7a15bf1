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

static struct pc_name *name_of(struct pc_names *names, size_t id)
{
	if (id >= names->n) {
		size_t n = 2 * id + 64;

		names->at = checked(reallocarray(names->at, n, sizeof(*names->at)));
		memset(names->at + names->n, 0, (n - names->n) * sizeof(*names->at));
		names->n = n;
	}
	return &names->at[id];
}

/* at: an address, or MODULE+OFFSET, hexadecimal both. */
static void set_name(struct pc_name *name, const char *at, const char *function)
{
	const char *plus = strrchr(at, '+'), *digits = plus ? plus + 1 : at;

	free(name->place);
	free(name->function);
	name->place = text_format("%.*s0x%s", (int)(digits - at), at, digits);
	name->function = *function ? checked_copy(function) : NULL;
}

bool pc_names_read(const char *path, struct pc_names *names)
{
	char *text = read_text(path), *rest = text, *line;
	bool any = false;

	*names = (struct pc_names){ 0 };
	if (!text)
		return false;
	while ((line = strsep(&rest, "\n"))) {
		char *end, *function;
		unsigned long id;

		if (strncmp(line, "F:", 2))
			continue;
		id = strtoul(line + 2, &end, 10);
		if (end == line + 2 || *end != ':' || id >= BB_MAX_ID)
			continue;
		function = strchr(end + 1, ':');
		if (!function)
			continue;
		*function++ = '\0';
		set_name(name_of(names, id), end + 1, function);
		any = true;
	}
	free(text);
	if (!any)
		command_error("%s: has no lines F:ID:ADDRESS:FUNCTION", path);
	return any;
}

void pc_names_free(struct pc_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->at[i].place);
		free(names->at[i].function);
	}
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
	double nameless = 0, block = 0, sum = 0, most;
	size_t n = 0;

	for (uint32_t k = 0; k < row->n; k++) {
		const struct pc_name *name = row->ids[k] < names->n ? &names->at[row->ids[k]] :
					     NULL;

		if (name && name->function) {
			shares[n++] = (struct share){ name->function, row->values[k] };
			continue;
		}
		nameless += row->values[k];
		if (name && name->place && row->values[k] > block) {
			block = row->values[k];
			heaviest = name->place;
		}
	}
	most = nameless;
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
