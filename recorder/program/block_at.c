/* SPDX-License-Identifier: MIT */
#include "recorder/program/block_at.h"

#include <string.h>

#include "recorder/core/marker_budgets.h"
#include "recorder/core/output.h"
#include "recorder/core/task.h"
#include "recorder/program/code_pages.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/exclusion.h"
#include "recorder/program/space.h"

struct code_source block_source(const struct task *t, uint64_t pc)
{
	const struct mapping *m = space_find(t->process->space, pc);
	struct code_source source = { .pc = pc,
				      .vendor = t->session->processor.vendor,
				      .facts = dictionary_facts(t->session->code.dictionary) };

	if (m && m->module) {
		source.module = m->module;
		source.module_offset = pc - m->bias;
	}
	return source;
}

/*
 * Finds the module whose code was moved to other memory at the same address, as for larger pages.
 * Returns how many bytes the file has in common with the memory.
 */
static size_t find_moved(const struct task *t, struct code_source *source)
{
	const struct mapping *m = space_find(t->process->space, source->pc);
	const struct former *f = m && !m->module ? space_former(t->process->space, source->pc)
						 : NULL;
	uint8_t bytes[CODE_BLOCK_BYTES];
	size_t n, same = 0;

	if (!f)
		return 0;
	n = source->available < sizeof(bytes) ? source->available : sizeof(bytes);
	n = module_read_code(f->module, source->pc - f->bias, bytes, n);
	while (same < n && bytes[same] == source->code[same])
		same++;
	if (same) {
		source->module = f->module;
		source->module_offset = source->pc - f->bias;
	}
	return same;
}

static void keep_bytes(const struct code_source *source, struct undecoded *undecoded)
{
	undecoded->count = source->available < sizeof(undecoded->bytes) ? source->available
									: sizeof(undecoded->bytes);
	memcpy(undecoded->bytes, source->code, undecoded->count);
}

/* Ends the block before its first watched instruction, unless the block begins with that. */
static enum code_status begin_at_marker(const struct task *t, const struct code_source *source,
					struct code_block **block)
{
	struct code_source before = *source;
	enum code_status status = CODE_BLOCK;
	unsigned insn = 0, marker = marker_budget_of(t->session, &(*block)->trace, &insn);

	if (marker && insn) {
		before.available = (*block)->trace.insns[insn].offset;
		status = code_block_build(&before, block);
	} else {
		(*block)->marker = (uint8_t)marker;
	}
	return status;
}

/* Builds a block, all of whose instructions are excluded or none. */
static enum code_status build(const struct task *t, const struct code_source *source,
			      struct code_block **block)
{
	struct code_source alike = *source;
	struct exclusion exclusion = exclusion_of(t, source, &alike.available);
	enum code_status status = code_block_build(&alike, block);

	/* an instruction may stand across the border */
	if (status == CODE_UNDECODABLE && alike.available < source->available)
		status = code_block_build(source, block);
	if (status == CODE_BLOCK && !exclusion.reason)
		status = begin_at_marker(t, &alike, block);
	if (status == CODE_BLOCK) {
		(*block)->excluded = (uint8_t)exclusion.reason;
		(*block)->rule = (uint8_t)exclusion.rule;
	}
	return status;
}

/*
 * Finds or adds the block of bytes that are also a module's, up to the first difference. *block is
 * NULL if not even the first instruction is the same.
 */
static int find_or_add_moved(const struct task *t, const struct code_source *source,
			     struct code_block **block)
{
	struct dictionary *d = t->session->code.dictionary;
	struct code_source moved = *source;

	*block = NULL;
	moved.available = find_moved(t, &moved);
	if (!moved.available)
		return 0;
	*block = dictionary_find(d, &moved);
	if (*block || build(t, &moved, block) == CODE_UNDECODABLE)
		return 0;
	return *block && dictionary_insert(d, *block) ? 0 : output_memory(t->session->output);
}

/* Finds or adds the block of the bytes at source->code. */
static int find_or_add(const struct task *t, const struct code_source *source,
		       struct code_block **block, struct undecoded *undecoded)
{
	struct dictionary *d = t->session->code.dictionary;

	if (find_or_add_moved(t, source, block) < 0)
		return -1;
	if (!*block)
		*block = dictionary_find(d, source);
	if (*block)
		return 0;
	switch (build(t, source, block)) {
	case CODE_BLOCK:
		if (dictionary_insert(d, *block))
			return 0;
		break;
	case CODE_UNDECODABLE:
		*block = NULL;
		if (undecoded)
			keep_bytes(source, undecoded);
		return 0;
	case CODE_MEMORY: break;
	}
	return output_memory(t->session->output);
}

int block_at(struct task *t, uint64_t pc, struct code_block **block, struct undecoded *undecoded)
{
	struct code_source source = block_source(t, pc);
	uint8_t code[CODE_BLOCK_BYTES];

	source.code = code;
	source.available = task_read_code(t, pc, code, sizeof(code));
	return find_or_add(t, &source, block, undecoded);
}

int block_at_kept(struct task *t, uint64_t pc, struct code_block **block)
{
	struct code_source source = block_source(t, pc);
	uint8_t code[CODE_BLOCK_BYTES];

	source.code = code_pages_at(t, pc, &source.available);
	if (!source.code || source.available < sizeof(code)) {
		source.code = code;
		source.available = code_pages_read(t, pc, code, sizeof(code));
	}
	return find_or_add(t, &source, block, NULL);
}
