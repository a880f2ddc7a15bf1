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

int parts_before_prepare(struct analysis *run)
{
	const char *lacking = NULL;

	if (!run->info.closed)
		lacking = "is unfinished, so where it is cut would change";
	else if (run->info.n_vectors)
		lacking = "has only basic block vectors, which are not cut into parts";
	else if (run->has_warmup)
		lacking = "is a slice with a warm-up, which is not cut into parts";
	if (lacking) {
		command_error("%s %s", run->path, lacking);
		return EXIT_UNSUITABLE;
	}
	if (run->jobs < 2)
		run->jobs = 2; /* so that the state can be merged */
	run->parts = run->merged = true;
	return 0;
}

int parts_after_prepare(const struct analysis *run)
{
	if (!run->one_state)
		return 0;
	return command_usage_error("results with these options cannot be made in parts");
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

/* Replays everything, for a share. */
static int replay_share(const struct replay *replay, uint32_t thread, void *state, bool *damaged)
{
	struct replay one = *replay;
	void *made = NULL;
	int status = replay_run(&one, thread, false, &made);

	if (!status)
		status = state_merge(replay->run->analyzer, state, made);
	*damaged |= one.damaged;
	replay_free(replay->run, made);
	return status;
}

/* Replays the ranges of a part, one after the other. */
static int replay_ranges(const struct replay *replay, const struct part_ranges *ranges, void *state,
			 bool *damaged)
{
	int status = 0;

	for (size_t i = 0; i < ranges->count && !status; i++) {
		const struct part_range *range = &ranges->at[i];
		struct replay one = *replay;
		void *later = NULL;

		one.first = range->first;
		one.count = range->end == UINT64_MAX ? UINT64_MAX : range->end - range->first;
		status = replay_run(&one, range->thread, false, &later);
		if (!status)
			status = state_merge(replay->run->analyzer, state, later);
		*damaged |= one.damaged;
		replay_free(replay->run, later);
	}
	return status;
}

static int write_part(const struct settings *settings, const struct partial_head *head,
		      const struct analyzer *analyzer, void *state)
{
	struct state_writer writer = { .bytes = { 0 } };
	char *path = part_choice_name(&head->part, settings->partial);
	int status = would_overwrite_input(path) ? EXIT_FAILED
						 : state_save(analyzer, state, &writer);

	if (!status)
		status = partial_write(path, head, &writer.bytes);
	buffer_free(&writer.bytes);
	free(path);
	return status;
}

static int make_part(struct replay *replay, const struct settings *settings, uint32_t thread,
		     struct partial_head *head, void *state)
{
	bool damaged = replay->run->info.closed && !replay->run->info.complete;

	head->part = settings->part;
	part_ranges_init(&head->ranges, replay, thread, head->part.part, head->part.n_parts);
	int status = replay->run->analyzer->shares
			     ? replay_share(replay, thread, state, &damaged)
			     : replay_ranges(replay, &head->ranges, state, &damaged);

	head->damaged = damaged;
	return status;
}

static int merge_files(struct replay *replay, const struct settings *settings, uint32_t thread,
		       struct partial_head *head, void *state)
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

	if (replay->run->analyzer->shares)
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

int parts_run(struct replay *replay, const struct settings *settings, uint32_t thread, void **state)
{
	struct partial_head head;
	int status = replay_new(replay->run, state);

	describe(&head, replay, settings);
	if (!status && settings->merge)
		status = merge_files(replay, settings, thread, &head, *state);
	else if (!status)
		status = make_part(replay, settings, thread, &head, *state);
	if (!status && settings->partial)
		status = write_part(settings, &head, replay->run->analyzer, *state);
	if (status == ANALYZER_ONE_STATE) {
		command_error("these parts cannot be merged");
		status = EXIT_FAILED;
	}
	replay->damaged |= head.damaged;
	replay->fed |= head.ranges.count;
	partial_head_free(&head);
	return status;
}
