/* SPDX-License-Identifier: MIT */
/* MICA's groups of instruction types, and groups from a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/itypes.h"
#include "cli/common/checked.h"
#include "cli/common/input_file.h"

static void add(struct itypes_groups *groups, uint32_t group, enum itypes_kind kind,
		const char *name)
{
	struct itypes_identifier *id;

	CHECKED_RESERVE(groups->identifiers, groups->identifiers.count + 1);
	id = &groups->identifiers.at[groups->identifiers.count++];
	*id = (struct itypes_identifier){ .group = group, .kind = kind };
	strncpy(id->name, name, sizeof(id->name) - 1);
	if (group >= groups->count)
		groups->count = group + 1;
}

void itypes_default_groups(struct itypes_groups *groups, bool with_transfers)
{
	static const struct {
		uint32_t group;
		enum itypes_kind kind;
		const char *name;
	} defaults[] = {
		{ 0, ITYPES_SPECIAL, "mem_read" },   { 1, ITYPES_SPECIAL, "mem_write" },
		{ 2, ITYPES_CATEGORY, "COND_BR" },   { 2, ITYPES_CATEGORY, "UNCOND_BR" },
		{ 2, ITYPES_OPCODE, "LEAVE" },       { 2, ITYPES_OPCODE, "RET_NEAR" },
		{ 2, ITYPES_OPCODE, "CALL_NEAR" },   { 3, ITYPES_CATEGORY, "LOGICAL" },
		{ 3, ITYPES_CATEGORY, "DATAXFER" },  { 3, ITYPES_CATEGORY, "BINARY" },
		{ 3, ITYPES_CATEGORY, "FLAGOP" },    { 3, ITYPES_CATEGORY, "BITBYTE" },
		{ 4, ITYPES_CATEGORY, "X87_ALU" },   { 4, ITYPES_CATEGORY, "FCMOV" },
		{ 5, ITYPES_CATEGORY, "POP" },       { 5, ITYPES_CATEGORY, "PUSH" },
		{ 6, ITYPES_CATEGORY, "SHIFT" },     { 7, ITYPES_CATEGORY, "STRINGOP" },
		{ 8, ITYPES_CATEGORY, "MMX" },       { 8, ITYPES_CATEGORY, "SSE" },
		{ 9, ITYPES_CATEGORY, "INTERRUPT" }, { 9, ITYPES_CATEGORY, "ROTATE" },
		{ 9, ITYPES_CATEGORY, "SEMAPHORE" }, { 9, ITYPES_CATEGORY, "CMOV" },
		{ 9, ITYPES_CATEGORY, "SYSTEM" },    { 9, ITYPES_CATEGORY, "MISC" },
		{ 9, ITYPES_CATEGORY, "PREFETCH" },  { 9, ITYPES_CATEGORY, "SYSCALL" },
		{ 10, ITYPES_CATEGORY, "WIDENOP" },  { 10, ITYPES_CATEGORY, "NOP" },
	};

	*groups = (struct itypes_groups){ .is_default = true };
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		add(groups, defaults[i].group, defaults[i].kind, defaults[i].name);
	if (with_transfers)
		add(groups, groups->count, ITYPES_SPECIAL, "reg_transfer");
}

void itypes_free_groups(struct itypes_groups *groups)
{
	free(groups->identifiers.at);
	*groups = (struct itypes_groups){ 0 };
}

bool itypes_parse_kind(const char *word, enum itypes_kind *kind)
{
	static const char *const kinds[] = { "CATEGORY", "OPCODE", "SPECIAL" };

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(word, kinds[i])) {
			*kind = i;
			return true;
		}
	return false;
}

/* Adds a line's identifier; returns what is wrong with it, or NULL. previous: of its group. */
static const char *parse_line(struct itypes_groups *groups, const char *line, unsigned *previous)
{
	char type[16], name[32], rest; /* rest: a longer name is refused */
	enum itypes_kind kind;
	unsigned group, number;

	if (sscanf(line, "%9u, %9u, %15[^,], %31[^\n]%c", &group, &number, type, name, &rest) != 4)
		return "is not GROUP, NUMBER, TYPE, NAME";
	if (!itypes_parse_kind(type, &kind))
		return "has a type that is none of CATEGORY, OPCODE, SPECIAL";
	if (group >= ITYPES_MAX_GROUPS)
		return "has a group above 63";
	if (group + 1 != groups->count && group != groups->count)
		return "has a group that neither is the one before nor follows it";
	if (number != (group == groups->count ? 0 : *previous + 1))
		return "has a number that does not follow: those of a group are 0, 1, 2, ...";
	*previous = number;
	add(groups, group, kind, name);
	return NULL;
}

bool itypes_read_groups(const char *path, struct itypes_groups *groups, char *error, size_t size)
{
	FILE *file = open_input(path);
	unsigned previous = 0, number = 1;
	const char *wrong = NULL;
	char *line = NULL;
	size_t room = 0;

	*groups = (struct itypes_groups){ 0 };
	if (!file) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return false;
	}
	for (; !wrong && read_line(&line, &room, file) > 0; number += !wrong) {
		line[strcspn(line, "\n")] = '\0';
		wrong = parse_line(groups, line, &previous);
	}
	if (!wrong)
		wrong = read_line_fault();
	free(line);
	fclose(file);
	if (wrong)
		snprintf(error, size, "%s: line %u %s", path, number, wrong);
	else if (!groups->count)
		snprintf(error, size, "%s: has no groups", path);
	if (wrong || !groups->count)
		itypes_free_groups(groups);
	return !wrong && groups->count;
}
