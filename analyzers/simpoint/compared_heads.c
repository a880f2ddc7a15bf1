/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/compared_heads.h"

#include <inttypes.h>

#include "analyzers/common/symbol_names.h"
#include "analyzers/simpoint/insn_counts.h"
#include "analyzers/simpoint/proven_markers.h"
#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "traceformat/common/hash_table.h"

/* A head, with its numbers in the counts of the runs. */
struct found {
	struct insn_key key;
	uint32_t numbers[2];
	bool matched; /* the other run has its module */
};

struct heads_search {
	struct tf_reader *const *readers;
	struct insn_counts *counts[2];
	HASH_TABLE(struct found) heads;
};

/*
 * Sets the key of the target of a block's branch. Returns false if that is not backwards or in no
 * file.
 */
static bool backward_target(const struct tf_block *block, struct insn_key *key)
{
	if ((block->end != TF_END_CONDITIONAL && block->end != TF_END_JUMP) ||
	    block->module == TF_NONE || block->target > block->pc)
		return false;
	*key = (struct insn_key){ block->module,
				  block->module_offset - (block->pc - block->target) };
	return true;
}

static void find_heads(struct heads_search *s)
{
	const struct tf_reader *own = s->readers[0], *other = s->readers[1];

	for (uint32_t id = 0; id < tf_n_blocks(own); id++) {
		const struct tf_block *block = tf_block(own, id);
		struct insn_key key;
		struct found *head;

		if (!block || !backward_target(block, &key) || TABLE_FIND(s->heads, key))
			continue;
		head = TABLE_PUT(s->heads, key);
		if (!head)
			out_of_memory();
		head->numbers[0] = insn_counts_add(s->counts[0], key);
		key.module = find_same_module(other, tf_module(own, block->module));
		head->matched = key.module != TF_NONE;
		if (head->matched)
			head->numbers[1] = insn_counts_add(s->counts[1], key);
	}
}

static char *place_of(const struct tf_reader *reader, const struct insn_key *key)
{
	uint32_t index = (uint32_t)key->module;
	const struct tf_symbol *found = tf_symbol(reader, index, key->at);
	const struct tf_symbol *symbol = found && !strstr(found->name, "+0x") ? found : NULL;
	const struct tf_module *module = tf_module(reader, index);
	char *plain = symbol ? demangle_name(symbol->name) : NULL;
	char *name = text_format("%s+0x%" PRIx64,
				 plain    ? plain
				 : symbol ? symbol->name
				 : module ? base_name(module->path)
					  : "",
				 key->at - (symbol ? symbol->value : 0));
	char *shown = escape_text(name);

	free(plain);
	free(name);
	return shown;
}

static int compare_heads(const void *a, const void *b)
{
	const struct compared_head *x = a, *y = b;

	if (x->executions[0] != y->executions[0])
		return x->executions[0] < y->executions[0] ? 1 : -1;
	return strcmp(x->place, y->place);
}

static void take_results(const struct heads_search *s, struct compared_heads *heads)
{
	heads->at = checked_array(s->heads.count, sizeof(*heads->at));
	for (size_t i = 0; i < s->heads.count; i++) {
		const struct found *found = &s->heads.at[i];
		struct compared_head *head = &heads->at[heads->n];

		head->executions[0] = insn_counts_of(s->counts[0], found->numbers[0]);
		if (!head->executions[0])
			continue;
		if (found->matched)
			head->executions[1] = insn_counts_of(s->counts[1], found->numbers[1]);
		head->place = place_of(s->readers[0], &found->key);
		heads->n++;
	}
	qsort(heads->at, heads->n, sizeof(*heads->at), compare_heads);
}

int compared_heads_compare(struct tf_reader *const readers[2], unsigned jobs,
			   struct compared_heads *heads, struct tf_error *error)
{
	struct heads_search s = { .readers = readers };
	int status = 0;

	*heads = (struct compared_heads){ 0 };
	for (int r = 0; r < 2; r++)
		s.counts[r] = insn_counts_new(readers[r]);
	find_heads(&s);
	for (int r = 0; r < 2 && status == 0; r++)
		status = insn_counts_take_all(s.counts[r], readers[r], jobs, error);
	if (status == 0)
		take_results(&s, heads);
	for (int r = 0; r < 2; r++)
		insn_counts_free(s.counts[r]);
	TABLE_FREE(s.heads);
	return status;
}

void compared_heads_free(struct compared_heads *heads)
{
	for (size_t i = 0; i < heads->n; i++)
		free(heads->at[i].place);
	free(heads->at);
	*heads = (struct compared_heads){ 0 };
}

void compared_heads_report(const struct compared_heads *heads, struct report *r)
{
	static const struct report_column columns[] = {
		{ "head", REPORT_STRING, "" },
		{ "executions", REPORT_U64, "" },
		{ "other_executions", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	enum { SHOWN = 20 };
	uint64_t equal = 0;

	for (size_t i = 0; i < heads->n; i++)
		equal += heads->at[i].executions[0] == heads->at[i].executions[1];
	report_u64(r, "loop_heads", "", heads->n);
	report_u64(r, "equal_heads", "", equal);
	report_table(r, "heads", columns);
	for (size_t i = 0; i < heads->n && i < SHOWN; i++)
		report_row(r, heads->at[i].place, heads->at[i].executions[0],
			   heads->at[i].executions[1]);
}
