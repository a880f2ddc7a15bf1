/* SPDX-License-Identifier: MIT */
/*
 * Finds out how the flags at a place in a superblock can be recomputed: the operands of the
 * instruction that set them last are still in registers, or follow from registers.
 */
#ifndef FLAG_SOURCE_H
#define FLAG_SOURCE_H

#include "recorder/translate/plan/plan.h"

enum flag_operation { FLAGS_ADD, FLAGS_SUBTRACT, FLAGS_AND };

/* The flags are those of the operation on (register a + displacement + times * register b) and
 * register b, or the immediate if b is ISA_NO_REGISTER. Only the low bytes of both count. */
struct flag_source {
	uint8_t operation; /* enum flag_operation */
	uint8_t bytes;     /* 1, 2, 4 or 8 */
	uint8_t a, b;      /* enum isa_general */
	int8_t times;      /* -1, 0 or 1 */
	int32_t displacement, immediate;
};

/* Finds the source of the flags before instruction number `insn` of the plan, among its
 * instructions from `first` on. Its register b is not `except`. Returns false if the flags cannot
 * be recomputed this way. */
bool flag_source_find(const struct plan *plan, unsigned first, unsigned insn, unsigned except,
		      struct flag_source *source);

/* Returns eflags with CF, PF, AF, ZF, SF and OF recomputed. */
uint64_t flag_source_flags(const struct flag_source *source, const uint64_t general[16],
			   uint64_t eflags);

#endif
