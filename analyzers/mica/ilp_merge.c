/* SPDX-License-Identifier: MIT */
/*
 * Merging the windows of two parts of a stream, exactly.
 *
 * The future of a window depends on the executions that are in the window, and only on how far
 * beyond the window's clock they end. If two simulations of the same executions agree in these
 * distances once, they agree from then on, and their clocks keep their difference.
 *
 * A state begins with an empty window, and keeps a log of its first executions. To merge a later
 * state, its log is simulated twice: behind the earlier state, as the executions truly ran, and
 * from an empty window, as the later state ran them. Where the two agree, the rest is known: the
 * result has the distances of the later state, and its clocks, moved by the difference. Windows of
 * some hundred executions agree after some thousand executions in most programs.
 *
 * A merged state is therefore equal to a state that was fed all executions, including the log, so
 * that states can be merged in any grouping. If the two do not agree within the log, for example in
 * a loop with two chains of dependences that never join, the executions have to be fed again, to
 * the earlier state.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/state_bytes.h"
#include "analyzers/mica/ilp.h"
#include "cli/common/checked.h"

enum { FIRST_CHECK = 1024, MAX_LATENCY = 2 * 65535 /* see latencies.h */, N_READS = 3 };

/* Bounds the clocks of a file, so that sums of many do not overflow. */
static const uint64_t max_clock = (uint64_t)1 << 56;

/* ---- the log ----------------------------------------------------------------------------- */

void ilp_expect_merge(void *self)
{
	struct ilp *p = self;

	p->log.events = checked_array(ILP_LOG, sizeof(*p->log.events));
	p->log.open = true;
}

void ilp_log_add(struct ilp_log *log, const struct mica_event *events, size_t count)
{
	size_t room = ILP_LOG - log->count;

	log->open = count <= room;
	if (!log->open)
		count = room;
	memcpy(log->events + log->count, events, count * sizeof(*events));
	log->count += count;
}

static void put_event(struct state_writer *writer, const struct mica_event *event)
{
	analyzer_put(writer, event->insn->index);
	analyzer_put(writer, event->n_reads + N_READS * event->n_writes);
	analyzer_put_all(writer, event->read, event->n_reads);
	if (event->n_reads)
		analyzer_put(writer, event->read_size);
	if (event->n_writes) {
		analyzer_put(writer, event->write);
		analyzer_put(writer, event->write_size);
	}
}

static void take_event(const struct mica_setup *setup, struct state_reader *reader,
		       struct mica_event *event)
{
	unsigned accesses;

	event->insn = &setup->insns[analyzer_take_max(reader, setup->numbers.insns - 1)];
	accesses = analyzer_take_max(reader, 2 * N_READS - 1);
	event->n_reads = accesses % N_READS;
	event->n_writes = accesses / N_READS;
	analyzer_take_all(reader, event->read, event->n_reads);
	if (event->n_reads)
		event->read_size = analyzer_take_max(reader, TF_MAX_OPERAND_BYTES);
	if (event->n_writes) {
		event->write = analyzer_take(reader);
		event->write_size = analyzer_take_max(reader, TF_MAX_OPERAND_BYTES);
	}
}

/* ---- distances from the clocks ----------------------------------------------------------- */

/* Returns `latest` as it was `ago` executions before. */
static lanes *latest(const struct group *group, uint32_t ago)
{
	return &group->ring[(group->position - ago) & group->mask];
}

static int64_t distance(const struct group *group, const lanes *time, unsigned w)
{
	int64_t beyond = (*time)[w] - group->clock[w];

	return beyond > 0 ? beyond : 0;
}

static void put_distances(const struct group *group, const lanes *time, struct state_writer *writer)
{
	for (unsigned w = 0; w < LANES; w++)
		analyzer_put(writer, distance(group, time, w));
}

/* Writes all on which the windows' future depends, in the same way whatever the clocks are. */
static void put_group(const struct group *group, struct state_writer *writer)
{
	struct clocks_list late = clocks_later(&group->blocks, &group->clock);
	uint64_t next = 0;

	for (unsigned w = 0; w < LANES; w++)
		for (uint32_t ago = group->lag[w]; ago; ago--)
			analyzer_put(writer,
				     (*latest(group, ago - 1))[w] - (*latest(group, ago))[w]);
	for (unsigned r = 0; r < MICA_N_REGISTERS; r++)
		put_distances(group, &group->registers[r], writer);
	analyzer_put(writer, late.count);
	for (size_t i = 0; i < late.count; i++) {
		analyzer_put(writer, late.at[i].block - next);
		put_distances(group, late.at[i].time, writer);
		next = late.at[i].block + 1;
	}
	free(late.at);
}

static void take_distances(const struct group *group, struct state_reader *reader, lanes *time)
{
	*time = group->clock;
	for (unsigned w = 0; w < LANES; w++)
		(*time)[w] += analyzer_take_max(reader, group->latest[w] - group->clock[w]);
}

static void take_latest(struct group *group, struct state_reader *reader)
{
	for (unsigned w = 0; w < LANES; w++) {
		int64_t time = group->clock[w];

		for (uint32_t ago = group->lag[w]; ago; ago--) {
			(*latest(group, ago))[w] = time;
			time += analyzer_take_max(reader, MAX_LATENCY);
		}
		(*latest(group, 0))[w] = time;
	}
	group->latest = *latest(group, 0);
}

