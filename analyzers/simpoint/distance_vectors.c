/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/distance_vectors.h"

#include <math.h>
#include <string.h>

#include "analyzers/locality/lru_stack.h"
#include "cli/common/checked.h"

enum { LINE = 64, NEAR_CLASSES = 11 };

struct thread_distances {
	struct lru_stack stack;
	uint64_t counts[DISTANCE_CLASSES];
};

struct distance_vectors {
	uint32_t n;
	struct thread_distances *threads;
	ARRAY(uint64_t) lines; /* of an execution */
	ARRAY(uint32_t) distances;
};

struct distance_vectors *distance_vectors_new(uint32_t n_threads)
{
	struct distance_vectors *v = checked_array(1, sizeof(*v));

	v->n = n_threads;
	v->threads = checked_array(n_threads, sizeof(*v->threads));
	for (uint32_t t = 0; t < n_threads; t++)
		lru_stack_init(&v->threads[t].stack);
	return v;
}

void distance_vectors_free(struct distance_vectors *v)
{
	if (!v)
		return;
	for (uint32_t t = 0; t < v->n; t++)
		lru_stack_free(&v->threads[t].stack);
	free(v->threads);
	free(v->lines.at);
	free(v->distances.at);
	free(v);
}

static void add_line(struct distance_vectors *v, uint64_t line)
{
	CHECKED_RESERVE(v->lines, v->lines.count + 1);
	v->lines.at[v->lines.count++] = line;
}

static unsigned class_of(uint32_t distance)
{
	if (distance == LRU_COLD)
		return DISTANCE_CLASSES - 1;
	return distance < 2 ? 0 : 31 - (unsigned)__builtin_clz(distance);
}

void distance_vectors_execute(struct distance_vectors *v, uint32_t thread,
			      const struct tf_block_exec *exec)
{
	struct thread_distances *own = &v->threads[thread];
	struct tf_block_accesses it;

	v->lines.count = 0;
	tf_block_accesses_begin(&it, exec);
	while (tf_block_accesses_next(&it)) {
		uint64_t first = it.address / LINE;
		uint64_t last = (it.address + (it.size ? it.size - 1 : 0)) / LINE;

		if (!(it.operand->access & (TF_LOAD | TF_STORE)))
			continue;
		add_line(v, first);
		while (first != last)
			add_line(v, ++first);
	}
	CHECKED_RESERVE(v->distances, v->lines.count);
	lru_stack_touch(&own->stack, v->lines.at, v->lines.count, v->distances.at, NULL);
	for (size_t i = 0; i < v->lines.count; i++)
		own->counts[class_of(v->distances.at[i])]++;
}

static double weight_of(unsigned class)
{
	return class < NEAR_CLASSES ? 0.1 : fmin(pow(2, class / 4.0), 200);
}

void distance_vectors_take(struct distance_vectors *v, double sum,
			   void (*use)(void *opaque, uint32_t thread, unsigned class, double value),
			   void *opaque)
{
	double all = 0;

	for (uint32_t t = 0; t < v->n; t++)
		for (unsigned i = 0; i < DISTANCE_CLASSES; i++)
			all += weight_of(i) * (double)v->threads[t].counts[i];
	if (!(all > 0))
		use(opaque, 0, DISTANCE_CLASSES, sum);
	for (uint32_t t = 0; t < v->n && all > 0; t++) {
		uint64_t *counts = v->threads[t].counts;

		for (unsigned i = 0; i < DISTANCE_CLASSES; i++)
			if (counts[i])
				use(opaque, t, i, sum * weight_of(i) * (double)counts[i] / all);
		memset(counts, 0, sizeof(v->threads[t].counts));
	}
}
