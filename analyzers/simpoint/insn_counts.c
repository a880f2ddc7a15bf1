/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/insn_counts.h"

#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

struct watched_insn {
	struct insn_key key;
	uint64_t count;
};

/* How often an execution of a path up to an exit executes an instruction. */
struct hit {
	uint32_t insn; /* number */
	uint32_t times;
};

/* The hits of an exit, which are known once it has been seen. */
struct exit_hits {
	bool known;
	uint32_t first, n;
};

struct insn_counts {
	const struct tf_reader *reader;
	HASH_TABLE(struct watched_insn) insns;
	struct exit_hits *exits; /* by id */
	ARRAY(struct hit) hits;
};

struct insn_counts *insn_counts_new(const struct tf_reader *reader)
{
	struct insn_counts *c = checked_array(1, sizeof(*c));

	c->reader = reader;
	c->exits = checked_array(tf_n_exits(reader), sizeof(*c->exits));
	return c;
}

void insn_counts_free(struct insn_counts *c)
{
	if (!c)
		return;
	TABLE_FREE(c->insns);
	free(c->exits);
	free(c->hits.at);
	free(c);
}

struct insn_key insn_key_of(const struct tf_block *block, unsigned insn)
{
	uint64_t begin = block->module == TF_NONE ? block->pc : block->module_offset;

	return (struct insn_key){ block->module, begin + block->insns[insn].offset };
}

uint32_t insn_counts_add(struct insn_counts *c, struct insn_key key)
{
	struct watched_insn *insn = checked(TABLE_PUT(c->insns, key));

	return (uint32_t)(insn - c->insns.at);
}

static void add_hit(struct insn_counts *c, struct exit_hits *exit, uint32_t insn)
{
	for (uint32_t i = 0; i < exit->n; i++)
		if (c->hits.at[exit->first + i].insn == insn) {
			c->hits.at[exit->first + i].times++;
			return;
		}
	CHECKED_RESERVE(c->hits, c->hits.count + 1);
	c->hits.at[c->hits.count++] = (struct hit){ insn, 1 };
	exit->n++;
}

/* Finds the hits in the first instructions of a path. */
static struct exit_hits find_hits(struct insn_counts *c, const struct tf_path *path,
				  uint32_t executed)
{
	struct exit_hits exit = { .known = true, .first = (uint32_t)c->hits.count };

	for (unsigned i = 0; i < path->n_blocks && executed; i++) {
		const struct tf_block *block = tf_block(c->reader, path->blocks[i]);
		uint32_t n = executed < block->n_insns ? executed : block->n_insns;

		for (unsigned k = 0; k < n; k++) {
			struct watched_insn *insn = TABLE_FIND(c->insns, insn_key_of(block, k));

			if (insn)
				add_hit(c, &exit, (uint32_t)(insn - c->insns.at));
		}
		executed -= n;
	}
	return exit;
}

static void add_hits(struct insn_counts *c, const struct exit_hits *exit, uint64_t times)
{
	for (uint32_t i = 0; i < exit->n; i++) {
		const struct hit *hit = &c->hits.at[exit->first + i];

		c->insns.at[hit->insn].count += hit->times * times;
	}
}

void insn_counts_take(struct insn_counts *c, const struct tf_vector *vector)
{
	for (size_t i = 0; i < vector->n_counts; i++) {
		const struct tf_vector_count *count = &vector->counts[i];
		struct exit_hits *known = &c->exits[count->exit], partial;
		struct tf_exit_info info;

		tf_exit(c->reader, count->exit, &info);
		if (info.n_insns) {
			if (!known->known)
				*known = find_hits(c, info.path, info.n_insns);
			add_hits(c, known, count->times);
			continue;
		}
		partial = find_hits(c, info.path, count->executed);
		add_hits(c, &partial, count->times);
		c->hits.count = partial.first;
	}
}

int insn_counts_take_all(struct insn_counts *counts, struct tf_reader *reader, unsigned jobs,
			 struct tf_error *error)
{
	struct tf_vectors *vectors = NULL;
	struct tf_vector vector;
	int status = tf_vectors_open(reader, &vectors, error);

	if (status == 0)
		tf_vectors_read_ahead(vectors, jobs - 1, true);
	while (status == 0 && (status = tf_vectors_next(vectors, &vector, error)) > 0) {
		insn_counts_take(counts, &vector);
		status = 0;
	}
	tf_vectors_close(vectors);
	return status;
}

uint64_t insn_counts_of(const struct insn_counts *c, uint32_t number)
{
	return c->insns.at[number].count;
}
