/* SPDX-License-Identifier: MIT */
/*
 * The facts of instructions, stored once each: most instructions of a program are equal to another
 * one.
 */
#ifndef FACTS_H
#define FACTS_H

#include "traceformat/common/pool.h"
#include "traceformat/traceisa.h"

struct facts;

enum facts_status { FACTS_FOUND, FACTS_UNDECODABLE, FACTS_MEMORY };

/* Returns NULL if memory is out. */
struct facts *facts_new(void);

/* Frees the facts; NULL is allowed. */
void facts_free(struct facts *facts);

/*
 * Gives the result of isa_decode_all() for the same bytes, without decoding recently seen
 * instructions again. *insn and *effects live as long as the facts; *effects is NULL if the
 * instruction is opaque. Returns FACTS_UNDECODABLE, also for an instruction that is cut off, and
 * FACTS_MEMORY if memory is out.
 */
enum facts_status facts_of_code(struct facts *facts, const uint8_t *code, size_t available,
				uint64_t pc, enum isa_vendor vendor, const struct isa_insn **insn,
				const struct isa_effects **effects);

/* Returns the pool whose memory lives as long as the facts. */
struct pool *facts_pool(struct facts *facts);

/*
 * Gives the same result as facts_of_code(), but *insn and *effects are valid only until the next
 * call.
 */
enum facts_status facts_glance(struct facts *facts, const uint8_t *code, size_t available,
			       uint64_t pc, enum isa_vendor vendor, const struct isa_insn **insn,
			       const struct isa_effects **effects);

/* Returns a stored instruction equal to *insn, without unused operands; NULL if memory is out. */
const struct isa_insn *facts_keep(struct facts *facts, const struct isa_insn *insn);

/* Returns stored effects equal to *effects; NULL if memory is out. */
const struct isa_effects *facts_keep_effects(struct facts *facts,
					     const struct isa_effects *effects);

#endif
