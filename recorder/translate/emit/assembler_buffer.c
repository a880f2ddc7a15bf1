/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/assembler_buffer.h"

#include <string.h>

void asm_begin(struct assembler *a, uint8_t *at, size_t size, uint64_t pc)
{
	a->start = a->at = at;
	a->end = at + size;
	a->pc = pc;
	a->full = false;
	a->n_literals = 0;
}

void asm_bytes(struct assembler *a, const void *bytes, size_t size)
{
	if ((size_t)(a->end - a->at) < size)
		a->full = true;
	if (a->full)
		return;
	memcpy(a->at, bytes, size);
	a->at += size;
}

void asm_literal(struct assembler *a, uint64_t value)
{
	if (a->n_literals == ASSEMBLER_LITERALS)
		a->full = true;
	if (a->full)
		return;
	a->literals[a->n_literals].field = a->at;
	a->literals[a->n_literals++].value = value;
	asm_bytes(a, &(uint32_t){ 0 }, sizeof(uint32_t));
}

bool asm_end(struct assembler *a)
{
	static const uint8_t int3[8] = { [0 ... 7] = 0xcc };

	if (a->n_literals)
		asm_bytes(a, int3, -asm_here(a) & 7);
	for (unsigned i = 0; i < a->n_literals && !a->full; i++) {
		uint8_t *field = a->literals[i].field;
		int32_t displacement = (int32_t)(a->at - (field + sizeof(displacement)));

		memcpy(field, &displacement, sizeof(displacement));
		asm_bytes(a, &a->literals[i].value, 8);
	}
	return !a->full;
}
