/* SPDX-License-Identifier: MIT */
#include "analyzers/mix/mix.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/trace_meta.h"
#include "traceformat/common/array.h"

/* ---- static side ------------------------------------------------------------------------- */

struct extents {
	ARRAY(struct mix_extent);
};

static uint8_t class_of(const struct tf_block *block, const struct tf_insn *insn,
			enum isa_vendor vendor)
{
	struct isa_insn facts;

	if (insn->flags & TF_INSN_OPAQUE ||
	    isa_block_insn(block, (unsigned)(insn - block->insns), vendor, &facts))
		return ISA_CLASS_OPAQUE;
	return facts.insn_class;
}

static void read_classes(struct mix_code *code, enum isa_vendor vendor)
{
	for (uint32_t id = 0; id < code->n_blocks; id++) {
		const struct tf_block *block = tf_block(code->reader, id);
		uint8_t *classes = code->classes + code->first_insn[id];

		for (size_t i = 0; block && i < block->n_insns; i++)
			classes[i] = class_of(block, &block->insns[i], vendor);
	}
}

static bool add_extent(struct extents *extents, uint32_t insn, size_t operand)
{
	if (!RESERVE(*extents, extents->count + 1))
		return false;
	extents->at[extents->count++] = (struct mix_extent){ insn, operand };
	return true;
}

static bool add_path_extents(struct extents *extents, const struct mix_code *code,
			     const struct tf_path *path)
{
	uint32_t insn = 0;

	for (size_t i = 0; i < path->n_blocks; i++) {
		const struct tf_block *block = tf_block(code->reader, path->blocks[i]);

		for (size_t k = 0; k < block->n_operands; k++)
			if (block->operands[k].form != TF_PLAIN &&
			    !add_extent(extents, insn + block->operands[k].insn,
					code->first_operand[block->id] + k))
				return false;
		insn += block->n_insns;
	}
	return add_extent(extents, UINT32_MAX, 0);
}

/* Lists the operands of variable extent of all paths. */
static bool list_extents(struct mix_code *code)
{
	const struct tf_path *path = NULL;
	struct extents extents = { 0 };
	struct tf_exit_info exit;
	bool done = add_extent(&extents, UINT32_MAX, 0);
	size_t first = 0;

	for (uint32_t id = 0; id < code->n_exits && done; id++) {
		if (!tf_exit(code->reader, id, &exit))
			continue;
		if (exit.path != path) {
			path = exit.path;
			first = extents.count;
			done = add_path_extents(&extents, code, path);
			if (extents.count == first + 1) { /* none */
				extents.count = first;
				first = 0;
			}
		}
		code->first_extent[id] = first;
	}
	code->extents = extents.at;
	return done;
}

bool mix_code_init(struct mix_code *code, struct tf_reader *reader)
{
	size_t insns = 0, operands = 0;
	struct tf_exit_info exit;

	*code = (struct mix_code){
		.reader = reader,
		.n_blocks = tf_n_blocks(reader),
		.n_exits = tf_n_exits(reader),
	};
	code->first_insn = calloc(code->n_blocks + 1, sizeof(*code->first_insn));
	code->first_operand = calloc(code->n_blocks + 1, sizeof(*code->first_operand));
	code->partial_exit = calloc(code->n_exits + 1, sizeof(*code->partial_exit));
	code->first_extent = calloc(code->n_exits + 1, sizeof(*code->first_extent));
	if (!code->first_insn || !code->first_operand || !code->partial_exit || !code->first_extent)
		return false;
	for (uint32_t id = 0; id < code->n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		if (block) {
			insns += block->n_insns;
			operands += block->n_operands;
			code->variable |= block->n_values != block->n_operands;
		}
		code->first_insn[id + 1] = insns;
		code->first_operand[id + 1] = operands;
	}
	for (uint32_t id = 0; id < code->n_exits; id++)
		code->partial_exit[id] = tf_exit(reader, id, &exit) && exit.n_blocks == 0;
	code->classes = calloc(insns + 1, sizeof(*code->classes));
	if (!code->classes || !list_extents(code))
		return false;
	read_classes(code, recorded_vendor(reader));
	return true;
}

void mix_code_free(struct mix_code *code)
{
	free(code->first_insn);
	free(code->first_operand);
	free(code->partial_exit);
	free(code->first_extent);
	free(code->extents);
	free(code->classes);
}

/* ---- counting ---------------------------------------------------------------------------- */

