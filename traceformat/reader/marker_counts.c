/* SPDX-License-Identifier: MIT */
#include "traceformat/reader/marker_counts.h"

#include "traceformat/common/error.h"
#include "traceformat/common/hash_table.h"

/* An instruction of the program. */
struct place {
	struct place_key {
		uint64_t module; /* index, or TF_NONE */
		uint64_t offset; /* in the module, or pc */
	} key;
	uint64_t executions;
};

/* An instruction of a block that is a marker. */
struct hit {
	uint32_t insn; /* index */
	uint32_t place;
};

/* The facts about a block that counting needs. */
struct block_hits {
	uint32_t first, count; /* in hits */
	bool excluded;
};

struct marker_counts {
	struct tf_reader *reader;
	struct tf_vectors *vectors;
	struct tf_vector vector; /* the next one to add, */
	bool has_vector;         /* if there is one */
	bool failed;
	uint64_t next;                   /* number of the interval to follow */
	uint64_t instructions, filtered; /* of all vectors so far */
	HASH_TABLE(struct place) places;
	ARRAY(struct hit) hits;
	ARRAY(struct block_hits) blocks; /* by id */
};

static struct place_key place_of(const struct tf_block *b, uint32_t insn)
{
	uint64_t start = b->module == TF_NONE ? b->pc : b->module_offset;

	return (struct place_key){ b->module, start + b->insns[insn].offset };
}

/* Adds the markers of all intervals to the places. */
static int find_places(struct marker_counts *c, struct tf_error *error)
{
	struct tf_intervals *intervals;
	struct tf_interval interval;
	int status = tf_intervals_open(c->reader, false, &intervals, error);

	if (status < 0)
		return status;
	while ((status = tf_intervals_next(intervals, &interval, error)) > 0) {
		const struct tf_marker *m = &interval.marker;

		if (m->block == TF_NONE)
			continue;
		if (!TABLE_PUT(c->places, place_of(tf_block(c->reader, m->block), m->insn))) {
			status = fail_memory(error);
			break;
		}
	}
	tf_intervals_close(intervals);
	return status;
}

static bool find_hits_in(struct marker_counts *c, const struct tf_block *b, struct block_hits *hits)
{
	hits->first = (uint32_t)c->hits.count;
	for (uint32_t i = 0; i < b->n_insns; i++) {
		const struct place *place = TABLE_FIND(c->places, place_of(b, i));

		if (!place)
			continue;
		if (!RESERVE(c->hits, c->hits.count + 1))
			return false;
		c->hits.at[c->hits.count++] = (struct hit){ i, (uint32_t)(place - c->places.at) };
	}
	hits->count = (uint32_t)c->hits.count - hits->first;
	return true;
}

static int find_hits(struct marker_counts *c, struct tf_error *error)
{
	uint32_t n = tf_n_blocks(c->reader);

	if (!RESERVE(c->blocks, n))
		return fail_memory(error);
	c->blocks.count = n;
	for (uint32_t i = 0; i < n; i++) {
		const struct tf_block *b = tf_block(c->reader, i);

		if (b && !find_hits_in(c, b, &c->blocks.at[i]))
			return fail_memory(error);
	}
	return 0;
}

static int next_vector(struct marker_counts *c, struct tf_error *error)
{
	int status = tf_vectors_next(c->vectors, &c->vector, error);

	c->has_vector = status > 0;
	return status < 0 ? status : 0;
}

int marker_counts_open(struct tf_reader *reader, struct marker_counts **counts,
		       struct tf_error *error)
{
	struct marker_counts *c = calloc(1, sizeof(*c));
	int status = c ? 0 : fail_memory(error);

	if (status == 0) {
		c->reader = reader;
		status = find_places(c, error);
	}
	if (status == 0)
		status = find_hits(c, error);
	if (status == 0)
		status = tf_vectors_open(reader, &c->vectors, error);
	if (status == 0)
		status = next_vector(c, error);
	if (status < 0) {
		marker_counts_close(c);
		return status;
	}
	*counts = c;
	return 0;
}

