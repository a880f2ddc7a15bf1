/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/unit/random.h"
#include "tests/unit/traces/random/parts.h"

void *random_memory(struct random_trace *t, size_t size)
{
	void *memory = calloc(1, size + 1);

	assert(memory);
	PUSH(&t->memory, memory);
	return memory;
}

struct random_trace *random_trace_new(const struct random_options *options)
{
	struct random_trace *t = calloc(1, sizeof(*t));

	assert(t);
	t->options = *options;
	t->state = options->seed;
	t->streams = calloc(options->n_threads, sizeof(*t->streams));
	assert(t->streams);
	for (unsigned i = 0; i < 16; i++)
		t->uuid[i] = (uint8_t)random_below(&t->state, 256);
	t->wait_status = (int32_t)random_below(&t->state, 65536);
	t->stop_reason = "exit";
	random_dictionary(t);
	random_script(t);
	return t;
}

void random_trace_free(struct random_trace *t)
{
	for (size_t i = 0; i < t->memory.count; i++)
		free(t->memory.at[i]);
	for (unsigned i = 0; i < t->options.n_threads; i++) {
		free(t->streams[i].execs.at);
		free(t->streams[i].events.at);
	}
	free(t->streams);
	free(t->memory.at);
	free(t->modules.at);
	free(t->symbols.at);
	free(t->processes.at);
	free(t->threads.at);
	free(t->functions.at);
	free(t->mappings.at);
	free(t->regions.at);
	free(t->blocks.at);
	free(t->paths.at);
	free(t->meta.at);
	free(t->ops.at);
	free(t->schedule.at);
	free(t->next_exit.at);
	free(t->last_slots.at);
	free(t->small_slots.at);
	free(t);
}