bool mix_init(struct mix *mix, const struct mix_code *code)
{
	mix->code = code;
	mix->exits = calloc(code->n_exits + 1, sizeof(*mix->exits));
	mix->blocks = calloc(code->n_blocks + 1, sizeof(*mix->blocks));
	mix->cuts = calloc(code->first_insn[code->n_blocks] + 1, sizeof(*mix->cuts));
	mix->amounts = calloc(code->first_operand[code->n_blocks] + 1, sizeof(*mix->amounts));
	return mix->exits && mix->blocks && mix->cuts && mix->amounts;
}

void mix_free(struct mix *mix)
{
	free(mix->exits);
	free(mix->blocks);
	free(mix->cuts);
	free(mix->amounts);
}

struct mix_numbers mix_numbers(struct mix *mix)
{
	const struct mix_code *code = mix->code;
	size_t n_insns = code->first_insn[code->n_blocks];
	size_t n_operands = code->first_operand[code->n_blocks];

	return (struct mix_numbers){ { { mix->exits, code->n_exits },
				       { &mix->blocks[0].whole, 2 * code->n_blocks },
				       { mix->cuts, n_insns },
				       { mix->amounts, n_operands } } };
}

void mix_clear(struct mix *mix)
{
	struct mix_numbers n = mix_numbers(mix);

	for (unsigned i = 0; i < MIX_ARRAYS; i++)
		memset(n.arrays[i].at, 0, n.arrays[i].count * sizeof(uint64_t));
}

void mix_merge(struct mix *mix, const struct mix *other)
{
	struct mix_numbers sums = mix_numbers(mix), later = mix_numbers((struct mix *)other);

	for (unsigned i = 0; i < MIX_ARRAYS; i++)
		for (size_t k = 0; k < sums.arrays[i].count; k++)
			sums.arrays[i].at[k] += later.arrays[i].at[k];
}

/* Adds `count` executions of the first `instructions` of a path that was left by the exit. */
static void add_path(struct mix_block *blocks, uint64_t *cuts, const struct mix_code *code,
		     const struct tf_exit_info *exit, uint32_t instructions, uint64_t count)
{
	for (uint32_t i = 0; instructions; i++) {
		const struct tf_block *block = tf_block(code->reader, exit->path->blocks[i]);

		if (instructions < block->n_insns) {
			cuts[code->first_insn[block->id] + instructions - 1] += count;
			return;
		}
		instructions -= block->n_insns;
		blocks[block->id].whole += count;
		if (tf_block_outcome(exit, i, instructions) == TF_TAKEN)
			blocks[block->id].taken += count;
	}
}

static void add_exit(struct mix *mix, uint32_t id, uint32_t executed, uint64_t times)
{
	struct tf_exit_info exit;

	if (!mix->code->partial_exit[id]) {
		mix->exits[id] += times;
		return;
	}
	tf_exit(mix->code->reader, id, &exit);
	add_path(mix->blocks, mix->cuts, mix->code, &exit, executed, times);
}

/* Adds the extents of an execution's operands; returns those of the next one. */
static const uint64_t *add_extents(struct mix *mix, const struct tf_path_exec *path,
				   const uint64_t *values)
{
	const struct mix_code *code = mix->code;
	const struct mix_extent *extent = &code->extents[code->first_extent[path->exit]];

	for (; extent->insn < path->executed; extent++)
		mix->amounts[extent->operand] += *values++;
	return values;
}

void mix_paths(struct mix *mix, const struct tf_item *item)
{
	const uint64_t *values = item->values;

	for (size_t i = 0; i < item->count; i++)
		add_exit(mix, item->paths[i].exit, item->paths[i].executed, 1);
	for (size_t i = 0; mix->code->measured && i < item->count; i++)
		values = add_extents(mix, &item->paths[i], values);
}

void mix_vector(struct mix *mix, const struct tf_vector *vector)
{
	for (size_t i = 0; i < vector->n_counts; i++) {
		const struct tf_vector_count *count = &vector->counts[i];

		add_exit(mix, count->exit, count->executed, count->times);
	}
}

/* Adds the extents of the operands of an execution whose extent depends on registers. */
static void measure(struct mix *mix, const struct tf_block_exec *exec)
{
	const struct tf_block *block = exec->block;
	uint64_t *amounts = mix->amounts + mix->code->first_operand[block->id];

	for (size_t i = 0; i < block->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];

		if (operand->form == TF_PLAIN || operand->insn >= exec->executed)
			continue;
		amounts[i] += operand->form == TF_SIZED ? exec->values[operand->extra]
							: tf_access_count(operand, exec->values);
	}
}

