/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/pc_file.h"

#include <errno.h>
#include <string.h>

#include "analyzers/simpoint/bb_line.h"
#include "cli/common/input_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unpack.h"

static struct pc_name *add_name(struct pc_names *names, uint32_t id)
{
	CHECKED_RESERVE(*names, names->n + 1);
	names->at[names->n] = (struct pc_name){ .id = id, .line = names->n };
	return &names->at[names->n++];
}

static void free_name(struct pc_name *name)
{
	free(name->place);
	free(name->function);
}

static int compare_names(const void *a, const void *b)
{
	const struct pc_name *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Compares by id, and entries of one id by their lines. */
static int compare_lines(const void *a, const void *b)
{
	const struct pc_name *x = a, *y = b;
	int order = compare_names(a, b);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Sorts the names; of several with one id the last stays. */
static void sort_names(struct pc_names *names)
{
	size_t kept = 0;

	if (names->n)
		qsort(names->at, names->n, sizeof(*names->at), compare_lines);
	for (size_t i = 0; i < names->n; i++) {
		if (kept && names->at[kept - 1].id == names->at[i].id)
			free_name(&names->at[--kept]);
		names->at[kept++] = names->at[i];
	}
	names->n = kept;
}

static const struct pc_name *find_name(const struct pc_names *names, uint32_t id)
{
	const struct pc_name key = { .id = id };

	return names->n ? bsearch(&key, names->at, names->n, sizeof(key), compare_names) : NULL;
}

/* Sets a name. at: an address, or MODULE+OFFSET, both hexadecimal. */
static void set_name(struct pc_name *name, const char *at, const char *function)
{
	const char *plus = strrchr(at, '+'), *digits = plus ? plus + 1 : at;

	free(name->place);
	free(name->function);
	name->place = text_format("%.*s0x%s", (int)(digits - at), at, digits);
	name->function = *function ? checked_copy(function) : NULL;
}

/* Takes a line F:ID:ADDRESS:FUNCTION; other lines are ignored. */
static void take_line(struct pc_names *names, char *line)
{
	char *end, *function;
	unsigned long id;

	line[strcspn(line, "\r\n")] = '\0';
	if (strncmp(line, "F:", 2))
		return;
	id = strtoul(line + 2, &end, 10);
	if (end == line + 2 || *end != ':' || id >= BB_MAX_ID)
		return;
	function = strchr(end + 1, ':');
	if (!function)
		return;
	*function++ = '\0';
	set_name(add_name(names, (uint32_t)id), end + 1, function);
}

bool pc_names_read(const char *path, struct pc_names *names)
{
	FILE *in = expect_file(path, "a .pc file", ACCEPT_COMPRESSED | ACCEPT_PLACES)
			   ? unpack_text(path)
			   : NULL;
	char *line = NULL;
	size_t room = 0;
	const char *wrong;
	bool damaged;

	*names = (struct pc_names){ 0 };
	if (!in)
		return false;
	while (read_line(&line, &room, in) > 0)
		take_line(names, line);
	wrong = read_line_fault();
	damaged = ferror(in); /* reported already */
	fclose(in);
	free(line);
	sort_names(names);
	if (!damaged && !wrong && !names->n)
		wrong = "has no lines F:ID:ADDRESS:FUNCTION";
	if (!damaged && !wrong)
		return true;
	if (!damaged)
		command_error("%s: %s", path, wrong);
	pc_names_free(names);
	return false;
}

void pc_names_add(struct pc_names *names, uint32_t id, const char *place, const char *function)
{
	struct pc_name *name = add_name(names, id);

	name->place = checked_copy(place);
	name->function = checked_copy(function);
}

void pc_names_free(struct pc_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free_name(&names->at[i]);
	free(names->at);
	*names = (struct pc_names){ 0 };
}

struct share {
	const char *name;
	double value;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct share *)a)->name, ((const struct share *)b)->name);
}

const char *pc_names_heaviest(const struct pc_names *names, const struct bb_rows *rows,
			      const struct bb_row *row)
{
	struct share *shares = checked_array(row->n, sizeof(*shares));
	const char *heaviest = NULL;
	double nameless = 0, block = 0, sum = 0, most;
	size_t n = 0;

	for (uint32_t k = 0; k < row->n; k++) {
		const struct pc_name *name = find_name(names, bb_id(rows, row->ids[k]));

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
		sum = i && !strcmp(shares[i].name, shares[i - 1].name) ? sum + shares[i].value
								       : shares[i].value;
		if (sum > most) {
			most = sum;
			heaviest = shares[i].name;
		}
	}
	free(shares);
	return heaviest;
}
