/* SPDX-License-Identifier: MIT */
#include "recorder/program/spin_loop.h"

#include <string.h>

#include "recorder/program/code_pages.h"

enum {
	MOST_INSNS = 32,
	MOST_BLOCKS = 4,
	REACH = MOST_INSNS * TF_MAX_INSN_BYTES, /* bytes of a loop */
	CALL_BYTES = 5,
};

/* The code around an address. */
struct around {
	const struct code_source *source;
	bool may_store;
	uint64_t start; /* address of the first byte */
	size_t size;
	uint8_t code[2 * REACH + CODE_BLOCK_BYTES];
};

/* A stretch of code that ends with a jump back to its begin. */
struct loop {
	uint64_t start, end;
};

static bool is_waiting(const uint8_t *code, unsigned length)
{
	static const uint8_t others[][3] = { { 0x0f, 0x01, 0xc8 }, /* monitor */
					     { 0x0f, 0x01, 0xc9 }, /* mwait */
					     { 0x0f, 0x01, 0xfa }, /* monitorx */
					     { 0x0f, 0x01, 0xfb } /* mwaitx */ };
	/* pause; tpause and umwait have the same opcode and other prefixes */
	if (length == 2 && code[0] == 0xf3 && code[1] == 0x90)
		return true;
	if (length >= 4 && (code[0] == 0x66 || code[0] == 0xf2) && code[length - 3] == 0x0f &&
	    code[length - 2] == 0xae && code[length - 1] >= 0xf0)
		return true;
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (length == 3 && memcmp(code, others[i], 3) == 0)
			return true;
	return false;
}

/* Returns true if the address is that of sched_yield or of its PLT entry. */
static bool yields(const struct code_source *source, uint64_t target)
{
	const struct module *m = source->module;
	uint64_t offset = target - source->pc + source->module_offset;

	for (size_t i = 0; m && i < m->n_excluded; i++)
		if (m->excluded[i].kind == EXCLUDED_YIELD && m->excluded[i].start <= offset &&
		    offset < m->excluded[i].end)
			return true;
	return false;
}

static bool has_yields(const struct module *m)
{
	for (size_t i = 0; m && i < m->n_excluded; i++)
		if (m->excluded[i].kind == EXCLUDED_YIELD)
			return true;
	return false;
}

/* Reads the code from REACH bytes before the source on, or from its page on. */
static void read_around(const struct task *t, struct around *a)
{
	enum { PAGE = 4096 };
	uint64_t pc = a->source->pc;

	a->start = pc - REACH;
	a->size = code_pages_read(t, a->start, a->code, sizeof(a->code));
	if (a->size > REACH)
		return;
	a->start = pc - pc % PAGE > a->start ? pc - pc % PAGE : pc;
	a->size = code_pages_read(t, a->start, a->code, sizeof(a->code));
}

/* Returns true if there may be a loop that waits: few programs have such bytes. */
static bool may_wait(const struct around *a)
{
	static const uint8_t bytes[][2] = { { 0xf3, 0x90 }, { 0x0f, 0xae }, { 0x0f, 0x01 } };

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
		if (memmem(a->code, a->size, bytes[i], sizeof(bytes[i])))
			return true;
	for (size_t i = 0; has_yields(a->source->module) && i + CALL_BYTES <= a->size; i++) {
		int32_t distance;

		if (a->code[i] != 0xe8)
			continue;
		memcpy(&distance, &a->code[i + 1], sizeof(distance));
		if (yields(a->source, a->start + i + CALL_BYTES + (uint64_t)(int64_t)distance))
			return true;
	}
	return false;
}

/* Decodes the instruction at an address. Returns NULL if there is none. */
static const struct isa_insn *insn_at(const struct around *a, uint64_t pc)
{
	const struct isa_effects *effects;
	const struct isa_insn *insn;
	uint64_t offset = pc - a->start;

	if (offset >= a->size ||
	    facts_glance(a->source->facts, a->code + offset, a->size - offset, pc,
			 a->source->vendor, &insn, &effects) != FACTS_FOUND ||
	    !effects)
		return NULL;
	return insn;
}

static bool stores(const struct isa_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (insn->operands[i].trace.access & TF_STORE &&
		    insn->operands[i].address.base != ISA_RSP &&
		    insn->operands[i].address.base != ISA_RBP)
			return true;
	return false;
}

static bool jumps_directly(const struct isa_insn *insn)
{
	return insn->end == TF_END_CONDITIONAL || insn->end == TF_END_JUMP;
}

/* Returns true if all instructions of the loop may be in one that waits, that at pc is among them,
 * and one of them waits. */
static bool waits(const struct around *a, const struct loop *loop, uint64_t pc)
{
	unsigned n_insns = 0, n_blocks = 0;
	bool waiting = false, has_pc = false;

	for (uint64_t at = loop->start; at < loop->end;) {
		const struct isa_insn *insn = insn_at(a, at);
		bool call = insn && insn->end == TF_END_CALL && yields(a->source, insn->target);

		if (!insn || ++n_insns > MOST_INSNS)
			return false;
		n_blocks += insn->end != TF_END_NONE;
		if ((!call && insn->end != TF_END_NONE && !jumps_directly(insn)) ||
		    n_blocks > MOST_BLOCKS || (!call && !a->may_store && stores(insn)))
			return false;
		waiting |= call || is_waiting(a->code + (at - a->start), insn->length);
		has_pc |= at == pc;
		at += insn->length;
	}
	return waiting && has_pc;
}

/* Returns true if the instruction at pc is in a loop that only waits. */
static bool is_in_loop(const struct around *a, uint64_t pc)
{
	uint64_t at = pc;

	for (unsigned i = 0; i < MOST_INSNS; i++) {
		const struct isa_insn *insn = insn_at(a, at);
		struct loop loop;

		if (!insn)
			return false;
		loop = (struct loop){ insn->target, at + insn->length };
		if (jumps_directly(insn) && loop.start <= pc && pc - loop.start <= REACH &&
		    waits(a, &loop, pc))
			return true;
		at = loop.end;
	}
	return false;
}

bool spin_loop_at(const struct task *t, const struct code_source *source, bool may_store,
		  size_t *limit)
{
	struct around a = { .source = source, .may_store = may_store };
	const struct isa_insn *insn;
	uint64_t at = source->pc;
	bool in_loop;

	read_around(t, &a);
	if (!may_wait(&a))
		return false;
	in_loop = is_in_loop(&a, at);
	while ((insn = insn_at(&a, at)) && at - source->pc < *limit) {
		unsigned end = insn->end;

		at += insn->length;
		if (end != TF_END_NONE)
			break;
		if (is_in_loop(&a, at) != in_loop) {
			if (at - source->pc < *limit)
				*limit = (size_t)(at - source->pc);
			break;
		}
	}
	return in_loop;
}
