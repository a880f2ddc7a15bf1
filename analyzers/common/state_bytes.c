/* SPDX-License-Identifier: MIT */
#include "analyzers/common/state_bytes.h"

#include "cli/common/checked.h"
#include "cli/common/command.h"

void analyzer_put(struct state_writer *writer, uint64_t number)
{
	put_varint(&writer->bytes, number);
	if (writer->bytes.failed)
		out_of_memory();
}

void analyzer_put_all(struct state_writer *writer, const uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		analyzer_put(writer, numbers[i]);
}

uint64_t analyzer_take(struct state_reader *reader)
{
	return take_varint(&reader->bytes);
}

uint64_t analyzer_take_max(struct state_reader *reader, uint64_t max)
{
	return take_varint_max(&reader->bytes, max);
}

void analyzer_take_all(struct state_reader *reader, uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = analyzer_take(reader);
}

size_t analyzer_left(const struct state_reader *reader)
{
	return reader->bytes.bad ? 0 : span_left(&reader->bytes);
}

static size_t n_counts(const struct analyzer *analyzer)
{
	return analyzer->state_size / sizeof(uint64_t);
}

bool state_can_merge(const struct analyzer *analyzer)
{
	return analyzer->merge || analyzer->state_is_counts;
}

bool state_can_save(const struct analyzer *analyzer)
{
	return state_can_merge(analyzer) && (analyzer->save || analyzer->state_is_counts);
}

int state_save(const struct analyzer *analyzer, void *state, struct state_writer *writer)
{
	if (analyzer->save)
		return analyzer->save(state, writer);
	analyzer_put_all(writer, state, n_counts(analyzer));
	return 0;
}

int state_load(const struct analyzer *analyzer, void *state, struct state_reader *reader)
{
	if (analyzer->load)
		return analyzer->load(state, reader);
	analyzer_take_all(reader, state, n_counts(analyzer));
	return 0;
}

int state_merge(const struct analyzer *analyzer, void *first, const void *later)
{
	uint64_t *sums = first;
	const uint64_t *counts = later;

	if (!analyzer->state_is_counts)
		return analyzer->merge(first, later);
	for (size_t i = 0; i < n_counts(analyzer); i++)
		sums[i] += counts[i];
	return 0;
}
