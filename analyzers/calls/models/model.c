/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/models/model.h"

#include <string.h>

#include "analyzers/calls/models/cycles.h"
#include "analyzers/calls/models/misses.h"
#include "cli/common/checked.h"

struct call_model {
	unsigned kind; /* enum call_model_kind */
	union {
		struct call_misses misses;
		struct call_cycles cycles;
	};
};

struct call_model *call_model_new(const struct analysis *run,
				  const struct call_model_options *options, int *status)
{
	struct call_model *model = checked_array(1, sizeof(*model));

	model->kind = options->kind;
	if (options->kind == CALL_MISSES)
		*status = call_misses_init(&model->misses, run, options);
	else
		*status = call_cycles_init(&model->cycles, run, options);
	if (!*status)
		return model;
	free(model);
	return NULL;
}

void call_model_free(struct call_model *model)
{
	if (!model)
		return;
	if (model->kind == CALL_MISSES)
		call_misses_free(&model->misses);
	else
		call_cycles_free(&model->cycles);
	free(model);
}

const char *call_model_cost(const struct call_model *model)
{
	return model->kind == CALL_MISSES ? "misses" : "cycles";
}

void call_model_execute(struct call_model *model, const struct tf_item *item, size_t i,
			uint64_t *by_insn, struct call_model_late *late)
{
	struct tf_item one = *item;

	one.blocks = &item->blocks[i];
	one.count = 1;
	one.instructions = item->blocks[i].executed;
	memset(by_insn, 0, item->blocks[i].block->n_insns * sizeof(*by_insn));
	*late = (struct call_model_late){ .block = NULL };
	if (model->kind == CALL_MISSES)
		call_misses_execute(&model->misses, &one, by_insn);
	else
		call_cycles_execute(&model->cycles, &one, by_insn, late);
}

struct call_model_late call_model_end(struct call_model *model, uint32_t thread)
{
	struct call_model_late late = { .block = NULL };

	if (model->kind == CALL_CYCLES)
		call_cycles_end(&model->cycles, thread, &late);
	return late;
}
