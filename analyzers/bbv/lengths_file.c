/* SPDX-License-Identifier: MIT */
/* Lengths from the file of a first pass. */
#include <string.h>

#include "analyzers/bbv/internal.h"
#include "analyzers/bbv/set.h"
#include "analyzers/common/partial.h"
#include "analyzers/common/state_bytes.h"
#include "cli/common/command.h"

static int refuse(const struct partial *partial)
{
	command_error("%s: is not a partial result of trace-bbv for this trace", partial->path);
	return EXIT_FAILED;
}

static bool is_ours(const struct analysis *run, const struct partial_head *head)
{
	return !strcmp(head->analyzer, run->analyzer->name) &&
	       head->state_version == run->analyzer->state_version &&
	       !memcmp(head->uuid, run->info.uuid, sizeof(head->uuid));
}

/* Adds the ends of the heads. */
static void take_ends(struct bbv_lengths *lengths, const struct bbv_set *set)
{
	for (uint32_t i = 0; i < set->n_threads; i++) {
		const struct bbv_thread *t = set->threads[i];

		for (size_t k = 0; t && k < t->ends.count; k++)
			bbv_lengths_add(lengths, i, t->ends.at[k].key.ordinal,
					t->ends.at[k].instructions);
	}
}

int bbv_lengths_read(struct bbv_lengths *lengths, const struct analysis *run, struct bbv_set *set,
		     const char *path)
{
	struct partial partial;
	struct state_reader reader;
	uint32_t thread;
	int status = partial_read(&partial, path);

	if (!status && !is_ours(run, &partial.head))
		status = refuse(&partial);
	if (!status) {
		reader.bytes = partial.state;
		set->interval = BBV_NO_INTERVAL; /* only lengths are wanted */
		set->counts_only = strstr(partial.head.options, "instr-count-only");
		if (!bbv_set_load(set, &reader) || reader.bytes.bad || span_left(&reader.bytes) ||
		    !bbv_set_complete(set, &thread))
			status = refuse(&partial);
	}
	if (!status)
		take_ends(lengths, set);
	partial_free(&partial);
	return status;
}