static void take_blocks(struct group *group, struct state_reader *reader)
{
	uint64_t n = analyzer_take_max(reader, analyzer_left(reader)), next = 0;

	clocks_clear(&group->blocks);
	for (; n; n--) {
		uint64_t block = next + analyzer_take_max(reader, UINT64_MAX - next);
		lanes time;

		take_distances(group, reader, &time);
		clocks_set(&group->blocks, block, &time);
		next = block + 1;
	}
}

/* Reads what put_group wrote. The clocks are known. */
static void take_group(struct group *group, struct state_reader *reader)
{
	take_latest(group, reader);
	for (unsigned r = 0; r < MICA_N_REGISTERS; r++)
		take_distances(group, reader, &group->registers[r]);
	take_blocks(group, reader);
	group->left = group->life;
}

static void put_groups(const struct ilp *p, struct state_writer *writer)
{
	for (unsigned g = 0; g < p->n_groups; g++)
		put_group(&p->groups[g], writer);
}

static void take_groups(struct ilp *p, struct state_reader *reader)
{
	for (unsigned g = 0; g < p->n_groups; g++)
		take_group(&p->groups[g], reader);
}

/* ---- merging ----------------------------------------------------------------------------- */

static bool agree(const struct ilp *a, const struct ilp *b)
{
	struct state_writer of_a = { .bytes = { 0 } }, of_b = { .bytes = { 0 } };
	bool same;

	put_groups(a, &of_a);
	put_groups(b, &of_b);
	same = of_a.bytes.size == of_b.bytes.size &&
	       !memcmp(of_a.bytes.data, of_b.bytes.data, of_a.bytes.size);
	buffer_free(&of_a.bytes);
	buffer_free(&of_b.bytes);
	return same;
}

/* Feeds a full log to both, up to the first check that finds that they agree. */
static bool run_until_they_agree(struct ilp *a, struct ilp *b, const struct mica_event *events)
{
	for (size_t done = 0, end = FIRST_CHECK; end <= ILP_LOG; done = end, end *= 2) {
		ilp_feed(a, events + done, end - done);
		ilp_feed(b, events + done, end - done);
		if (agree(a, b))
			return true;
	}
	return false;
}

/* Gives p, around its clocks, the distances of another state. */
static void copy_distances(struct ilp *p, const struct ilp *from)
{
	struct state_writer writer = { .bytes = { 0 } };
	struct state_reader reader;

	put_groups(from, &writer);
	reader.bytes = span_of(writer.bytes.data, writer.bytes.size);
	take_groups(p, &reader);
	buffer_free(&writer.bytes);
}

/* Returns a state with the same windows, without a log. */
static struct ilp *copy_of(const struct ilp *p)
{
	struct ilp *copy = ilp_start(p->setup);

	for (unsigned g = 0; g < p->n_groups; g++)
		copy->groups[g].clock = p->groups[g].clock;
	copy_distances(copy, p);
	return copy;
}

/* Gives p the windows of `later`, and clocks that are late by those of warm minus those of cold. */
static void adopt(struct ilp *p, const struct ilp *warm, const struct ilp *cold,
		  const struct ilp *later)
{
	for (unsigned g = 0; g < p->n_groups; g++)
		p->groups[g].clock = later->groups[g].clock + warm->groups[g].clock -
				     cold->groups[g].clock;
	copy_distances(p, later);
	if (p->log.open)
		ilp_log_add(&p->log, later->log.events, ILP_LOG);
	p->log.open = false;
}

int ilp_merge(void *self, const void *other)
{
	const struct ilp *later = other;
	struct ilp *warm, *cold, *p = self;
	bool met;

	if (later->log.open) {
		ilp_feed(p, later->log.events, later->log.count);
		return 0;
	}
	warm = copy_of(p);
	cold = ilp_start(p->setup);
	met = run_until_they_agree(warm, cold, later->log.events);
	if (met)
		adopt(p, warm, cold, later);
	ilp_stop(warm);
	ilp_stop(cold);
	return met ? 0 : ANALYZER_FEED_AGAIN;
}

/* ---- files ------------------------------------------------------------------------------- */

void ilp_save(void *self, struct state_writer *writer)
{
	const struct ilp *p = self;

	analyzer_put(writer, p->log.open);
	analyzer_put(writer, p->log.count);
	for (size_t i = 0; i < p->log.count; i++)
		put_event(writer, &p->log.events[i]);
	if (p->log.open)
		return;
	for (unsigned g = 0; g < p->n_groups; g++)
		for (unsigned w = 0; w < LANES; w++)
			analyzer_put(writer, p->groups[g].clock[w]);
	put_groups(p, writer);
}

void ilp_load(void *self, struct state_reader *reader)
{
	struct ilp *p = self;
	bool open = analyzer_take_max(reader, 1);
	size_t count = analyzer_take_max(reader, p->setup->numbers.insns ? ILP_LOG : 0);

	if (!open && count < ILP_LOG)
		reader->bytes.bad = true;
	for (size_t i = 0; i < count && !reader->bytes.bad; i++) {
		struct mica_event event = { 0 };

		take_event(p->setup, reader, &event);
		ilp_feed(p, &event, 1);
	}
	p->log.open = open;
	if (open)
		return;
	for (unsigned g = 0; g < p->n_groups; g++)
		for (unsigned w = 0; w < LANES; w++)
			p->groups[g].clock[w] = analyzer_take_max(reader, max_clock);
	take_groups(p, reader);
}
