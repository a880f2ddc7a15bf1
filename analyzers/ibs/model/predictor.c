/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/predictor.h"

#include <string.h>

#include "cli/common/checked.h"
#include "traceformat/traceformat.h"

enum { WEAKLY_NOT_TAKEN = 1, WEAKLY_TAKEN = 2, STRONGLY_TAKEN = 3 };

void predictor_init(struct predictor *p, const struct machine *machine)
{
	size_t n_counters = (size_t)1 << machine->counter_bits;

	*p = (struct predictor){ .machine = machine };
	tage_init(&p->tage, machine->counter_bits, machine->tagged_bits);
	p->counters = checked_array(n_counters, sizeof(*p->counters));
	memset(p->counters, WEAKLY_NOT_TAKEN, n_counters);
	p->targets = checked_array(machine->target_entries, sizeof(*p->targets));
	p->returns = checked_array(machine->return_stack, sizeof(*p->returns));
}

void predictor_free(struct predictor *p)
{
	tage_free(&p->tage);
	free(p->counters);
	free(p->targets);
	free(p->returns);
}

/* Predicts by a table of counters, and updates the table. */
static bool predict_by_counter(struct predictor *p, const struct branch *branch,
			       uint32_t history_bits)
{
	uint64_t history = p->history & ((1ull << history_bits) - 1);
	uint64_t at = (branch->pc ^ history) & ((1ull << p->machine->counter_bits) - 1);
	uint8_t *counter = &p->counters[at];
	bool predicted = *counter >= WEAKLY_TAKEN;

	if (branch->taken && *counter < STRONGLY_TAKEN)
		(*counter)++;
	if (!branch->taken && *counter > 0)
		(*counter)--;
	p->history = p->history << 1 | branch->taken;
	return predicted == branch->taken;
}

static bool predict_direction(struct predictor *p, const struct branch *branch)
{
	switch ((enum machine_predictor)p->machine->predictor) {
	case PREDICTOR_STATIC: return !branch->taken;
	case PREDICTOR_BIMODAL: return predict_by_counter(p, branch, 0);
	case PREDICTOR_GSHARE: return predict_by_counter(p, branch, p->machine->history_bits);
	case PREDICTOR_TAGE: return tage_step(&p->tage, branch->pc, branch->taken);
	default: return true;
	}
}

static bool predict_target(struct predictor *p, const struct branch *branch)
{
	uint64_t hash = branch->pc ^ branch->pc >> 12 ^ p->path;
	uint64_t *target = &p->targets[hash & (p->machine->target_entries - 1)];
	bool right = *target == branch->next_pc;

	*target = branch->next_pc;
	if (p->machine->target_history)
		p->path = (p->path << 2 ^ (branch->next_pc >> 2 & 0xff)) &
			  ((1ull << 2 * p->machine->target_history) - 1);
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
	case TF_END_CONDITIONAL: return predict_direction(p, branch);
	case TF_END_CALL: push_return(p, branch->fall_through); return true;
	case TF_END_INDIRECT_CALL:
		push_return(p, branch->fall_through);
		return predict_target(p, branch);
	case TF_END_INDIRECT_JUMP: return predict_target(p, branch);
	case TF_END_RETURN: return predict_return(p, branch);
	default: return true;
	}
}

bool predictor_step(struct predictor *p, const struct branch *branch)
{
	return predict(p, branch) || p->machine->predictor == PREDICTOR_PERFECT;
}
