/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/unit/isa/seen.h"

static uint64_t fnv(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
	return hash;
}

uint64_t encoding_hash(const uint8_t *code, enum isa_vendor vendor, const void *facts, size_t size)
{
	char mnemonic[32];

	isa_mnemonic(code, 15, 0, vendor, mnemonic, sizeof(mnemonic));
	return fnv(fnv(14695981039346656037u, mnemonic, strlen(mnemonic)), facts, size);
}

bool seen_before(uint64_t hash)
{
	enum { LOG2_SLOTS = 18, SLOTS = 1 << LOG2_SLOTS };
	static uint64_t seen[SLOTS];

	hash |= 1;
	for (uint64_t slot = hash >> (64 - LOG2_SLOTS);; slot = (slot + 1) % SLOTS) {
		if (seen[slot] == hash)
			return true;
		if (!seen[slot]) {
			seen[slot] = hash;
			return false;
		}
	}
}

bool begins_as_before(const uint8_t *code, size_t length)
{
	enum { LOG2_BITS = 24 };
	static uint8_t before[1 << (LOG2_BITS - 3)];
	uint8_t key[5] = { length };
	uint64_t bit;
	bool was;

	memcpy(key + 1, code, length < 4 ? length : 4);
	bit = fnv(14695981039346656037u, key, sizeof(key)) >> (64 - LOG2_BITS);
	was = before[bit / 8] >> bit % 8 & 1;
	before[bit / 8] |= 1 << bit % 8;
	return was;
}
