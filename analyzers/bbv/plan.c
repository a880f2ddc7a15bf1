/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/plan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzers/common/extents.h"
#include "analyzers/common/leaders.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/trace_meta.h"
#include "traceformat/tracesamples.h"

static bool has_reps(const struct tf_reader *reader)
{
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++) {
		const struct tf_block *block = tf_block(reader, id);

		for (size_t i = 0; block && i < block->n_insns; i++)
			if (block->insns[i].flags & TF_INSN_REP)
				return true;
	}
	return false;
}

/* Repetition counts come with the paths, or with the addresses of blocks. */
static int choose_columns(struct analysis *run, const struct bbv_options *o)
{
	if (o->memory) {
		if (!run->info.has_addresses) {
			command_error("%s has no data addresses, which --memory needs; %s",
				      run->path, addresses_advice(run->reader));
			return EXIT_UNSUITABLE;
		}
		run->columns |= TF_ADDRESSES;
		run->accesses = true;
	}
	if (!has_reps(run->reader))
		return 0;
	if (extents_known(run->reader, true))
		run->columns |= run->partial || run->has_warmup || o->memory ? TF_ADDRESSES
									     : TF_REPETITIONS;
	else
		command_warning("%s has no repetition counts: each rep is taken to repeat once, "
				"so 'Total reps' and ids of blocks that begin with a rep differ",
				run->path);
	return 0;
}

static int find_mark(const struct analysis *run, const char *name, uint32_t *index)
{
	*index = name ? analyzer_region(run, name) : TF_NONE;
	if (!name || *index != TF_NONE)
		return 0;
	command_error("%s has no region '%s' to end intervals", run->path, name);
	return EXIT_UNSUITABLE;
}

/*
 * Chooses whether states can be merged. Returns 0, or EXIT_USAGE after a message that says why a
 * trace cannot be cut into parts.
 */
static int choose_pieces(struct analysis *run, const struct bbv_plan *plan)
{
	const struct bbv_options *o = run->options;
	const char *reason = NULL;

	if (o->memory == BBV_MISSES)
		reason = "--memory=miss simulates caches, which depend on everything before";
	else if (plan->rules == BBV_EXP_BBV && plan->interval == 1 && !o->mark)
		reason = "exp-bbv's intervals of one instruction depend on everything before";
	if (run->parts && reason)
		return command_usage_error("%s: there are no parts of it", reason);
	run->one_state = reason || (run->partial && !run->parts);
	return 0;
}

/* Returns true if some thread has at least an interval's instructions. */
static bool fills_interval(const struct analysis *run, uint64_t interval)
{
	struct tf_totals totals;

	if (analyzer_has_vectors(run))
		return true;

	for (uint32_t i = 0; i < run->n_threads; i++)
		if (tf_get_thread_totals(run->reader, i, &totals, NULL) == 0 &&
		    totals.instructions >= interval)
			return true;
	return false;
}

/*
 * Returns true if the last interval is kept: without a chosen interval, one too short is better
 * than none.
 */
static bool keeps_last(const struct analysis *run, uint64_t interval)
{
	const struct bbv_options *o = run->options;

	if (o->keep_last || o->mark)
		return true;
	if (!run->batch || fills_interval(run, interval))
		return false;
	command_warning("no thread has the %" PRIu64 " instructions of an interval, so each has "
			"one that is shorter; choose a shorter one with --interval",
			interval);
	return true;
}

/*
 * Refuses options that recorded vectors cannot fulfil. Returns 0, or an exit code after a message.
 */
static int check_vector_options(const struct analysis *run, struct bbv_plan *plan)
{
	const char *recorded = tf_meta(run->reader, "vectors.interval");
	const struct bbv_options *o = run->options;

	plan->recorded = recorded ? strtoull(recorded, NULL, 10) : 0;
	if (o->compat == BBV_COMPAT_EXP_BBV || o->mark || o->memory) {
		command_error("%s has only basic block vectors, whose blocks are those of "
			      "--blocks=cfg; --compat=exp-bbv, --interval-mark and --memory need "
			      "executions, which trace-record records without --vectors",
			      run->path);
		return EXIT_UNSUITABLE;
	}
	if (!plan->recorded || o->interval % plan->recorded) {
		command_error("%s has vectors of %" PRIu64 " instructions; --interval must be "
			      "a multiple of that",
			      run->path, plan->recorded);
		return EXIT_UNSUITABLE;
	}
	return 0;
}

static int find_leaders(struct analysis *run, struct bbv_plan *plan)
{
	if (!executed_find(run->reader, analyzer_has_vectors(run), run->jobs, &plan->executed))
		return EXIT_FAILED;
	plan->leaders = leaders_of(run->reader, &plan->executed);
	plan->homes = bbv_homes_new(run->reader, plan->leaders);
	return 0;
}

static int make_vectors(struct analysis *run, struct bbv_plan *plan)
{
	const struct bbv_options *o = run->options;
	int status = check_vector_options(run, plan);

	if (status)
		return status;
	plan->interval = o->interval ? o->interval : plan->recorded;
	plan->mark = TF_NONE;
	plan->rules = BBV_CFG;
	if (find_leaders(run, plan))
		return EXIT_FAILED;
	plan->keep_last = keeps_last(run, plan->interval);
	return 0;
}

static int make_executions(struct analysis *run, struct bbv_plan *plan)
{
	const struct bbv_options *o = run->options;
	int status;

	plan->interval = o->interval ? o->interval : BBV_DEFAULT_INTERVAL;
	if (plan->rules == BBV_CFG && find_leaders(run, plan))
		return EXIT_FAILED;
	plan->keep_last = keeps_last(run, plan->interval);
	status = find_mark(run, o->mark, &plan->mark);
	if (!status)
		status = choose_pieces(run, plan);
	return status ? status : choose_columns(run, o);
}

int bbv_plan_make(struct analysis *run, struct bbv_plan **made)
{
	struct bbv_plan *plan = checked_array(1, sizeof(*plan));

	*made = plan;
	if (!bbv_rules_of(run->options, &plan->rules))
		return EXIT_USAGE;
	run->sums_repetitions = plan->rules != BBV_EXP_BBV;
	return analyzer_has_vectors(run) ? make_vectors(run, plan) : make_executions(run, plan);
}

void bbv_plan_free(struct bbv_plan *plan)
{
	if (!plan)
		return;
	leaders_free(plan->leaders);
	bbv_homes_free(plan->homes);
	executed_free(&plan->executed);
	bbv_lengths_free(&plan->lengths);
	free(plan);
}
