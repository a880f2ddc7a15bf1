/* SPDX-License-Identifier: MIT */
#include "traceformat/reader/vector_record.h"

const char vector_breaks_rules[] = "a vector breaks the format's rules";

bool vector_exits_measure(const struct tf_reader *r, struct vector_exits *e)
{
	struct tf_exit_info info;

	*e = (struct vector_exits){ .reader = r, .n = tf_n_exits(r) };
	e->lengths = calloc(e->n + 1ul, sizeof(*e->lengths));
	e->partial = calloc(e->n / 8 + 1ul, 1);
	if (!e->lengths || !e->partial)
		return false;
	for (uint32_t i = 0; i < e->n; i++) {
		if (!tf_exit(r, i, &info))
			continue;
		if (info.outcome == TF_PARTIAL)
			e->partial[i / 8] |= (uint8_t)(1 << i % 8);
		else
			e->lengths[i] = info.n_insns;
	}
	return true;
}

void vector_exits_free(struct vector_exits *e)
{
	free(e->lengths);
	free(e->partial);
}

static uint32_t take_executed(const struct vector_exits *e, struct span *s, uint32_t exit)
{
	struct tf_exit_info info;

	tf_exit(e->reader, exit, &info);
	return (uint32_t)take_varint_max(s, info.path->n_insns);
}

/*
 * Takes the counts of a vector, but of exits that are not partial not the instructions: looking
 * them up would hold up the decoding. Returns false if an exit does not exist.
 */
static bool decode_counts(const struct vector_exits *e, struct span *s,
			  struct tf_vector_count *counts, uint64_t n)
{
	uint32_t last = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct tf_vector_count *c = &counts[i];

		c->exit = last += (uint32_t)take_varint_max(s, UINT32_MAX - last);
		c->times = take_varint(s);
		c->executed = 0;
		if (c->exit >= e->n)
			return false;
		if (e->partial[c->exit / 8] >> c->exit % 8 & 1)
			c->executed = take_executed(e, s, c->exit);
	}
	return true;
}

/* Sets the instructions that are missing. Returns false if a count breaks the rules. */
static bool look_up_lengths(const struct vector_exits *e, struct tf_vector_count *counts,
			    uint64_t n)
{
	bool good = true;

	for (uint64_t i = 0; i < n; i++) {
		struct tf_vector_count *c = &counts[i];

		if (!c->executed)
			c->executed = e->lengths[c->exit];
		good &= c->executed && c->times;
	}
	return good;
}

/* Returns true if the counts are in order and add up to the vector's instructions. */
static bool agrees(const struct tf_vector *v, const struct tf_vector_count *counts)
{
	uint64_t sum = 0, product;

	for (size_t i = 0; i < v->n_counts; i++) {
		const struct tf_vector_count *c = &counts[i];

		if (i && c->exit == c[-1].exit && c->executed <= c[-1].executed)
			return false;
		if (__builtin_mul_overflow(c->times, (uint64_t)c->executed, &product) ||
		    __builtin_add_overflow(sum, product, &sum))
			return false;
	}
	return sum == v->instructions;
}

bool vector_head_take(struct span *s, struct tf_vector *v)
{
	enum { LEAST_BYTES = 2 }; /* of a count */

	*v = (struct tf_vector){ .interval = take_varint(s) };
	v->thread = (uint32_t)take_varint_max(s, UINT32_MAX);
	v->instructions = take_varint(s);
	v->n_counts = take_varint_max(s, span_left(s) / LEAST_BYTES);
	return !s->bad;
}

const char *vector_counts_take(const struct vector_exits *e, struct span s,
			       const struct tf_vector *v, struct tf_vector_count *counts)
{
	if (!decode_counts(e, &s, counts, v->n_counts) || !look_up_lengths(e, counts, v->n_counts))
		return vector_breaks_rules;
	return s.bad || !agrees(v, counts) ? "a vector's counts do not add up" : NULL;
}
