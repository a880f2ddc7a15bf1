/* SPDX-License-Identifier: MIT */
#include "cli/export/champsim_registers.h"

#include <stdlib.h>
#include <string.h>

#include "traceformat/traceisa.h"

enum { MM_0 = 83, XMM_0 = 91, YMM_0 = 123, ZMM_0 = 155, K_0 = 187, MXCSR = 204, ST_0 = 215 };

/* Registers whose names do not end in a number, and r8 to r15. */
static const struct {
	char name[6];
	uint8_t number;
} singles[] = {
	{ "rdi", 3 },  { "rsi", 4 },       { "rbp", 5 },  { "rsp", 6 },  { "rbx", 7 },
	{ "rdx", 8 },  { "rcx", 9 },       { "rax", 10 }, { "al", 27 },  { "ah", 28 },
	{ "ax", 29 },  { "cl", 30 },       { "ch", 31 },  { "cx", 32 },  { "dl", 33 },
	{ "dh", 34 },  { "dx", 35 },       { "bl", 36 },  { "bh", 37 },  { "bx", 38 },
	{ "bp", 39 },  { "si", 40 },       { "di", 41 },  { "sp", 42 },  { "edi", 45 },
	{ "dil", 46 }, { "esi", 47 },      { "sil", 48 }, { "ebp", 49 }, { "bpl", 50 },
	{ "esp", 51 }, { "spl", 52 },      { "ebx", 53 }, { "edx", 54 }, { "ecx", 55 },
	{ "eax", 56 }, { "mxcsr", MXCSR },
};

/* Registers with numbers: name, the number of the first one, the index of the first one. */
static const struct {
	char name[4];
	uint8_t first;
} rows[] = {
	{ "mm", MM_0 },   { "xmm", XMM_0 }, { "ymm", YMM_0 },
	{ "zmm", ZMM_0 }, { "k", K_0 },     { "st", ST_0 },
};

uint8_t champsim_general(unsigned general)
{
	static const uint8_t numbers[16] = {
		10, 9, 8, 7, 6, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18
	};

	return numbers[general];
}

/* Returns the number of r8 to r15 and their parts, "r9", "r9b", "r9w" or "r9d". */
static uint8_t extended(const char *name)
{
	enum { R8 = 11, R8B = 59, PARTS = 3, FIRST = 8 };
	char *part;
	unsigned n = (unsigned)strtoul(name + 1, &part, 10) - FIRST;

	switch (*part) {
	case 'b': return (uint8_t)(R8B + PARTS * n);
	case 'w': return (uint8_t)(R8B + PARTS * n + 1);
	case 'd': return (uint8_t)(R8B + PARTS * n + 2);
	default: return (uint8_t)(R8 + n);
	}
}

/* Returns the number of a register by its name, or 0. */
static uint8_t number_of(const char *name)
{
	size_t letters = strcspn(name, "0123456789");

	if (name[0] == 'r' && letters == 1)
		return extended(name);
	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++)
		if (!strcmp(singles[i].name, name))
			return singles[i].number;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].name) == letters && !strncmp(rows[i].name, name, letters))
			return (uint8_t)(rows[i].first + strtoul(name + letters, NULL, 10));
	return 0;
}

uint8_t champsim_register(uint8_t number, bool whole)
{
	uint8_t found = number_of(isa_register_name(whole ? isa_register_whole(number) : number));

	return whole && found >= ZMM_0 && found < K_0 ? (uint8_t)(found - ZMM_0 + XMM_0) : found;
}
