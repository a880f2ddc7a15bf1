/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/code.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "cli/common/vendor.h"

enum {
	PREFETCHED = 64,	/* bytes that XED says a prefetch reads */
	MOST_ACCESSES = 3,	/* of an instruction: two reads and a write */
};

/* ---- numbers by pc ----------------------------------------------------------------------- */

struct pcs {
	size_t mask;
	uint32_t places, branches;
	struct pc_entry {
		uint64_t pc;
		uint32_t place, branch;	/* + 1; 0: none */
	} *entries;
};

static struct pc_entry *pc_entry(struct pcs *pcs, uint64_t pc)
{
	size_t at = pc * 0x9e3779b97f4a7c15 >> 20;

	for (;; at++) {
		struct pc_entry *entry = &pcs->entries[at & pcs->mask];

		if (!entry->place)
			*entry = (struct pc_entry){ .pc = pc, .place = ++pcs->places };
		if (entry->pc == pc)
			return entry;
	}
}

static void number(struct pcs *pcs, struct mica_insn *insn)
{
	struct pc_entry *entry = pc_entry(pcs, insn->pc);

	insn->place = entry->place - 1;
	if (!insn->facts.conditional)
		return;
	if (!entry->branch)
		entry->branch = ++pcs->branches;
	insn->branch = entry->branch - 1;
}

/* ---- operands ---------------------------------------------------------------------------- */

uint32_t mica_operand_size(const struct tf_operand *operand)
{
	if (operand->access & TF_PREFETCH)
		return PREFETCHED;
	return operand->form == TF_MASKED ? operand->size * operand->lanes : operand->size;
}

static bool is_plain(const struct tf_block *block, const struct tf_insn *insn)
{
	const struct tf_operand *operands = block->operands + insn->first_operand;

	if (insn->flags & TF_INSN_REP)
		return false;
	for (unsigned i = 0; i < insn->n_operands; i++)
		if (operands[i].form != TF_PLAIN && operands[i].form != TF_MASKED)
			return false;
	return true;
}

static void find_operands(struct mica_insn *to, const struct tf_block *block,
			  const struct tf_insn *insn)
{
	unsigned n_reads = 0;

	to->read[0] = to->read[1] = to->write = MICA_NO_OPERAND;
	for (int i = insn->first_operand; i < insn->first_operand + insn->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];

		if (operand->access & (TF_LOAD | TF_PREFETCH) && n_reads < 2) {
			if (!n_reads)
				to->read_size = mica_operand_size(operand);
			to->read[n_reads++] = i;
		}
		if (operand->access & TF_STORE && to->write == MICA_NO_OPERAND) {
			to->write = i;
			to->write_size = mica_operand_size(operand);
		}
	}
	to->has_read = n_reads > 0;
	to->has_write = to->write != MICA_NO_OPERAND;
}

/* Appends the accesses of a plain instruction; returns their end. */
static struct mica_access *list_accesses(struct mica_access *to, const struct mica_insn *insn)
{
	for (unsigned i = 0; i < 2; i++)
		if (insn->read[i] != MICA_NO_OPERAND)
			*to++ = (struct mica_access){
				insn->place, insn->read_size, insn->read[i], i
			};
	if (insn->write != MICA_NO_OPERAND)
		*to++ = (struct mica_access){
			insn->place, insn->write_size, insn->write, MICA_WRITE
		};
	return to;
}

/* ---- instructions ------------------------------------------------------------------------ */

static void read_insn(struct mica_insn *to, const struct tf_block *block,
		      const struct tf_insn *insn, unsigned dependences, enum isa_vendor vendor)
{
	const uint8_t *code = block->code + insn->offset;

	to->pc = block->pc + insn->offset;
	to->length = insn->length;
	isa_facts(code, insn->length, vendor, &to->facts);
	mica_add_dependences(&to->facts, dependences, code, insn->length, to->pc, vendor);
	find_operands(to, block, insn);
}

static void read_block(struct mica_code *code, struct pcs *pcs, const struct tf_block *block,
		       unsigned dependences, enum isa_vendor vendor)
{
	struct mica_block *to = &code->blocks[block->id];
	struct mica_insn *insns = code->insns + to->first;

	for (unsigned i = block->n_insns; i-- > 0; )
		if (is_plain(block, &block->insns[i]))
			insns[i].n_plain = i + 1u < block->n_insns ? insns[i + 1].n_plain + 1 : 1;
	for (unsigned i = 0; i < block->n_insns; i++) {
		struct mica_access *accesses = code->accesses + insns[i].first_access;

		read_insn(&insns[i], block, &block->insns[i], dependences, vendor);
		insns[i].index = to->first + i;
		number(pcs, &insns[i]);
		if (insns[i].n_plain)
			accesses = list_accesses(accesses, &insns[i]);
		insns[i + 1].first_access = accesses - code->accesses;
	}
	to->n_plain = insns->n_plain == block->n_insns ? block->n_insns : 0;
	to->first_access = insns->first_access;
	to->n_accesses = insns[block->n_insns].first_access - to->first_access;
}

void mica_code_init(struct mica_code *code, struct tf_reader *reader, unsigned dependences)
{
	enum isa_vendor vendor = recorded_vendor(reader);
	uint32_t n_blocks = tf_n_blocks(reader);
	struct pcs pcs = { .mask = 63 };
	size_t total = 0;

	*code = (struct mica_code){ .reader = reader };
	code->blocks = mica_alloc(n_blocks, sizeof(*code->blocks));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		code->blocks[id].first = total;
		total += block ? block->n_insns : 0;
	}
	code->insns = mica_alloc(total + 1, sizeof(*code->insns));
	code->accesses = mica_alloc(total * MOST_ACCESSES, sizeof(*code->accesses));
	while (pcs.mask < 2 * total)
		pcs.mask = 2 * pcs.mask + 1;
	pcs.entries = mica_alloc(pcs.mask + 1, sizeof(*pcs.entries));
	for (uint32_t id = 0; id < n_blocks; id++)
		if (tf_block(reader, id))
			read_block(code, &pcs, tf_block(reader, id), dependences, vendor);
	free(pcs.entries);
	code->numbers = (struct mica_numbers){ total, pcs.places, pcs.branches };
}

void mica_code_free(struct mica_code *code)
{
	free(code->blocks);
	free(code->insns);
	free(code->accesses);
}
