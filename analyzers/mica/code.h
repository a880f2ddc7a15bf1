/* SPDX-License-Identifier: MIT */
/* The static side of a trace as MICA's analyses want it. */
#ifndef MICA_CODE_H
#define MICA_CODE_H

#include "analyzers/mica/dependences.h"
#include "analyzers/mica/route.h"

struct mica_code {
	const struct tf_reader *reader;
	struct mica_numbers numbers;
	struct mica_insn *insns;
	uint32_t *first;           /* by block id: its first instruction */
	struct mica_route *routes; /* by exit id; a route without legs has only n_values */
	struct mica_leg *legs;
	struct mica_access *accesses;
};

/* Reads a loaded trace. dependences: enum mica_dependences, or-ed. Memory that is out ends the
 * process. */
void mica_code_init(struct mica_code *code, struct tf_reader *reader, unsigned dependences);
void mica_code_free(struct mica_code *code);

/* Fills in routes, legs and accesses; the instructions are there. For mica_code_init. */
void mica_code_read_routes(struct mica_code *code);

/* Returns the bytes that an access of the operand has to MICA. */
uint32_t mica_operand_size(const struct tf_operand *operand);

#endif
