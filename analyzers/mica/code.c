/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/code.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/common/insn_numbers.h"
#include "analyzers/mica/analysis.h"
#include "cli/common/checked.h"
#include "cli/common/trace_meta.h"
#include "traceformat/common/hash_table.h"

enum { PREFETCHED = 64 }; /* bytes that XED says a prefetch reads */

/* ---- numbers by pc ----------------------------------------------------------------------- */

struct numbered_pc {
	uint64_t key;
	uint32_t branch; /* number of the conditional branch + 1, or 0 */
};

struct pcs {
	HASH_TABLE(struct numbered_pc);
	uint32_t branches;
};

static void number(struct pcs *pcs, struct mica_insn *insn)
{
	struct numbered_pc *pc = checked(TABLE_PUT(*pcs, insn->pc));

	insn->place = (uint32_t)(pc - pcs->at);
	if (!insn->facts.conditional)
		return;
	if (!pc->branch)
		pc->branch = ++pcs->branches;
	insn->branch = pc->branch - 1;
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

/* ---- facts that MICA lacks --------------------------------------------------------------- */

static uint8_t fold(uint8_t *registers, uint8_t count)
{
	uint8_t kept = 0;

	for (uint8_t i = 0; i < count; i++) {
		uint8_t whole = isa_register_whole(registers[i]);

		if (!memchr(registers, whole, kept))
			registers[kept++] = whole;
	}
	return kept;
}

static void add_flags(uint8_t *registers, uint8_t *count)
{
	if (*count < ISA_MAX_FACT_REGISTERS)
		registers[(*count)++] = MICA_FLAGS;
}

static bool is_cet(const struct isa_facts *facts)
{
	static const char *const classes[] = { "ENDBR32", "ENDBR64", "RDSSPD", "RDSSPQ" };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(facts->iclass, classes[i]))
			return true;
	return false;
}

/*
 * Makes 0F 1E a no-operation with two registers, which MICA's reg counts, although it has no reads.
 */
static void make_nop(struct isa_facts *facts)
{
	*facts = (struct isa_facts){ .category = "WIDENOP",
				     .iclass = "NOP",
				     .n_register_operands = 2 };
}

/* Changes the facts of an instruction by dependences (enum mica_dependences, or-ed). */
static void add_dependences(struct isa_facts *facts, unsigned dependences,
			    const struct tf_block *block, unsigned index, enum isa_vendor vendor)
{
	struct isa_effects effects;

	if (!(dependences & MICA_WITH_CET) && is_cet(facts))
		make_nop(facts);
	if (dependences & MICA_FOLDED) {
		facts->n_reads = fold(facts->reads, facts->n_reads);
		facts->n_writes = fold(facts->writes, facts->n_writes);
	}
	if (!(dependences & MICA_WITH_FLAGS) ||
	    isa_block_effects(block, index, vendor, &effects) < 0)
		return;
	if (effects.reads_flags)
		add_flags(facts->reads, &facts->n_reads);
	if (effects.writes_flags)
		add_flags(facts->writes, &facts->n_writes);
}

/* ---- instructions ------------------------------------------------------------------------ */

static void read_insn(struct mica_insn *to, const struct tf_block *block,
		      const struct tf_insn *insn, unsigned dependences, enum isa_vendor vendor)
{
	unsigned index = (unsigned)(insn - block->insns);

	to->pc = block->pc + insn->offset;
	to->length = insn->length;
	to->plain = is_plain(block, insn);
	isa_block_facts(block, index, vendor, &to->facts);
	/* An imported trace may have branches without code. */
	to->facts.conditional |= insn->flags & TF_INSN_OPAQUE && block->end == TF_END_CONDITIONAL &&
				 insn == &block->insns[block->n_insns - 1];
	add_dependences(&to->facts, dependences, block, index, vendor);
	find_operands(to, block, insn);
}

static void read_insns(struct mica_code *code, unsigned dependences, enum isa_vendor vendor)
{
	struct pcs pcs = { 0 };
	const struct tf_block *block;

	for (uint32_t id = 0; id < tf_n_blocks(code->reader); id++) {
		block = tf_block(code->reader, id);
		for (uint32_t i = 0; block && i < block->n_insns; i++) {
			struct mica_insn *insn = &code->insns[code->first[id] + i];

			read_insn(insn, block, &block->insns[i], dependences, vendor);
			insn->index = code->first[id] + i;
			number(&pcs, insn);
		}
	}
	code->numbers.places = (uint32_t)pcs.count;
	code->numbers.branches = pcs.branches;
	TABLE_FREE(pcs);
}

void mica_code_init(struct mica_code *code, struct tf_reader *reader, unsigned dependences)
{
	*code = (struct mica_code){ .reader = reader };
	code->first = number_insns(reader);
	code->numbers.insns = code->first[tf_n_blocks(reader)];
	code->insns = checked_array(code->numbers.insns, sizeof(*code->insns));
	read_insns(code, dependences, recorded_vendor(reader));
	mica_code_read_superblocks(code);
}

void mica_code_free(struct mica_code *code)
{
	free(code->first);
	free(code->insns);
	free(code->superblocks);
	free(code->segments);
	free(code->accesses);
}
