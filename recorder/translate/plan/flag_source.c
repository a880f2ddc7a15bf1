/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/flag_source.h"

#include <string.h>

enum { REX = 0x40, REX_W = 8, REX_R = 4, REX_B = 1, OPERAND_SIZE = 0x66, HIGH_BYTES = 4 };
/* Operations as encoded in bits 3 to 5 of an opcode or of ModRM. */
enum { ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST };

/* An instruction on registers and immediates that replaces the flags. A register is ISA_NO_REGISTER
 * if the operand is in memory; a source that is no register may be an immediate. */
struct operation {
	unsigned kind;
	unsigned bytes;
	unsigned destination, source;
	bool constant;
	int32_t immediate;
};

/* ---- decoding ---- */

static unsigned rex_of(const struct plan_insn *insn)
{
	const uint8_t *opcode = insn->code + insn->effects.opcode;

	return insn->effects.opcode && (opcode[-1] & 0xf0) == REX ? opcode[-1] : 0;
}

static unsigned operand_bytes(const struct plan_insn *insn, bool byte)
{
	if (byte)
		return 1;
	if (rex_of(insn) & REX_W)
		return 8;
	return memchr(insn->code, OPERAND_SIZE, insn->effects.opcode) ? 2 : 4;
}

/* Returns the register of an operand. An 8-bit register qualifies only if it is the low byte of the
 * register with its number. */
static unsigned named(unsigned number, bool extended, unsigned bytes, unsigned rex)
{
	if (bytes == 1 && !rex && number >= HIGH_BYTES)
		return ISA_NO_REGISTER;
	return number | (extended ? 8u : 0u);
}

/* Returns the register of the ModRM operand that may be memory. */
static unsigned register_or_memory(const struct plan_insn *insn, unsigned bytes)
{
	enum { REGISTER = 3 };
	unsigned modrm = insn->code[insn->effects.modrm], rex = rex_of(insn);

	return modrm >> 6 == REGISTER ? named(modrm & 7, rex & REX_B, bytes, rex) : ISA_NO_REGISTER;
}

static unsigned other_register(const struct plan_insn *insn, unsigned bytes)
{
	unsigned modrm = insn->code[insn->effects.modrm], rex = rex_of(insn);

	return named(modrm >> 3 & 7, rex & REX_R, bytes, rex);
}

static unsigned in_modrm(const struct plan_insn *insn)
{
	return insn->code[insn->effects.modrm] >> 3 & 7;
}

/* Reads the immediate at the instruction's end. */
static void take_immediate(struct operation *o, const struct plan_insn *insn, unsigned bytes)
{
	const uint8_t *at = insn->code + insn->fact->length - bytes;
	int16_t word;

	o->source = ISA_NO_REGISTER;
	o->constant = true;
	if (bytes == 1) {
		o->immediate = (int8_t)*at;
	} else if (bytes == 2) {
		memcpy(&word, at, sizeof(word));
		o->immediate = word;
	} else {
		memcpy(&o->immediate, at, sizeof(o->immediate));
	}
}

static unsigned immediate_bytes(const struct operation *o)
{
	return o->bytes < 4 ? o->bytes : 4;
}

/* Decodes add, or, and, sub, xor, cmp of a register or memory and a register, or of rax and an
 * immediate. */
static bool decode_basic(struct operation *o, const struct plan_insn *insn, unsigned opcode)
{
	enum { TO_MEMORY = 2, FROM_MEMORY = 4, TO_RAX = 6 };
	unsigned form = opcode & 7;

	o->kind = opcode >> 3;
	o->bytes = operand_bytes(insn, !(form & 1));
	if (form < TO_MEMORY) {
		o->destination = register_or_memory(insn, o->bytes);
		o->source = other_register(insn, o->bytes);
	} else if (form < FROM_MEMORY) {
		o->destination = other_register(insn, o->bytes);
		o->source = register_or_memory(insn, o->bytes);
	} else if (form < TO_RAX) {
		o->destination = ISA_RAX;
		take_immediate(o, insn, immediate_bytes(o));
	}
	return form < TO_RAX;
}

/* Decodes the same operations of a register or memory and an immediate. */
static bool decode_immediate(struct operation *o, const struct plan_insn *insn, bool byte,
			     bool short_immediate)
{
	o->bytes = operand_bytes(insn, byte);
	o->destination = register_or_memory(insn, o->bytes);
	take_immediate(o, insn, short_immediate ? 1 : immediate_bytes(o));
	return true;
}

static bool decode(struct operation *o, const struct plan_insn *insn)
{
	enum {
		BASIC = 0x40,
		GROUP_1_8 = 0x80,
		GROUP_1 = 0x81,
		GROUP_1_SHORT = 0x83,
		TEST_8 = 0x84,
		TEST_16 = 0x85,
		TEST_RAX_8 = 0xa8,
		TEST_RAX = 0xa9,
		GROUP_3_8 = 0xf6,
		GROUP_3 = 0xf7
	};
	unsigned opcode = insn->code[insn->effects.opcode];

	*o = (struct operation){ .kind = TEST };
	if (opcode < BASIC)
		return decode_basic(o, insn, opcode);
	switch (opcode) {
	case GROUP_1_8:
	case GROUP_1:
	case GROUP_1_SHORT:
		o->kind = in_modrm(insn);
		return decode_immediate(o, insn, opcode == GROUP_1_8, opcode == GROUP_1_SHORT);
	case TEST_8:
	case TEST_16:
		o->bytes = operand_bytes(insn, opcode == TEST_8);
		o->destination = register_or_memory(insn, o->bytes);
		o->source = other_register(insn, o->bytes);
		return true;
	case TEST_RAX_8:
	case TEST_RAX:
		o->bytes = operand_bytes(insn, opcode == TEST_RAX_8);
		o->destination = ISA_RAX;
		take_immediate(o, insn, immediate_bytes(o));
		return true;
	case GROUP_3_8:
	case GROUP_3:
		return in_modrm(insn) < 2 && decode_immediate(o, insn, opcode == GROUP_3_8, false);
	default: return false;
	}
}

