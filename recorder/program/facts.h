/* SPDX-License-Identifier: MIT */
/* What is known of instructions, each kept once: most of a program's are like some other one. */
#ifndef FACTS_H
#define FACTS_H

#include "recorder/core/pool.h"
#include "traceformat/traceisa.h"

struct facts;

enum facts_status { FACTS_FOUND, FACTS_UNDECODABLE, FACTS_MEMORY };

/* NULL: memory is out. */
struct facts *facts_new(void);

/* NULL is allowed. */
void facts_free(struct facts *facts);

/*
 * Tells what isa_decode_all() does, of the same bytes, without decoding what has been met lately.
 * *insn and *effects stay as long as the facts; *effects is NULL if the instruction is opaque.
 * Returns FACTS_UNDECODABLE, also if it is cut off, and FACTS_MEMORY if memory is out.
 */
enum facts_status facts_of_code(struct facts *facts, const uint8_t *code, size_t available,
				uint64_t pc, enum isa_vendor vendor, const struct isa_insn **insn,
				const struct isa_effects **effects);

/* Where other things may be kept as long as the facts. */
struct pool *facts_pool(struct facts *facts);

/* The same, but *insn and *effects stay until the next call. */
enum facts_status facts_glance(struct facts *facts, const uint8_t *code, size_t available,
			       uint64_t pc, enum isa_vendor vendor, const struct isa_insn **insn,
			       const struct isa_effects **effects);

/* Returns one that is the same and stays, with its own operands alone; NULL: memory is out. */
const struct isa_insn *facts_keep(struct facts *facts, const struct isa_insn *insn);

/* Likewise. */
const struct isa_effects *facts_keep_effects(struct facts *facts,
					     const struct isa_effects *effects);

#endif
