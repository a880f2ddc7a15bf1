/* SPDX-License-Identifier: MIT */
/* Stores of vector, mask and control registers. */
#include "recorder/translate/emit/assembler.h"

#include "recorder/translate/emit/encoding.h"

void asm_store_x87_control(struct assembler *a, unsigned base, int32_t displacement)
{
	encode_based(a, 0, 0, 0xd9, 7, base, displacement);
}

void asm_store_mxcsr(struct assembler *a, unsigned base, int32_t displacement)
{
	encode_based(a, 0, ESCAPE, 0xae, 3, base, displacement);
}

void asm_store_mask(struct assembler *a, unsigned base, int32_t displacement, unsigned mask,
		    unsigned bits)
{
	static const unsigned vex3 = 0xc4, map_0f = 1, not_r_x_b = 0xe0, no_vvvv = 0x78, w = 0x80;

	if (bits < 64)
		asm_store_constant(a, base, displacement, 0);
	encode_byte(a, vex3);
	encode_byte(a, (base & 8 ? not_r_x_b & ~0x20u : not_r_x_b) | map_0f);
	encode_byte(a, (bits >= 32 ? w : 0u) | no_vvvv | (bits == 8 || bits == 32));
	encode_byte(a, 0x91);
	encode_based_32(a, mask, base, displacement);
}

enum { PREFIX_66 = 1, PREFIX_F3 = 2 };

/* Writes the VEX prefix of an instruction of map 0F; reg and rm are those of its ModRM byte. */
static void vex(struct assembler *a, unsigned reg, unsigned rm, unsigned prefix, bool wide)
{
	enum { VEX3 = 0xc4, MAP_0F = 1, NO_X = 0x40, NO_VVVV = 0x78, L = 4 };

	encode_byte(a, VEX3);
	encode_byte(a, (reg & 8 ? 0u : 0x80u) | NO_X | (rm & 8 ? 0u : 0x20u) | MAP_0F);
	encode_byte(a, NO_VVVV | (wide ? L : 0u) | prefix);
}

/* Writes the EVEX prefix, with W set; length is 0, 1 or 2 for 16, 32 or 64 bytes. */
static void evex(struct assembler *a, unsigned reg, unsigned base, unsigned prefix, unsigned length)
{
	enum {
		EVEX = 0x62,
		MAP_0F = 1,
		NO_X = 0x40,
		W = 0x80,
		NO_VVVV = 0x78,
		FIXED = 4,
		NO_V2 = 8
	};

	encode_byte(a, EVEX);
	encode_byte(a, (reg & 8 ? 0u : 0x80u) | NO_X | (base & 8 ? 0u : 0x20u) |
			       (reg & 16 ? 0u : 0x10u) | MAP_0F);
	encode_byte(a, W | NO_VVVV | FIXED | prefix);
	encode_byte(a, length << 5 | NO_V2);
}

void asm_store_vector(struct assembler *a, unsigned base, int32_t displacement, unsigned vector,
		      unsigned bytes)
{
	enum { MOVQ = 0xd6, MOVDQU = 0x7f };
	unsigned prefix = bytes == 8 ? PREFIX_66 : PREFIX_F3;

	if (vector >= 16 || bytes == 64)
		evex(a, vector, base, prefix, bytes == 64 ? 2 : bytes == 32);
	else
		vex(a, vector, base, prefix, bytes == 32);
	encode_byte(a, bytes == 8 ? MOVQ : MOVDQU);
	encode_based_32(a, vector, base, displacement);
}

void asm_signs(struct assembler *a, unsigned reg, unsigned vector, unsigned element, unsigned bytes)
{
	enum { PMOVMSKB = 0xd7, MOVMSK = 0x50 };

	vex(a, reg, vector, element == 4 ? 0 : PREFIX_66, bytes == 32);
	encode_byte(a, element == 1 ? PMOVMSKB : MOVMSK);
	encode_byte(a, 3u << 6 | (reg & 7) << 3 | (vector & 7));
}

void asm_store_mmx(struct assembler *a, unsigned base, int32_t displacement, unsigned mmx)
{
	enum { MOVQ = 0x7f };

	encode_based(a, 0, ESCAPE, MOVQ, mmx, base, displacement);
}

void asm_signs_mmx(struct assembler *a, unsigned reg, unsigned mmx)
{
	enum { PMOVMSKB = 0xd7 };

	encode_registers(a, 0, ESCAPE, PMOVMSKB, reg, mmx);
}
