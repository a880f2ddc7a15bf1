/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, the input of flamegraph.pl (B. Gregg, "The flame graph", CACM 59(6), 2016): a line
 * for each call path, from its first function to its last, with the instructions that it executed.
 */
#include <inttypes.h>
#include <string.h>

#include "analyzers/calls/export.h"
#include "cli/common/checked.h"

struct stack_line {
	char *stack; /* the names, with semicolons between them */
	uint64_t instructions;
};

static int compare_stacks(const void *a, const void *b)
{
	return strcmp(((const struct stack_line *)a)->stack, ((const struct stack_line *)b)->stack);
}

static char *join(char *const *stack, uint32_t depth)
{
	char *text;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	for (uint32_t i = 0; i < depth; i++)
		fprintf(out, i ? ";%s" : "%s", stack[i]);
	if (fclose(out))
		out_of_memory();
	return text;
}

/* Writes the lines in order, equal stacks as one line. */
static void put_lines(FILE *out, struct stack_line *lines, size_t count)
{
	qsort(lines, count, sizeof(*lines), compare_stacks);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && !strcmp(lines[i].stack, lines[i + 1].stack))
			lines[i + 1].instructions += lines[i].instructions;
		else
			fprintf(out, "%s %" PRIu64 "\n", lines[i].stack, lines[i].instructions);
		free(lines[i].stack);
	}
}

void call_write_folded(FILE *out, const struct call_paths *p)
{
	size_t n_functions = p->profile->functions.functions.count, count = 0;
	char **names = checked_array(n_functions, sizeof(*names));
	enum call_cost weight = call_costs_weight(&p->profile->costs);
	char **stack = checked_array(p->count, sizeof(*stack));
	struct stack_line *lines = checked_array(p->count, sizeof(*lines));

	for (size_t i = 0; i < n_functions; i++)
		names[i] = call_plain_name(p, (uint32_t)i, ';', ':');
	for (size_t i = 1; i < p->count; i++) {
		const struct call_path *path = &p->paths[i];
		uint64_t cost = call_path_exclusive(p, i).costs[weight];

		stack[path->depth - 1] = names[path->function];
		if (cost)
			lines[count++] = (struct stack_line){ join(stack, path->depth), cost };
	}
	put_lines(out, lines, count);
	for (size_t i = 0; i < n_functions; i++)
		free(names[i]);
	free(names);
	free(stack);
	free(lines);
}
