/* SPDX-License-Identifier: MIT */
#include "recorder/core/vector_summary.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "traceformat/common/array.h"
#include "traceformat/common/bytes.h"

/* A hash of 128 bits; sums are those of each half, modulo 2^64. */
struct sum {
	uint64_t low, high;
};

struct block {
	struct sum hash;   /* of its begin, less that of its end */
	uint64_t identity; /* decides its part in the sketch */
	uint64_t module;   /* hash */
	uint64_t start;    /* offset in the module, or pc */
	uint32_t offsets;  /* of its instructions, in `offsets` */
	uint16_t n_insns;
	bool excluded;
	uint8_t rule;          /* by which it is excluded */
	uint64_t instructions; /* executed in this interval by all threads */
	uint64_t executions;   /* so far */
	uint64_t previewed;    /* executions of this interval */
};

struct path {
	uint32_t blocks; /* the first, in path_blocks */
	uint32_t n_blocks;
};

struct vector_summary {
	pthread_mutex_t lock;    /* the dictionary */
	ARRAY(uint64_t) modules; /* hashes */
	ARRAY(struct block) blocks;
	ARRAY(uint16_t) offsets;
	ARRAY(uint32_t) path_blocks;
	ARRAY(struct path) paths;
	ARRAY(uint32_t) exits; /* their paths */

	ARRAY(uint32_t) touched;            /* blocks executed in this interval */
	ARRAY(struct tf_excluded) excluded; /* new in this interval */
	ARRAY(struct tf_excluded) reported; /* by the last call */
	uint64_t filtered;                  /* instructions so far */
	uint64_t by_rule[VECTOR_RULES];     /* excluded instructions so far */
	uint32_t thread;                    /* of the executions that are being added */
	struct sum sum;                     /* of its hashes */
	XXH3_state_t *hash;                 /* of this interval */
	uint8_t last_hash[TF_INTERVAL_HASH];
};

enum { NO_MODULE = 0 };

static void begin_hash(struct vector_summary *v)
{
	v->thread = TF_NONE;
	v->sum = (struct sum){ 0 };
	XXH3_128bits_reset(v->hash);
	XXH3_128bits_update(v->hash, v->last_hash, sizeof(v->last_hash));
}

struct vector_summary *vector_summary_new(void)
{
	struct vector_summary *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	pthread_mutex_init(&v->lock, NULL);
	v->hash = XXH3_createState();
	if (!v->hash) {
		vector_summary_free(v);
		return NULL;
	}
	begin_hash(v);
	return v;
}

void vector_summary_free(struct vector_summary *v)
{
	if (!v)
		return;
	free(v->modules.at);
	free(v->blocks.at);
	free(v->offsets.at);
	free(v->path_blocks.at);
	free(v->paths.at);
	free(v->exits.at);
	free(v->touched.at);
	free(v->excluded.at);
	free(v->reported.at);
	XXH3_freeState(v->hash);
	free(v);
}

/* ---- the dictionary ---- */

/* Identifies a module by its build-id, or else by its file's name. */
static uint64_t module_hash(const struct tf_module *m)
{
	const char *slash = strrchr(m->path, '/'), *name = slash ? slash + 1 : m->path;

	return m->build_id_size ? XXH3_64bits(m->build_id, m->build_id_size)
				: XXH3_64bits(name, strlen(name));
}

bool vector_summary_add_module(struct vector_summary *v, const struct tf_module *m)
{
	bool added;

	pthread_mutex_lock(&v->lock);
	added = RESERVE(v->modules, v->modules.count + 1);
	if (added)
		v->modules.at[v->modules.count++] = module_hash(m);
	pthread_mutex_unlock(&v->lock);
	return added;
}

/* Returns the hash of a place. */
static struct sum place_hash(uint64_t module, uint64_t offset)
{
	uint8_t bytes[16];
	XXH128_hash_t hash;

	put_le64(bytes, module);
	put_le64(bytes + 8, offset);
	hash = XXH3_128bits(bytes, sizeof(bytes));
	return (struct sum){ hash.low64, hash.high64 };
}

/* Returns the hash of a straight run of instructions: runs that adjoin add up to a longer one. */
static struct sum run_hash(uint64_t module, uint64_t start, uint64_t end)
{
	struct sum a = place_hash(module, start), b = place_hash(module, end);

	return (struct sum){ a.low - b.low, a.high - b.high };
}

static uint64_t block_identity(const struct block *b, const struct tf_block *block)
{
	uint8_t bytes[32];

	put_le64(bytes, b->module);
	put_le64(bytes + 8, b->start);
	put_le64(bytes + 16, block->code_size);
	put_le64(bytes + 24, XXH3_64bits(block->code, block->code_size));
	return XXH3_64bits(bytes, sizeof(bytes));
}