/* ---- operands after the operation ---- */

/* Sums up by how much the register has been changed since instruction `from`. Returns false if it
 * has another value. */
static bool follow(const struct plan *p, unsigned from, unsigned to, unsigned reg, int64_t *moved)
{
	*moved = 0;
	for (unsigned i = from + 1; i < to; i++) {
		const struct isa_effects *f = &p->insns[i].effects;

		if (!(f->writes >> reg & 1))
			continue;
		if (f->to != reg || f->from != reg)
			return false;
		*moved += f->displacement;
	}
	return true;
}

/* Finds the source for a place right after the operation. */
static bool from_operation(struct flag_source *s, const struct operation *o)
{
	*s = (struct flag_source){ .bytes = (uint8_t)o->bytes,
				   .a = (uint8_t)o->destination,
				   .b = (uint8_t)o->source,
				   .immediate = o->immediate };
	switch (o->kind) {
	case OR:
	case AND:
	case XOR:
		s->operation = FLAGS_AND;
		s->b = ISA_NO_REGISTER;
		s->immediate = -1;
		return true;
	case TEST: s->operation = FLAGS_AND; break;
	case CMP: s->operation = FLAGS_SUBTRACT; break;
	case SUB:
		s->operation = FLAGS_SUBTRACT;
		s->times = !o->constant;
		s->displacement = o->immediate;
		break;
	case ADD:
		if (o->immediate == INT32_MIN) /* -immediate would not fit */
			return false;
		s->operation = FLAGS_ADD;
		s->times = (int8_t) - !o->constant;
		s->displacement = -o->immediate;
		break;
	default: return false;
	}
	return o->constant || o->source != ISA_NO_REGISTER;
}

/* Finds the source for the place before instruction number `insn`; the operation is instruction
 * number `at`. */
static bool from_operands(struct flag_source *s, const struct operation *o, const struct plan *p,
			  unsigned at, unsigned insn)
{
	int64_t moved, other_moved = 0;

	if (o->destination == ISA_NO_REGISTER || !from_operation(s, o) ||
	    !follow(p, at, insn, s->a, &moved))
		return false;
	moved = s->displacement - moved;
	s->displacement = (int32_t)moved;
	if (s->b != ISA_NO_REGISTER && !follow(p, at, insn, s->b, &other_moved))
		return false;
	return moved == (int32_t)moved && !other_moved && !(s->times && s->a == s->b);
}

/* Returns true if the operation subtracts a register from itself: the flags are those of 0 in any
 * case. */
static bool makes_0(const struct operation *o)
{
	return (o->kind == SUB || o->kind == XOR) && o->destination != ISA_NO_REGISTER &&
	       o->destination == o->source && !o->constant;
}

bool flag_source_find(const struct plan *p, unsigned first, unsigned insn, unsigned except,
		      struct flag_source *source)
{
	struct operation o;
	unsigned at = insn;

	while (at > first && !p->insns[at - 1].effects.writes_flags)
		at--;
	if (at-- == first || !p->insns[at].effects.replaces_flags || !decode(&o, &p->insns[at]))
		return false;
	if (makes_0(&o)) {
		*source = (struct flag_source){
			.operation = FLAGS_SUBTRACT, .bytes = 8, .a = ISA_RSP, .b = ISA_RSP
		};
		return true;
	}
	return from_operands(source, &o, p, at, insn) && source->b != except;
}

/* ---- the flags ---- */

uint64_t flag_source_flags(const struct flag_source *s, const uint64_t general[16], uint64_t eflags)
{
	enum {
		CF = 1,
		PF = 4,
		AF = 0x10,
		ZF = 0x40,
		SF = 0x80,
		OF = 0x800,
		ALL = CF | PF | AF | ZF | SF | OF
	};
	unsigned sign = 8u * s->bytes - 1;
	uint64_t mask = ~UINT64_C(0) >> (63 - sign);
	uint64_t b = s->b == ISA_NO_REGISTER ? (uint64_t)(int64_t)s->immediate : general[s->b];
	uint64_t a = general[s->a] + (uint64_t)(int64_t)s->displacement + (uint64_t)s->times * b;
	uint64_t result = 0, overflow = 0, carry = 0, flags;

	a &= mask;
	b &= mask;
	switch ((enum flag_operation)s->operation) {
	case FLAGS_ADD:
		result = (a + b) & mask;
		carry = result < a;
		overflow = (a ^ result) & (b ^ result);
		break;
	case FLAGS_SUBTRACT:
		result = (a - b) & mask;
		carry = a < b;
		overflow = (a ^ b) & (a ^ result);
		break;
	case FLAGS_AND: result = a & b; break;
	}
	flags = carry | (overflow >> sign & 1 ? OF : 0u) | (result >> sign & 1 ? SF : 0u);
	flags |= (result ? 0u : ZF) | (__builtin_parityll(result & 0xff) ? 0u : PF);
	if (s->operation != FLAGS_AND)
		flags |= (a ^ b ^ result) & AF;
	return (eflags & ~(uint64_t)ALL) | flags;
}