void mix_blocks(struct mix *mix, const struct tf_block_exec *blocks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct tf_block *block = blocks[i].block;

		if (blocks[i].executed == block->n_insns) {
			mix->blocks[block->id].whole++;
			mix->blocks[block->id].taken += blocks[i].outcome == TF_TAKEN;
		} else {
			mix->cuts[mix->code->first_insn[block->id] + blocks[i].executed - 1]++;
		}
		if (block->n_values != block->n_operands && blocks[i].values)
			measure(mix, &blocks[i]);
	}
}

/* ---- summing up -------------------------------------------------------------------------- */

static void add_operand(struct mix_counts *counts, const struct tf_operand *operand,
			uint64_t accesses, uint64_t bytes)
{
	bool loads = operand->access & TF_LOAD, stores = operand->access & TF_STORE;

	counts->loads += loads ? accesses : 0;
	counts->stores += stores ? accesses : 0;
	counts->load_stores += loads && stores ? accesses : 0;
	counts->prefetches += operand->access & TF_PREFETCH ? accesses : 0;
	counts->bytes_loaded += loads ? bytes : 0;
	counts->bytes_stored += stores ? bytes : 0;
}

/* Adds the accesses of the operands of an instruction that was executed `executions` times. */
static void add_operands(struct mix_counts *counts, const struct mix *mix,
			 const struct tf_block *block, const struct tf_insn *insn,
			 uint64_t executions)
{
	const uint64_t *amounts = mix->amounts + mix->code->first_operand[block->id];

	for (size_t i = insn->first_operand; i < insn->first_operand + insn->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];

		if (operand->form == TF_PLAIN) {
			add_operand(counts, operand, executions, executions * operand->size);
		} else if (!mix->code->measured) {
			counts->unmeasured += executions;
		} else if (operand->form == TF_SIZED) {
			add_operand(counts, operand, executions, amounts[i]);
		} else {
			add_operand(counts, operand, amounts[i], amounts[i] * operand->size);
			if (operand->form == TF_REP && i == insn->first_operand)
				counts->repetitions += amounts[i];
		}
	}
}

static void add_end(struct mix_counts *counts, const struct tf_block *block,
		    const struct mix_block *executions)
{
	uint64_t whole = executions->whole;

	switch (block->end) {
	case TF_END_CONDITIONAL:
		counts->taken += executions->taken;
		counts->not_taken += whole - executions->taken;
		break;
	case TF_END_INDIRECT_JUMP:
		counts->indirect += whole;
		/* fall through */
	case TF_END_JUMP: counts->jumps += whole; break;
	case TF_END_INDIRECT_CALL:
		counts->indirect += whole;
		/* fall through */
	case TF_END_CALL: counts->calls += whole; break;
	case TF_END_RETURN: counts->returns += whole; break;
	case TF_END_SYSCALL: counts->syscalls += whole; break;
	}
}

/* Returns the counts of blocks, with the counts of exits added; NULL if memory is out. */
static struct mix_block *spread_exits(const struct mix *mix)
{
	const struct mix_code *code = mix->code;
	struct mix_block *blocks = calloc(code->n_blocks + 1, sizeof(*blocks));
	struct tf_exit_info exit;

	if (!blocks)
		return NULL;
	memcpy(blocks, mix->blocks, code->n_blocks * sizeof(*blocks));
	for (uint32_t id = 0; id < code->n_exits; id++)
		if (mix->exits[id] && tf_exit(code->reader, id, &exit))
			add_path(blocks, NULL, code, &exit, exit.n_insns, mix->exits[id]);
	return blocks;
}

bool mix_sum(const struct mix *mix,
	     struct mix_counts *(*row_of)(void *opaque, const struct tf_block *block,
					  const struct tf_insn *insn),
	     void *opaque)
{
	const struct mix_code *code = mix->code;
	struct mix_block *blocks = spread_exits(mix);

	if (!blocks)
		return false;
	for (uint32_t id = 0; id < code->n_blocks; id++) {
		const struct tf_block *block = tf_block(code->reader, id);
		const uint64_t *cuts = mix->cuts + code->first_insn[id];
		const uint8_t *classes = code->classes + code->first_insn[id];
		uint64_t executions = blocks[id].whole;

		for (size_t i = block ? block->n_insns : 0; i-- > 0;) {
			const struct tf_insn *insn = &block->insns[i];

			executions += cuts[i];
			if (!executions)
				continue;
			struct mix_counts *counts = row_of(opaque, block, insn);

			counts->instructions += executions;
			counts->classes[classes[i]] += executions;
			counts->opaque += insn->flags & TF_INSN_OPAQUE ? executions : 0;
			add_operands(counts, mix, block, insn, executions);
			if (i + 1u == block->n_insns)
				add_end(counts, block, &blocks[id]);
		}
	}
	free(blocks);
	return true;
}
