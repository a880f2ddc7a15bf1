/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "tests/unit/isa/sweep.h"

static void sweep_modrm(uint8_t *code, size_t length, sweep_fn *visit, void *opaque)
{
	for (int reg = 0; reg < 8; reg++) {
		memset(code + length, 0, 16);
		code[length] = reg << 3 | 4;
		code[length + 1] = 0x20;
		visit(code, opaque);
		code[length] = 0xc0 | reg << 3 | 1;
		code[length + 1] = 0;
		visit(code, opaque);
	}
}

static int is_prefix(unsigned byte)
{
	return (byte & 0xf0) == 0x40 || byte == 0x66 || byte == 0x67 || byte == 0xf0 ||
	       byte == 0xf2 || byte == 0xf3 || byte == 0x26 || byte == 0x2e || byte == 0x36 ||
	       byte == 0x3e || byte == 0x64 || byte == 0x65;
}

static void sweep_legacy(sweep_fn *visit, void *opaque)
{
	static const uint8_t prefixes[][4] = {
		{ 0 },
		{ 0x66 },
		{ 0xf3 },
		{ 0xf2 },
		{ 0x66, 0xf2 },
		{ 0x66, 0xf3 },
		{ 0xf0 },
		{ 0x67 },
		{ 0x67, 0xf3 },
		{ 0x64 },
		{ 0x65, 0x67, 0xf3 },
		{ 0x48 },
		{ 0x66, 0x48 },
		{ 0xf3, 0x48 },
		{ 0xf2, 0x48 },
		{ 0xf0, 0x48 },
	};
	static const uint8_t maps[][3] = { { 0 }, { 0x0f }, { 0x0f, 0x38 }, { 0x0f, 0x3a } };
	uint8_t code[40];

	for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++)
		for (size_t m = 0; m < sizeof(maps) / sizeof(maps[0]); m++)
			for (unsigned opcode = 0; opcode < 256; opcode++) {
				size_t n = 0;

				if (m == 0 && is_prefix(opcode))
					continue;
				for (const uint8_t *c = prefixes[p]; *c; c++)
					code[n++] = *c;
				for (const uint8_t *c = maps[m]; *c; c++)
					code[n++] = *c;
				code[n++] = opcode;
				sweep_modrm(code, n, visit, opaque);
			}
}

/* first: 0xc4 VEX, 0x8f XOP. v: the third register, inverted; 15 where there is none. */
static void sweep_vex(uint8_t first, unsigned first_map, unsigned last_map, sweep_fn *visit,
		      void *opaque)
{
	uint8_t code[40];

	for (unsigned map = first_map; map <= last_map; map++)
		for (unsigned rest = 0; rest < 16; rest++)
			for (unsigned v = 14; v < 16; v++)
				for (unsigned opcode = 0; opcode < 256; opcode++) {
					code[0] = first;
					code[1] = 0xe0 | map;
					code[2] = (rest & 8) << 4 | v << 3 | (rest & 7);
					code[3] = opcode;
					sweep_modrm(code, 4, visit, opaque);
				}
}

/* rest: z, vector length, broadcast and whether k1 masks. */
static void sweep_evex(sweep_fn *visit, void *opaque)
{
	static const uint8_t maps[] = { 1, 2, 3, 5, 6 };
	static const uint8_t rests[] = { 0x08, 0x28, 0x48, 0x18, 0x38, 0x58, 0x09,
					 0x29, 0x49, 0x19, 0x39, 0x59, 0xc9 };
	uint8_t code[40];

	for (size_t m = 0; m < sizeof(maps); m++)
		for (size_t r = 0; r < sizeof(rests); r++)
			for (unsigned wpp = 0; wpp < 8; wpp++)
				for (unsigned v = 14; v < 16; v++)
					for (unsigned opcode = 0; opcode < 256; opcode++) {
						code[0] = 0x62;
						code[1] = 0xf0 | maps[m];
						code[2] = (wpp & 4) << 5 | v << 3 | 4 | (wpp & 3);
						code[3] = rests[r];
						code[4] = opcode;
						sweep_modrm(code, 5, visit, opaque);
					}
}

void sweep(sweep_fn *visit, void *opaque)
{
	sweep_legacy(visit, opaque);
	sweep_vex(0xc4, 1, 3, visit, opaque);
	sweep_evex(visit, opaque);
	sweep_vex(0x8f, 8, 10, visit, opaque);
}
