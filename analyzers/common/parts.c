/* SPDX-License-Identifier: MIT */
#include "analyzers/common/parts.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "analyzers/common/merge_parts.h"
#include "analyzers/common/state_bytes.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"

bool parts_wanted(const struct settings *settings)
{
	return settings->part.n_parts || settings->merge;
}

int parts_before_prepare(struct analysis *run, const struct settings *settings)
{
	const char *lacking = NULL;

	if (!run->info.closed)
		lacking = "is unfinished, so where it is cut would change";
	else if (run->info.n_vectors)
		lacking = "has only basic block vectors, which are not cut into parts";
	else if (run->has_warmup && settings->warmup == WARMUP_AUTO)
		lacking = "is a slice with a warm-up, which is not cut into parts";
	if (lacking) {
		command_error("%s %s", run->path, lacking);
		return EXIT_UNSUITABLE;
	}
	if (run->jobs < 2)
		run->jobs = 2; /* so that the state can be merged */
	run->parts = run->merged = true;
	run->warmed_parts = run->has_warmup;
	return 0;
}

int parts_after_prepare(const struct analysis *run)
{
	if (run->one_state)
		return command_usage_error(
			run->analyzer->compare && !run->warmed_parts
				? "the result of a part depends on all earlier instructions: it is "
				  "approximate and needs --warmup=N; see PARTS in the manual"
				: "results with these options cannot be made in parts");
	if (run->warmed_parts && !run->approximate)
		return command_usage_error("parts of these results are exact without --warmup");
	return 0;
}

int parts_exit_code(const struct analysis *run, int status)
{
	if (status != ANALYZER_ONE_STATE)
		return status;
	command_error("%s: these parts cannot be merged, because the result of one of them depends "
		      "on too many instructions before it; run %s without --part",
		      run->path, run->analyzer->name);
	return EXIT_FAILED;
}

/* Returns the hash of everything that decides where the trace is cut. */
static uint64_t layout_of(const struct chunk_list *chunks)
{
	uint64_t *numbers = checked_array(chunks->count, 3 * sizeof(*numbers)), hash;

	for (size_t i = 0; i < chunks->count; i++) {
		numbers[3 * i] = chunks->at[i].thread;
		numbers[3 * i + 1] = chunks->at[i].first;
		numbers[3 * i + 2] = chunks->at[i].instructions;
	}
	hash = XXH3_64bits(numbers, chunks->count * 3 * sizeof(*numbers));
	free(numbers);
	return hash;
}

/* Fills in the facts of a part's file, except for its part, ranges and damage. */
static void describe(struct partial_head *head, const struct replay *replay,
		     const struct settings *settings)
{
	const struct analysis *run = replay->run;

	*head = (struct partial_head){
		.analyzer = checked_copy(run->analyzer->name),
		.state_version = run->analyzer->state_version,
		.layout = layout_of(&replay->chunks),
		.trace = checked_copy(run->path),
		.options = checked_copy(settings->state_options),
	};
	memcpy(head->uuid, run->info.uuid, sizeof(head->uuid));
}

/* Replays a stream, by one job if the states of several cannot be merged, and adds its result. */
static int add_stream(const struct replay *replay, uint32_t thread, void *state, bool *damaged)
{
	struct replay one = *replay;
	void *later = NULL;
	int status = replay_run(&one, thread, false, &later);

	if (status == ANALYZER_ONE_STATE) {
		one.jobs = 1;
		status = replay_run(&one, thread, false, &later);
	}
	if (!status)
		status = state_merge(replay->run->analyzer, state, later);
	if (status == ANALYZER_FEED_AGAIN)
		status = replay_feed(&one, thread, state, damaged);
	*damaged |= one.damaged;
	replay_free(replay->run, later);
	return status;
}

