/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/predictor.h"

#include <string.h>

#include "analyzers/common/checked.h"
#include "traceformat/traceformat.h"

enum { WEAKLY_NOT_TAKEN = 1, WEAKLY_TAKEN = 2, STRONGLY_TAKEN = 3 };

void predictor_init(struct predictor *p, const struct machine *machine)
{
	*p = (struct predictor){ .machine = machine };
	p->counters = checked_array((size_t)1 << machine->gshare_bits, sizeof(*p->counters));
	memset(p->counters, WEAKLY_NOT_TAKEN, (size_t)1 << machine->gshare_bits);
	p->targets = checked_array(machine->target_entries, sizeof(*p->targets));
	p->returns = checked_array(machine->return_stack, sizeof(*p->returns));
}

void predictor_free(struct predictor *p)
{
	free(p->counters);
	free(p->targets);
	free(p->returns);
}

static bool predict_direction(struct predictor *p, const struct branch *branch)
{
	uint64_t history = p->history & ((1ull << p->machine->history_bits) - 1);
	uint64_t at = (branch->pc ^ history) & ((1ull << p->machine->gshare_bits) - 1);
	uint8_t *counter = &p->counters[at];
	bool predicted = *counter >= WEAKLY_TAKEN;

	if (p->machine->predictor == PREDICTOR_STATIC)
		predicted = false;
	if (branch->taken && *counter < STRONGLY_TAKEN)
		(*counter)++;
	if (!branch->taken && *counter > 0)
		(*counter)--;
	p->history = p->history << 1 | branch->taken;
	return predicted == branch->taken;
}

static bool predict_target(struct predictor *p, const struct branch *branch)
{
	uint64_t hash = branch->pc ^ branch->pc >> 12;
	uint64_t *target = &p->targets[hash & (p->machine->target_entries - 1)];
	bool right = *target == branch->next_pc;

	*target = branch->next_pc;
	return right;
}

static void push_return(struct predictor *p, uint64_t pc)
{
	p->returns[p->depth++ % p->machine->return_stack] = pc;
}

static bool predict_return(struct predictor *p, const struct branch *branch)
{
	return p->returns[--p->depth % p->machine->return_stack] == branch->next_pc;
}

static bool predict(struct predictor *p, const struct branch *branch)
{
	switch (branch->end) {
	case TF_END_CONDITIONAL:
		return predict_direction(p, branch);
	case TF_END_CALL:
		push_return(p, branch->fall_through);
		return true;
	case TF_END_INDIRECT_CALL:
		push_return(p, branch->fall_through);
		return predict_target(p, branch);
	case TF_END_INDIRECT_JUMP:
		return predict_target(p, branch);
	case TF_END_RETURN:
		return predict_return(p, branch);
	default:
		return true;
	}
}

bool predictor_step(struct predictor *p, const struct branch *branch)
{
	return predict(p, branch) || p->machine->predictor == PREDICTOR_PERFECT;
}
