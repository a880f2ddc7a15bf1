/* SPDX-License-Identifier: MIT */
#include "cli/common/code_hash.h"

#include <string.h>
#include <xxhash.h>

enum { MNEMONIC = 32 };

/* Returns a little-endian number of at most 8 bytes, sign-extended. */
static int64_t number_at(const uint8_t *bytes, unsigned size)
{
	uint64_t number = 0;

	for (unsigned i = size; i-- > 0;)
		number = number << 8 | bytes[i];
	return size < 8 ? (int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size) : (int64_t)number;
}

/* Linkers put programs with fixed addresses at 4 MiB, or at another multiple of that. */
static bool may_be_address(int64_t number, uint64_t pc)
{
	const uint64_t link = 4 << 20, reach = 16 << 20;

	return (uint64_t)number - pc / link * link < reach;
}

/* Replaces addresses in the bytes of an instruction by zeros. */
static void clear_addresses(uint8_t *code, size_t size, uint64_t pc, enum isa_vendor vendor)
{
	struct isa_effects effects;
	struct isa_constants constants;

	if (isa_effects(code, size, pc, vendor, &effects) == 0 && effects.rip_field)
		memset(code + effects.rip_field, 0, 4);
	if (isa_constants(code, size, vendor, &constants))
		return;
	for (unsigned i = 0; i < constants.count; i++) {
		const struct isa_constant *constant = &constants.at[i];

		if (constant->size >= 4 &&
		    may_be_address(number_at(code + constant->offset, constant->size), pc))
			isa_clear_constant(constant, code);
	}
}

/* Returns the hash of an instruction whose code is withheld. before: the hash of its length. */
static uint64_t hash_of_kind(const struct tf_insn_kind *kind, uint64_t before)
{
	uint64_t hash = code_hash_add(before, XXH3_64bits(kind->mnemonic, strlen(kind->mnemonic)));

	hash = code_hash_add(hash, XXH3_64bits(kind->reads, kind->n_reads));
	hash = code_hash_add(hash, XXH3_64bits(kind->writes, kind->n_writes));
	return code_hash_add(hash, kind->insn_class);
}

struct insn_hashes insn_hashes_of(const struct tf_block *block, unsigned insn,
				  enum isa_vendor vendor)
{
	const struct tf_insn *in = &block->insns[insn];
	const struct tf_insn_kind *kind = block->kinds ? block->kinds[insn] : NULL;
	uint64_t pc = block->pc + in->offset;
	bool branches = insn + 1u == block->n_insns && block->target;
	uint8_t code[TF_MAX_INSN_BYTES];
	struct insn_hashes hashes;
	char mnemonic[MNEMONIC];

	memcpy(code, block->code + in->offset, in->length);
	isa_block_mnemonic(block, insn, vendor, mnemonic, sizeof(mnemonic));
	if (!kind)
		clear_addresses(code, in->length, pc, vendor);
	hashes.mnemonic = (uint32_t)XXH3_64bits(mnemonic, strlen(mnemonic));
	hashes.is_padding = !strncmp(mnemonic, "nop", 3);
	hashes.bytes = branches ? hashes.mnemonic : XXH3_64bits(code, in->length);
	if (kind)
		hashes.bytes = hash_of_kind(kind, hashes.bytes);
	return hashes;
}

uint64_t code_hash_add(uint64_t before, uint64_t hash)
{
	uint64_t both[2] = { before, hash };

	return XXH3_64bits(both, sizeof(both));
}

uint64_t block_code_hash(const struct tf_block *block, enum isa_vendor vendor)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < block->n_insns; i++) {
		struct insn_hashes insn = insn_hashes_of(block, i, vendor);

		if (!insn.is_padding)
			hash = code_hash_add(hash, insn.bytes);
	}
	return hash;
}
