/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/latencies.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/itypes.h"
#include "cli/common/input_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

enum { MAX_CYCLES = 65535 };

struct rule {
	enum itypes_kind kind;
	char name[32];
	uint32_t cycles;
};

struct rules {
	ARRAY(struct rule);
};

/* Returns what is wrong with a line, or NULL. */
static const char *parse_rule(const char *line, struct rule *rule)
{
	char type[16], rest;

	if (sscanf(line, " %15[A-Z] , %31[A-Za-z0-9_] , %9u %c", type, rule->name, &rule->cycles,
		   &rest) != 3)
		return "is not TYPE, NAME, CYCLES";
	if (!itypes_parse_kind(type, &rule->kind))
		return "has a type that is none of CATEGORY, OPCODE, SPECIAL";
	if (rule->kind == ITYPES_SPECIAL && strcmp(rule->name, "mem_read"))
		return "has a SPECIAL name other than mem_read";
	if (rule->cycles > MAX_CYCLES || (!rule->cycles && rule->kind != ITYPES_SPECIAL))
		return "has a latency that is not 1 .. 65535 cycles";
	return NULL;
}

static void add_rule(struct rules *rules, const struct rule *rule)
{
	CHECKED_RESERVE(*rules, rules->count + 1);
	rules->at[rules->count++] = *rule;
}

static bool is_blank(const char *line)
{
	while (isspace((unsigned char)*line))
		line++;
	return !*line;
}

static bool read_rules(const char *path, struct rules *rules)
{
	FILE *file;
	const char *wrong = NULL;
	unsigned number = 1;
	char *line = NULL;
	size_t size = 0;
	bool good = false;

	if (!expect_file(path, "a file of latencies", 0))
		return false;
	file = open_input(path);
	if (!file) {
		command_error("%s: %m", path);
		return false;
	}
	for (; !wrong && read_line(&line, &size, file) > 0; number += !wrong) {
		struct rule rule;

		line[strcspn(line, "#")] = '\0';
		if (is_blank(line))
			continue;
		wrong = parse_rule(line, &rule);
		if (!wrong)
			add_rule(rules, &rule);
	}
	if (wrong)
		command_error("%s:%u: the line %s", path, number, wrong);
	else if (read_line_fault())
		command_error("%s: %s", path, read_line_fault());
	else
		good = true;
	free(line);
	fclose(file);
	return good;
}

static uint32_t latency_of(const struct rules *rules, const struct mica_insn *insn)
{
	uint32_t opcode = 0, category = 1, memory = 0;

	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->at[i];

		if (rule->kind == ITYPES_SPECIAL)
			memory = insn->has_read ? rule->cycles : 0;
		else if (rule->kind == ITYPES_OPCODE && !strcmp(rule->name, insn->facts.iclass))
			opcode = rule->cycles;
		else if (rule->kind == ITYPES_CATEGORY && !strcmp(rule->name, insn->facts.category))
			category = rule->cycles;
	}
	return (opcode ? opcode : category) + memory;
}

uint32_t *mica_read_latencies(const char *path, const struct mica_code *code)
{
	struct rules rules = { 0 };
	uint32_t *latencies = NULL;

	if (read_rules(path, &rules)) {
		latencies = checked_array(code->numbers.insns, sizeof(*latencies));
		for (uint32_t i = 0; i < code->numbers.insns; i++)
			latencies[i] = latency_of(&rules, &code->insns[i]);
	}
	free(rules.at);
	return latencies;
}
