/* SPDX-License-Identifier: MIT */
/*
 * Hashes of static instructions that are the same wherever the code lies: for finding code again in
 * another version of a program. Hashes do not differ between processes and machines.
 */
#ifndef CODE_HASH_H
#define CODE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/traceisa.h"

struct insn_hashes {
	/*
	 * The hash of its bytes, without addresses: the displacement of an operand relative to rip,
	 * constants that may be addresses of a program that lies at a fixed address, and so near to
	 * the instruction that they fit into a program, and targets of branches, whatever their
	 * size.
	 */
	uint64_t bytes;
	uint32_t mnemonic;
	bool is_padding; /* a nop, which code may have at one address and not at another */
};

/* Returns the hashes of instruction `insn` of a block. */
struct insn_hashes insn_hashes_of(const struct tf_block *block, unsigned insn,
				  enum isa_vendor vendor);

/* Returns the hash of a block: of its instructions but padding. */
uint64_t block_code_hash(const struct tf_block *block, enum isa_vendor vendor);

/* Adds a hash to one of what comes before it; 0 stands for nothing. */
uint64_t code_hash_add(uint64_t before, uint64_t hash);

#endif