static bool add_block(struct vector_summary *v, const struct tf_block *block, uint32_t id)
{
	struct block *b;

	if (!RESERVE(v->blocks, id + 1u) || !RESERVE(v->touched, id + 1u) ||
	    !RESERVE(v->offsets, v->offsets.count + block->n_insns))
		return false;
	if (v->blocks.count <= id)
		v->blocks.count = id + 1u;
	b = &v->blocks.at[id];
	b->module = block->module < v->modules.count ? v->modules.at[block->module] : NO_MODULE;
	b->start = block->module == TF_NONE ? block->pc : block->module_offset;
	b->hash = run_hash(b->module, b->start, b->start + block->code_size);
	b->identity = block_identity(b, block);
	b->n_insns = block->n_insns;
	b->offsets = (uint32_t)v->offsets.count;
	for (unsigned i = 0; i < block->n_insns; i++)
		v->offsets.at[v->offsets.count++] = block->insns[i].offset;
	return true;
}

bool vector_summary_add_block(struct vector_summary *v, const struct tf_block *block, uint32_t id)
{
	bool added;

	pthread_mutex_lock(&v->lock);
	added = add_block(v, block, id);
	pthread_mutex_unlock(&v->lock);
	return added;
}

static bool add_path(struct vector_summary *v, const struct tf_path *path, uint32_t first_exit)
{
	size_t n_exits = first_exit + path->n_exits + 1u;

	if (!RESERVE(v->paths, v->paths.count + 1) || !RESERVE(v->exits, n_exits) ||
	    !RESERVE(v->path_blocks, v->path_blocks.count + path->n_blocks))
		return false;
	v->paths.at[v->paths.count] = (struct path){ (uint32_t)v->path_blocks.count,
						     path->n_blocks };
	for (unsigned i = 0; i < path->n_blocks; i++)
		v->path_blocks.at[v->path_blocks.count++] = path->blocks[i];
	if (v->exits.count < n_exits)
		v->exits.count = n_exits;
	for (size_t i = first_exit; i < n_exits; i++)
		v->exits.at[i] = (uint32_t)v->paths.count;
	v->paths.count++;
	return true;
}

bool vector_summary_add_path(struct vector_summary *v, const struct tf_path *path,
			     uint32_t first_exit)
{
	bool added;

	pthread_mutex_lock(&v->lock);
	added = add_path(v, path, first_exit);
	pthread_mutex_unlock(&v->lock);
	return added;
}

bool vector_summary_exclude(struct vector_summary *v, const struct tf_excluded *excluded,
			    unsigned rule)
{
	bool added;

	pthread_mutex_lock(&v->lock);
	added = RESERVE(v->excluded, v->excluded.count + 1) &&
		RESERVE(v->reported, v->excluded.count + 1);
	if (added) {
		v->blocks.at[excluded->block].excluded = true;
		v->blocks.at[excluded->block].rule = (uint8_t)rule;
		v->excluded.at[v->excluded.count++] = *excluded;
	}
	pthread_mutex_unlock(&v->lock);
	return added;
}

uint64_t vector_summary_filtered(const struct vector_summary *v)
{
	return v->filtered;
}

uint64_t vector_summary_excluded(const struct vector_summary *v, unsigned rule)
{
	return v->by_rule[rule];
}

/* ---- executions ---- */

/* Ends the executions of a thread. */
static void end_thread(struct vector_summary *v)
{
	uint8_t bytes[24];

	if (!v->sum.low && !v->sum.high)
		return;
	put_le64(bytes, v->thread);
	put_le64(bytes + 8, v->sum.low);
	put_le64(bytes + 16, v->sum.high);
	XXH3_128bits_update(v->hash, bytes, sizeof(bytes));
	v->sum = (struct sum){ 0 };
}

/* Returns the hash of the first instructions of a block, fewer than all. */
static struct sum beginning_hash(const struct vector_summary *v, const struct block *b,
				 uint32_t n_insns)
{
	return run_hash(b->module, b->start, b->start + v->offsets.at[b->offsets + n_insns]);
}

static void add_execution(struct vector_summary *v, uint32_t id, uint32_t executed, uint64_t times)
{
	struct block *b = &v->blocks.at[id];
	struct sum hash;

	if (b->excluded) {
		v->by_rule[b->rule] += executed * times;
		return;
	}
	hash = executed == b->n_insns ? b->hash : beginning_hash(v, b, executed);
	v->sum.low += hash.low * times;
	v->sum.high += hash.high * times;
	if (!b->instructions)
		v->touched.at[v->touched.count++] = id;
	b->instructions += executed * times;
	b->executions += times;
	v->filtered += executed * times;
}

void vector_summary_preview(struct vector_summary *v, const struct tf_vector_count *c)
{
	uint32_t left = c->executed;
	const struct path *path;

	pthread_mutex_lock(&v->lock);
	path = &v->paths.at[v->exits.at[c->exit]];
	for (uint32_t i = 0; left && i < path->n_blocks; i++) {
		struct block *b = &v->blocks.at[v->path_blocks.at[path->blocks + i]];

		b->previewed += c->times;
		left -= b->n_insns < left ? b->n_insns : left;
	}
	pthread_mutex_unlock(&v->lock);
}