void marker_counts_close(struct marker_counts *c)
{
	if (!c)
		return;
	tf_vectors_close(c->vectors);
	TABLE_FREE(c->places);
	free(c->hits.at);
	free(c->blocks.at);
	free(c);
}

/* Adds the executions of the first instructions of a block. */
static void add_block(struct marker_counts *c, const struct block_hits *b, uint32_t executed,
		      uint64_t times)
{
	const struct hit *hits = c->hits.at + b->first;

	for (uint32_t i = 0; i < b->count && hits[i].insn < executed; i++)
		c->places.at[hits[i].place].executions += times;
	if (!b->excluded)
		c->filtered += executed * times;
}

/* Adds a count whose product with its instructions is known not to overflow. */
static void add_count(struct marker_counts *c, const struct tf_vector_count *count)
{
	uint32_t left = count->executed, n;
	struct tf_exit_info exit;

	if (!tf_exit(c->reader, count->exit, &exit))
		return;
	for (uint32_t k = 0; left && k < exit.path->n_blocks; k++, left -= n) {
		uint32_t id = exit.path->blocks[k];

		n = tf_block(c->reader, id)->n_insns;
		if (n > left)
			n = left;
		add_block(c, &c->blocks.at[id], n, count->times);
	}
}

/* Adds the vectors of the interval. Returns 0, or a negative status with *why, or NULL in it. */
static int add_vectors(struct marker_counts *c, uint64_t interval, const char **why,
		       struct tf_error *error)
{
	int status = 0;

	while (status == 0 && c->has_vector && c->vector.interval <= interval) {
		*why = "vectors before it have no interval";
		if (c->vector.interval < interval)
			return TF_E_DAMAGED;
		*why = "its vectors have too many instructions";
		if (__builtin_add_overflow(c->instructions, c->vector.instructions,
					   &c->instructions))
			return TF_E_DAMAGED;
		for (size_t i = 0; i < c->vector.n_counts; i++)
			add_count(c, &c->vector.counts[i]);
		*why = NULL;
		status = next_vector(c, error);
	}
	return status;
}

/* Returns 0, or a negative status with *why, or with *error if *why is NULL. */
static int follow(struct marker_counts *c, const struct tf_interval *interval, const char **why,
		  struct tf_error *error)
{
	int status;

	*why = "intervals or vectors before it are missing";
	if (c->failed || interval->number != c->next++)
		return TF_E_DAMAGED;
	for (size_t i = 0; i < interval->n_excluded; i++)
		c->blocks.at[interval->excluded[i].block].excluded = true;
	status = add_vectors(c, interval->number, why, error);
	if (status < 0)
		return status;
	*why = "the vectors so far do not add up to its instructions or filtered instructions";
	return c->instructions == interval->instructions && c->filtered == interval->filtered
		       ? 0
		       : TF_E_DAMAGED;
}

int marker_counts_follow(struct marker_counts *c, struct tf_interval *interval,
			 struct tf_error *error)
{
	struct tf_marker *m = &interval->marker;
	const char *why;
	int status = follow(c, interval, &why, error);

	if (status < 0) {
		c->failed = true;
		return why ? fail(error, TF_E_DAMAGED, "%s: interval %llu: %s", c->reader->name,
				  (unsigned long long)interval->number, why)
			   : status;
	}
	if (m->block != TF_NONE) {
		const struct tf_block *b = tf_block(c->reader, m->block);

		m->count = TABLE_FIND(c->places, place_of(b, m->insn))->executions + 1;
	}
	return 1;
}

void marker_counts_fail(struct marker_counts *c)
{
	c->failed = true;
}

int marker_counts_end(struct marker_counts *c, struct tf_error *error)
{
	bool whole = c->reader->finished && !(c->reader->compat & COMPAT_REPAIRED);

	if (c->failed || !c->has_vector || !whole || !c->next)
		return 0;
	c->failed = true;
	return fail(error, TF_E_DAMAGED, "%s: the vectors of interval %llu have no end",
		    c->reader->name, (unsigned long long)c->vector.interval);
}
