/* SPDX-License-Identifier: MIT */
#include "cli/filter/caches.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/quantity.h"

enum { MOST_LINES = 1 << 24, MOST_SHIFT = 16 };

/* The lines of a thread's cache: each set's ways, the one that was used last first. */
struct caches {
	struct cache_shape shape;
	uint32_t thread; /* whose cache it is */
	uint64_t *lines; /* 1 + the number of the line; 0: none */
	uint64_t touches, misses;
};

/* Parses the next of the numbers between slashes. */
static bool next_size(const char **text, uint64_t *value)
{
	size_t length = strcspn(*text, "/");
	char *word = text_format("%.*s", (int)length, *text);
	bool good = parse_size(word, value);

	free(word);
	*text += length + ((*text)[length] == '/');
	return good;
}

const char *cache_shape_parse(const char *text, struct cache_shape *shape)
{
	uint64_t size, line;

	if (!next_size(&text, &size) || !next_size(&text, &shape->ways) ||
	    !next_size(&text, &line) || *text)
		return "SIZE/WAYS/LINE is expected, such as 32Ki/8/64";
	if (!line || line & (line - 1) || line > 1u << MOST_SHIFT)
		return "a line has 1 to 65536 bytes, a power of two";
	shape->shift = (unsigned)__builtin_ctzll(line);
	if (!shape->ways || shape->ways > MOST_LINES || size % (shape->ways * line) || !size)
		return "the size is not a multiple of the ways times the line";
	shape->sets = size / (shape->ways * line);
	if (shape->sets & (shape->sets - 1))
		return "the number of sets, SIZE / (WAYS * LINE), is not a power of two";
	if (shape->sets * shape->ways > MOST_LINES || shape->sets * shape->ways < 2)
		return "a cache has 2 to 16,777,216 lines";
	return NULL;
}

struct caches *caches_new(const struct cache_shape *shape)
{
	struct caches *c = checked(calloc(1, sizeof(*c)));

	c->shape = *shape;
	c->thread = TF_NONE;
	c->lines = checked_array(shape->sets * shape->ways, sizeof(*c->lines));
	return c;
}

void caches_free(struct caches *c)
{
	if (c)
		free(c->lines);
	free(c);
}

/* Touches a line. Returns true if it misses. */
static bool touch(struct caches *c, uint64_t line)
{
	uint64_t *set = &c->lines[(line & (c->shape.sets - 1)) * c->shape.ways];
	uint64_t way = 0, last = c->shape.ways - 1;
	bool miss;

	while (way < last && set[way] != line + 1)
		way++;
	miss = set[way] != line + 1;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = line + 1;
	c->touches++;
	c->misses += miss;
	return miss;
}

/* Touches the lines of an access. Returns true if one of them misses. */
static bool access_memory(struct caches *c, uint64_t address, uint32_t size)
{
	uint64_t first = address >> c->shape.shift;
	uint64_t more = ((address & ((UINT64_C(1) << c->shape.shift) - 1)) + (size ? size : 1) -
			 1) >>
			c->shape.shift;
	bool miss = false;

	for (uint64_t i = 0; i <= more; i++)
		miss |= touch(c, (first + i) & UINT64_MAX >> c->shape.shift);
	return miss;
}

static bool is_plain(const struct tf_block *b, const struct tf_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (b->operands[insn->first_operand + i].form != TF_PLAIN)
			return false;
	return true;
}

static void execute_plain(struct caches *c, const struct tf_block_exec *exec,
			  const struct tf_insn *insn, unsigned kind, uint64_t *keep)
{
	for (unsigned i = 0; i < insn->n_operands; i++) {
		unsigned k = insn->first_operand + i;
		const struct tf_operand *o = &exec->block->operands[k];

		if (o->access & kind)
			keep[k] |= access_memory(c, exec->values[k], o->size);
	}
}

/* Makes the current access of an operand: the read, then the write. */
static bool execute_one(struct caches *c, const struct tf_operand *o, const struct tf_accesses *it)
{
	bool miss = false;

	if (o->access & TF_LOAD)
		miss |= access_memory(c, it->address, it->size);
	if (o->access & TF_STORE)
		miss |= access_memory(c, it->address, it->size);
	return miss;
}

static unsigned next_lane(uint64_t *mask)
{
	unsigned lane = *mask ? (unsigned)__builtin_ctzll(*mask) : 0;

	*mask &= *mask - 1;
	return lane;
}

static void execute_odd(struct caches *c, const struct tf_block_exec *exec,
			const struct tf_insn *insn, uint64_t *keep)
{
	struct tf_accesses its[UINT8_MAX];
	uint64_t masks[UINT8_MAX];
	bool more = insn->n_operands;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		const struct tf_operand *o = &exec->block->operands[insn->first_operand + i];
		bool has_lanes = o->form == TF_MASKED || o->form == TF_LANES;

		tf_accesses_begin(&its[i], o, exec->block, exec->values);
		masks[i] = has_lanes ? exec->values[o->extra] & UINT64_MAX >> (64 - o->lanes) : 0;
	}
	while (more) {
		more = false;
		for (unsigned i = 0; i < insn->n_operands; i++) {
			unsigned k = insn->first_operand + i;

			if (!tf_accesses_next(&its[i]))
				continue;
			more = true;
			keep[k] |= (uint64_t)execute_one(c, &exec->block->operands[k], &its[i])
				   << next_lane(&masks[i]);
		}
	}
}

void caches_execute(struct caches *c, uint32_t thread, const struct tf_block_exec *exec,
		    uint64_t *keep)
{
	if (thread != c->thread)
		memset(c->lines, 0, c->shape.sets * c->shape.ways * sizeof(*c->lines));
	c->thread = thread;
	for (unsigned i = 0; i < exec->executed; i++) {
		const struct tf_insn *insn = &exec->block->insns[i];

		if (!is_plain(exec->block, insn)) {
			execute_odd(c, exec, insn, keep);
			continue;
		}
		execute_plain(c, exec, insn, TF_LOAD, keep);
		execute_plain(c, exec, insn, TF_STORE, keep);
	}
}

uint64_t caches_touches(const struct caches *c)
{
	return c->touches;
}

uint64_t caches_misses(const struct caches *c)
{
	return c->misses;
}