uint64_t vector_summary_executions(const struct vector_summary *v, uint32_t block)
{
	const struct block *b = &v->blocks.at[block];

	return b->excluded ? 0 : b->executions + b->previewed;
}

uint64_t vector_summary_previewed(const struct vector_summary *v, uint32_t block)
{
	const struct block *b = &v->blocks.at[block];

	return b->excluded ? 0 : b->previewed;
}

void vector_summary_forget(struct vector_summary *v)
{
	for (size_t i = 0; i < v->blocks.count; i++)
		v->blocks.at[i].previewed = 0;
}

void vector_summary_add(struct vector_summary *v, uint32_t thread, const struct tf_vector_count *c)
{
	uint32_t left = c->executed, n;
	const struct path *path;

	if (thread != v->thread)
		end_thread(v);
	v->thread = thread;
	pthread_mutex_lock(&v->lock);
	path = &v->paths.at[v->exits.at[c->exit]];
	for (uint32_t i = 0; left && i < path->n_blocks; i++, left -= n) {
		uint32_t id = v->path_blocks.at[path->blocks + i];

		n = v->blocks.at[id].n_insns;
		if (n > left)
			n = left;
		add_execution(v, id, n, c->times);
	}
	pthread_mutex_unlock(&v->lock);
}

enum { NIBBLES = VECTOR_SKETCH / 4, NIBBLE = 1 << 4 };

/* Adds the block's instructions to those of blocks with the same four bits of the identity, for
 * each four bits: a quarter of the additions to the sketch's numbers. */
static void project(uint64_t sums[NIBBLES][NIBBLE], uint64_t identity, uint64_t instructions)
{
	for (unsigned i = 0; i < NIBBLES; i++)
		sums[i][identity >> 4 * i & (NIBBLE - 1)] += instructions;
}

/* Returns number i of the sketch: each sum with the sign that bit i of the identities decides. */
static float projection(uint64_t sums[NIBBLES][NIBBLE], unsigned i)
{
	const uint64_t *sum = sums[i / 4];
	double total = 0;

	for (unsigned k = 0; k < NIBBLE; k++)
		total += k >> i % 4 & 1 ? (double)sum[k] : -(double)sum[k];
	return (float)(total / sqrt(VECTOR_SKETCH));
}

static void make_sketch(const struct vector_summary *v, float *sketch)
{
	uint64_t sums[NIBBLES][NIBBLE] = { 0 };

	for (size_t i = 0; i < v->touched.count; i++) {
		const struct block *b = &v->blocks.at[v->touched.at[i]];

		project(sums, b->identity, b->instructions);
	}
	for (unsigned i = 0; i < VECTOR_SKETCH; i++)
		sketch[i] = projection(sums, i);
}

static void forget_instructions(struct vector_summary *v)
{
	for (size_t i = 0; i < v->touched.count; i++)
		v->blocks.at[v->touched.at[i]].instructions = 0;
	v->touched.count = 0;
}

static void end_hash(struct vector_summary *v, struct tf_interval *interval)
{
	XXH128_canonical_t canonical;
	uint8_t number[8];

	end_thread(v);
	put_le64(number, interval->number);
	XXH3_128bits_update(v->hash, number, sizeof(number));
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(v->hash));
	memcpy(v->last_hash, canonical.digest, sizeof(v->last_hash));
	memcpy(interval->hash, v->last_hash, sizeof(v->last_hash));
	begin_hash(v);
}

void vector_summary_begin(struct vector_summary *v, const uint8_t hash[16])
{
	memcpy(v->last_hash, hash, sizeof(v->last_hash));
	begin_hash(v);
}

static int compare_excluded(const void *a, const void *b)
{
	const struct tf_excluded *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

/* Reports the exclusions since the last call. */
static void end_excluded(struct vector_summary *v, struct tf_interval *interval)
{
	size_t n = v->excluded.count;

	if (n) {
		memcpy(v->reported.at, v->excluded.at, n * sizeof(*v->excluded.at));
		qsort(v->reported.at, n, sizeof(*v->reported.at), compare_excluded);
	}
	v->excluded.count = 0;
	interval->excluded = v->reported.at;
	interval->n_excluded = n;
}

void vector_summary_end(struct vector_summary *v, struct tf_interval *interval,
			float sketch[VECTOR_SKETCH])
{
	pthread_mutex_lock(&v->lock);
	interval->filtered = v->filtered;
	end_hash(v, interval);
	if (sketch)
		make_sketch(v, sketch);
	forget_instructions(v);
	end_excluded(v, interval);
	pthread_mutex_unlock(&v->lock);
}
