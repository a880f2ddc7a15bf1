/* SPDX-License-Identifier: MIT */
#include "recorder/program/flag_use.h"

#include <stdbool.h>

/* The bytes that follow an opcode. */
enum operands { NONE, IMM8, IMM32, IMM_FULL, MODRM, MODRM_IMM8, MODRM_IMM32 };

/* The effect of an opcode on the flags; in a group, the reg field of the ModRM byte decides. */
enum use {
	UNKNOWN = FLAGS_UNKNOWN,
	PASSED = FLAGS_PASSED,
	READ = FLAGS_READ,
	REPLACED = FLAGS_REPLACED,
	ARITHMETIC, /* group: adc and sbb read the flags */
	SHIFT,      /* group: rcl and rcr read the flags; a shift by 0 bits does not change them */
	UNARY,      /* group: test has an immediate, and so is unknown */
	ONLY_0,     /* mov, nop: only reg 0 is known */
	INC_DEC,
};

struct opcode {
	uint8_t use, operands;
};

static const uint8_t groups[][8] = {
	[ARITHMETIC - ARITHMETIC] = { REPLACED, REPLACED, READ, READ, REPLACED, REPLACED, REPLACED,
				      REPLACED },
	[SHIFT - ARITHMETIC] = { PASSED, PASSED, READ, READ, PASSED, PASSED, UNKNOWN, PASSED },
	[UNARY - ARITHMETIC] = { UNKNOWN, UNKNOWN, PASSED, REPLACED, PASSED, PASSED, PASSED,
				 PASSED },
	[ONLY_0 - ARITHMETIC] = { PASSED },
	[INC_DEC - ARITHMETIC] = { PASSED, PASSED, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, PASSED,
				   UNKNOWN },
};

#define ALU(first, use)                                                                       \
	[first] = { use, MODRM }, [first + 1] = { use, MODRM }, [first + 2] = { use, MODRM }, \
	[first + 3] = { use, MODRM }, [first + 4] = { use, IMM8 }, [first + 5] = { use, IMM32 }

/* clang-format off */
static const struct opcode one_byte[256] = {
	ALU(0x00, REPLACED), ALU(0x08, REPLACED), ALU(0x10, READ), ALU(0x18, READ),
	ALU(0x20, REPLACED), ALU(0x28, REPLACED), ALU(0x30, REPLACED), ALU(0x38, REPLACED),
	[0x50 ... 0x5f] = { PASSED, NONE },		/* push, pop */
	[0x63] = { PASSED, MODRM },			/* movsxd */
	[0x68] = { PASSED, IMM32 }, [0x6a] = { PASSED, IMM8 },		/* push */
	[0x69] = { PASSED, MODRM_IMM32 }, [0x6b] = { PASSED, MODRM_IMM8 },	/* imul */
	[0x70 ... 0x7f] = { READ, IMM8 },		/* jcc */
	[0x80] = { ARITHMETIC, MODRM_IMM8 }, [0x81] = { ARITHMETIC, MODRM_IMM32 },
	[0x83] = { ARITHMETIC, MODRM_IMM8 },
	[0x84 ... 0x85] = { REPLACED, MODRM },		/* test */
	[0x86 ... 0x8b] = { PASSED, MODRM },		/* xchg, mov */
	[0x8d] = { PASSED, MODRM },			/* lea; with a register it does not decode */
	[0x98 ... 0x99] = { PASSED, NONE },		/* cdqe, cqo */
	[0xa8] = { REPLACED, IMM8 }, [0xa9] = { REPLACED, IMM32 },	/* test */
	[0xb0 ... 0xb7] = { PASSED, IMM8 }, [0xb8 ... 0xbf] = { PASSED, IMM_FULL },
	[0xc0 ... 0xc1] = { SHIFT, MODRM_IMM8 }, [0xd0 ... 0xd3] = { SHIFT, MODRM },
	[0xc6] = { ONLY_0, MODRM_IMM8 }, [0xc7] = { ONLY_0, MODRM_IMM32 },	/* mov */
	[0xf6 ... 0xf7] = { UNARY, MODRM },
	[0xff] = { INC_DEC, MODRM },
};
/* clang-format on */

static const struct opcode two_bytes[256] = {
	[0x1f] = { ONLY_0, MODRM },          /* nop */
	[0x40 ... 0x4f] = { READ, MODRM },   /* cmovcc */
	[0x80 ... 0x8f] = { READ, IMM32 },   /* jcc */
	[0x90 ... 0x9f] = { READ, MODRM },   /* setcc */
	[0xaf] = { PASSED, MODRM },          /* imul */
	[0xb6 ... 0xb7] = { PASSED, MODRM }, /* movzx */
	[0xbe ... 0xbf] = { PASSED, MODRM }, /* movsx */
};

/* Returns the size of ModRM, SIB and displacement. */
static unsigned address_bytes(const uint8_t *modrm)
{
	unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7, n = 1;

	if (mod == 3)
		return n;
	if (rm == 4) {
		n++;
		if (mod == 0 && (modrm[1] & 7) == 5)
			return n + 4;
	}
	if (mod == 0)
		return rm == 5 ? n + 4 : n;
	return n + (mod == 1 ? 1 : 4);
}

static unsigned operand_bytes(enum operands operands, bool wide, const uint8_t *code)
{
	switch (operands) {
	case NONE: return 0;
	case IMM8: return 1;
	case IMM32: return 4;
	case IMM_FULL: return wide ? 8 : 4;
	case MODRM: return address_bytes(code);
	case MODRM_IMM8: return address_bytes(code) + 1;
	case MODRM_IMM32: return address_bytes(code) + 4;
	}
	return 0;
}

enum flag_use flag_use_of_code(const uint8_t *code, size_t available, unsigned *length)
{
	enum { LONGEST = 15, REX = 0x40, REX_W = 8, TWO_BYTES = 0x0f };
	const uint8_t *at = code;
	const struct opcode *o;
	bool wide = false;

	if (available < LONGEST)
		return FLAGS_UNKNOWN;
	if ((*at & 0xf0) == REX)
		wide = *at++ & REX_W;
	o = *at == TWO_BYTES ? &two_bytes[*++at] : &one_byte[*at];
	at++;
	*length = (unsigned)(at - code) + operand_bytes(o->operands, wide, at);
	return o->use < ARITHMETIC ? o->use : groups[o->use - ARITHMETIC][at[0] >> 3 & 7];
}
