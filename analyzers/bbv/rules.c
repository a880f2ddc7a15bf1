/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/rules.h"

#include <stddef.h>

#include "traceformat/traceisa.h"

static void classify_rep(unsigned traits, enum bbv_rules rules, struct bbv_special *special)
{
	special->kind = BBV_REP;
	special->condition = traits & ISA_TRAIT_REPE ? 1 : traits & ISA_TRAIT_REPNE ? 2 : 0;
	if (rules == BBV_EXP_BBV && traits & ISA_TRAIT_LODS)
		special->kind = BBV_REP_LODS;
	else if (rules == BBV_EXP_BBV && traits & ISA_TRAIT_PREFIX)
		special->kind = BBV_REP_UNSEEN;
}

bool bbv_classify(const struct tf_block *block, uint16_t index, enum bbv_rules rules,
		  struct bbv_special *special)
{
	static const struct {
		unsigned trait;
		enum bbv_kind kind;
	} kinds[] = {
		{ ISA_TRAIT_FLDCW, BBV_FLDCW },
		{ ISA_TRAIT_VERBOSE, BBV_VERBOSE },
		{ ISA_TRAIT_RESTORES, BBV_RESTORES },
		{ ISA_TRAIT_ENDS, BBV_ENDS },
	};
	const struct tf_insn *insn = &block->insns[index];
	unsigned traits = isa_block_traits(block, index);

	*special = (struct bbv_special){ .index = index };
	if (insn->flags & TF_INSN_REP && insn->n_operands) { /* else it has no extras */
		classify_rep(traits, rules, special);
		return true;
	}
	if (rules != BBV_EXP_BBV)
		traits &= ISA_TRAIT_FLDCW;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (traits & kinds[i].trait) {
			special->kind = kinds[i].kind;
			return true;
		}
	return false;
}

bool bbv_block_ends(const struct tf_block *block, enum bbv_rules rules)
{
	switch (block->end) {
	case TF_END_NONE:
	case TF_END_OPAQUE: return false;
	case TF_END_CONDITIONAL:
		return rules != BBV_EXP_BBV ||
		       !(isa_block_traits(block, block->n_insns - 1u) & ISA_TRAIT_LOOP);
	default: return true;
	}
}

uint64_t bbv_iterations(uint8_t condition, const uint64_t *extras)
{
	if (!extras || extras[0] == 0)
		return 1;
	bool zero = extras[2] & TF_REP_ZF;
	bool stopped = condition == 1 ? !zero : condition == 2 ? zero : false;

	uint64_t iterations = extras[1] + !(stopped || extras[2] & TF_REP_INTERRUPTED);

	return iterations ? iterations : 1;
}