/* Replays the ranges of a part, one after the other, each behind a warm-up. */
static int add_ranges(const struct replay *replay, const struct part_ranges *ranges,
		      uint64_t warmup, void *state, bool *damaged)
{
	int status = 0;

	for (size_t i = 0; i < ranges->count && !status; i++) {
		const struct part_range *range = &ranges->at[i];
		uint64_t before = range->first - replay->first;
		struct replay one = *replay;

		one.first = range->first - (warmup < before ? warmup : before);
		if (one.first < range->first && one.first > replay->first)
			one.first = part_execution_begin(replay->run->reader, range->thread,
							 one.first);
		one.warmup = range->first - one.first;
		one.count = range->end == UINT64_MAX ? UINT64_MAX : range->end - one.first;
		status = add_stream(&one, range->thread, state, damaged);
	}
	return status;
}

static uint64_t count_borders(const struct replay *replay, const struct part_ranges *ranges)
{
	uint64_t n = 0;

	for (size_t i = 0; i < ranges->count; i++)
		n += ranges->at[i].first > replay->first;
	return n;
}

static int write_part(const struct settings *settings, const struct partial_head *head,
		      const struct analysis *run, struct part_state *state)
{
	struct state_writer writer = { .bytes = { 0 } };
	char *path = part_choice_name(&head->part, settings->partial);
	int status = would_overwrite_input(path) ? EXIT_FAILED
						 : part_state_save(run, state, &writer);

	if (!status)
		status = partial_write(path, head, &writer.bytes);
	buffer_free(&writer.bytes);
	free(path);
	return status;
}

static int make_part(struct replay *replay, const struct settings *settings, uint32_t thread,
		     struct partial_head *head, struct part_state *state)
{
	bool damaged = replay->run->info.closed && !replay->run->info.complete;
	uint64_t warmup = replay->run->warmed_parts ? settings->warmup : 0;
	int status;

	head->part = settings->part;
	part_ranges_init(&head->ranges, replay, thread, head->part.part, head->part.n_parts);
	state->borders = warmup ? count_borders(replay, &head->ranges) : 0;
	if (replay->run->n_shares)
		status = add_stream(replay, thread, state->state, &damaged);
	else
		status = add_ranges(replay, &head->ranges, warmup, state->state, &damaged);
	if (!status && state->check)
		status = add_ranges(replay, &head->ranges,
				    warmup > UINT64_MAX / 2 ? warmup : 2 * warmup, state->check,
				    &damaged);
	head->damaged = damaged;
	return status;
}

static int merge_files(struct replay *replay, const struct settings *settings, uint32_t thread,
		       struct partial_head *head, struct part_state *state)
{
	struct merge_parts merge = {
		.replay = replay,
		.expect = head,
		.thread = thread,
		.paths = settings->parts,
		.n_paths = settings->n_parts,
		.incomplete = settings->incomplete,
		.several = settings->partial,
	};
	int status;

	if (replay->run->n_shares)
		part_ranges_add(&head->ranges,
				(struct part_range){ TF_MERGED, 0, replay->run->n_shares });
	else
		part_ranges_init(&head->ranges, replay, thread, 0, 1);
	status = merge_parts(&merge, state);
	part_ranges_free(&head->ranges);
	head->ranges = merge.ranges;
	head->damaged = merge.damaged;
	return status;
}

int parts_run(struct replay *replay, const struct settings *settings, uint32_t thread,
	      struct part_state *state)
{
	struct partial_head head;
	int status = part_state_new(replay->run, settings->warmup_check, state);

	describe(&head, replay, settings);
	if (!status && settings->merge)
		status = merge_files(replay, settings, thread, &head, state);
	else if (!status)
		status = make_part(replay, settings, thread, &head, state);
	if (!status && settings->partial)
		status = write_part(settings, &head, replay->run, state);
	status = parts_exit_code(replay->run, status);
	replay->damaged |= head.damaged;
	replay->fed |= head.ranges.count;
	partial_head_free(&head);
	return status;
}
