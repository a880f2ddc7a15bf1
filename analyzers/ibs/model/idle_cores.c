/* SPDX-License-Identifier: MIT */
/*
 * A packed core has the bytes of its struct and of its arrays in chunks of 64 bytes. For each 8
 * chunks there is a byte of flags, followed by the chunks whose flags are set. A chunk whose flag
 * is clear equals the chunk before it or, at the beginning of an array, is zero. The struct keeps
 * its address, because its parts point to each other, and only returns its pages to the system. The
 * arrays are freed.
 */
#include "analyzers/ibs/model/idle_cores.h"

#include <sys/mman.h>

#include "cli/common/checked.h"

enum { CHUNK = 64, FLAGS = 8, MOST_ARRAYS = 32 };

static const uint8_t zeros[CHUNK];

/* ---- the arrays of a core ---------------------------------------------------------------- */

struct array {
	void **at; /* where the only pointer to the array is */
	size_t size;
};

struct arrays {
	struct array at[MOST_ARRAYS];
	unsigned n;
};

#define ADD(arrays, pointer, count)                                         \
	((arrays)->at[(arrays)->n++] = (struct array){ (void **)&(pointer), \
						       (count) * sizeof(*(pointer)) })

static void add_cache(struct arrays *a, struct set_cache *cache)
{
	ADD(a, cache->lines, (size_t)cache->sets * cache->ways);
}

static void add_predictor(struct arrays *a, struct predictor *p)
{
	ADD(a, p->counters, (size_t)1 << p->machine->counter_bits);
	ADD(a, p->targets, p->machine->target_entries);
	ADD(a, p->returns, p->machine->return_stack);
	ADD(a, p->tage.counters, (size_t)1 << p->tage.counter_bits);
	for (unsigned i = 0; i < TAGE_TABLES; i++)
		ADD(a, p->tage.tables[i], (size_t)1 << p->tage.tagged_bits);
}

static void add_pipeline(struct arrays *a, struct pipeline *p)
{
	struct translation *t = &p->memory.translation;

	add_cache(a, &p->frontend.l1i);
	add_cache(a, &p->frontend.op_cache);
	add_cache(a, &p->frontend.btb);
	add_cache(a, &p->memory.l1d);
	add_cache(a, &p->memory.lower.l2);
	add_cache(a, &t->l2_tlb);
	add_cache(a, &t->l2_itlb);
	ADD(a, t->itlb.entries, t->itlb.size);
	ADD(a, t->dtlb.entries, t->dtlb.size);
	ADD(a, t->directories.entries, t->directories.size);
	ADD(a, p->order.rob.free_at, p->order.rob.size);
	ADD(a, p->loads.free_at, p->loads.size);
	ADD(a, p->stores.free_at, p->stores.size);
}

static struct arrays arrays_of(struct idle_core *core)
{
	struct arrays a = { .n = 0 };

	if (core->half == IDLE_FRONT)
		add_predictor(&a, &core->front->program.predictor);
	else
		add_pipeline(&a, &core->core->pipeline);
	return a;
}

static size_t state_size(enum idle_half half)
{
	return half == IDLE_FRONT ? sizeof(struct ibs_front) : sizeof(struct ibs_core);
}

/* ---- packing ----------------------------------------------------------------------------- */

static size_t chunk_size(size_t at, size_t size)
{
	return size - at < CHUNK ? size - at : CHUNK;
}

static void put_chunks(struct buffer *b, const uint8_t *bytes, size_t size)
{
	const uint8_t *before = zeros;
	size_t flags = 0;

	for (size_t at = 0; at < size; at += CHUNK) {
		unsigned bit = at / CHUNK % FLAGS;

		if (bit == 0) {
			flags = b->size;
			put_u8(b, 0);
		}
		if (memcmp(&bytes[at], before, chunk_size(at, size))) {
			put_bytes(b, &bytes[at], chunk_size(at, size));
			if (!b->failed)
				b->data[flags] |= 1u << bit;
		}
		before = &bytes[at];
	}
}

/*
 * Restores memory that is 0 now; pages that stay 0 are not touched. Returns the end of the packed
 * bytes.
 */
static const uint8_t *take_chunks(const uint8_t *packed, uint8_t *bytes, size_t size)
{
	const uint8_t *before = zeros;
	uint8_t flags = 0;
	bool empty = true;

	for (size_t at = 0; at < size; at += CHUNK) {
		size_t n = chunk_size(at, size);
		unsigned bit = at / CHUNK % FLAGS;

		if (bit == 0)
			flags = *packed++;
		if (flags >> bit & 1) {
			memcpy(&bytes[at], packed, n);
			packed += n;
			empty = !memcmp(&bytes[at], zeros, n);
		} else if (!empty) {
			memcpy(&bytes[at], before, n);
		}
		before = &bytes[at];
	}
	return packed;
}

static void pack(struct buffer *b, struct idle_core *core)
{
	struct arrays arrays = arrays_of(core);

	b->size = 0;
	put_chunks(b, core->state, state_size(core->half));
	for (unsigned i = 0; i < arrays.n; i++) {
		put_chunks(b, *arrays.at[i].at, arrays.at[i].size);
		free(*arrays.at[i].at);
	}
	if (b->failed)
		out_of_memory();
	core->packed = memcpy(checked(malloc(b->size)), b->data, b->size);
	madvise(core->state, state_size(core->half), MADV_DONTNEED);
}

static void unpack(struct idle_core *core)
{
	const uint8_t *packed = take_chunks(core->packed, core->state, state_size(core->half));
	struct arrays arrays = arrays_of(core);

	for (unsigned i = 0; i < arrays.n; i++) {
		*arrays.at[i].at = checked_array(arrays.at[i].size, 1);
		packed = take_chunks(packed, *arrays.at[i].at, arrays.at[i].size);
	}
	free(core->packed);
	core->packed = NULL;
}

/* ---- cores ------------------------------------------------------------------------------- */

void idle_core_new(struct idle_core *core, enum idle_half half)
{
	void *memory = mmap(NULL, state_size(half), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		out_of_memory();
	*core = (struct idle_core){ .state = memory, .half = half };
}

void idle_cores_wake(struct idle_cores *cores, struct idle_core *core)
{
	struct idle_core **place = &cores->awake[cores->oldest];

	if (core->is_awake)
		return;
	if (cores->n < MOST_AWAKE_CORES) {
		place = &cores->awake[cores->n++];
	} else {
		pack(&cores->buffer, *place);
		(*place)->is_awake = false;
		cores->oldest = (cores->oldest + 1) % MOST_AWAKE_CORES;
	}
	*place = core;
	core->is_awake = true;
	if (core->packed)
		unpack(core);
}

void idle_core_free(struct idle_core *core)
{
	if (core->packed)
		free(core->packed);
	else if (core->half == IDLE_FRONT)
		ibs_front_free(core->front);
	else
		ibs_core_free(core->core);
	munmap(core->state, state_size(core->half));
}

void idle_cores_free(struct idle_cores *cores)
{
	buffer_free(&cores->buffer);
}
