/* SPDX-License-Identifier: MIT */
/* Makes the facts that a trace keeps of an instruction whose code it withholds: FORMAT.md 4.8. */
#ifndef ANONYMISE_KINDS_H
#define ANONYMISE_KINDS_H

#include "cli/anonymise/levels.h"
#include "traceformat/traceisa.h"

struct made_kind {
	struct tf_insn_kind kind;
	char iclass[TF_MAX_KIND_TEXT + 1], mnemonic[TF_MAX_KIND_TEXT + 1];
};

/*
 * Makes the kind of instruction i of a block. It points into *made and the block. level:
 * CODE_FACTS or CODE_REGDEPS. Returns whether the instruction decodes.
 */
bool kind_make(const struct tf_block *block, unsigned i, enum code_level level,
	       enum isa_vendor vendor, struct made_kind *made);

#endif
