/* SPDX-License-Identifier: MIT */
/*
 * Writes the x86-64 instructions that translated code uses besides the program's own. An
 * instruction changes the flags only where its comment says so. Registers are enum isa_general, or
 * ISA_NO_REGISTER for none.
 */
#ifndef ASSEMBLER_H
#define ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/traceisa.h"

enum { ASSEMBLER_LITERALS = 512 };

/*
 * Code is written at `at` and will run at `pc`. If code does not fit, `full` is set and nothing
 * more is written. 8-byte literals are collected and placed after the code.
 */
struct assembler {
	uint8_t *start, *at, *end;
	uint64_t pc; /* address at which the first byte will run */
	bool full;
	unsigned n_literals;
	struct {
		uint8_t *field; /* rip-relative displacement to be filled in */
		uint64_t value;
	} literals[ASSEMBLER_LITERALS];
};

/* Begins at `at`, with room for `size` bytes that will run at pc. */
void asm_begin(struct assembler *a, uint8_t *at, size_t size, uint64_t pc);

/* Returns the address at which the next byte will run. */
static inline uint64_t asm_here(const struct assembler *a)
{
	return a->pc + (uint64_t)(a->at - a->start);
}

void asm_bytes(struct assembler *a, const void *bytes, size_t size);

/* Writes four bytes that asm_end() replaces by the distance to a literal of this value. */
void asm_literal(struct assembler *a, uint64_t value);

/* Places the literals after the code. Returns false if something did not fit. */
bool asm_end(struct assembler *a);

/* Copies an instruction and changes its rip-relative field (isa_effects) so that it still refers to
 * `target`. Returns false if that is too far away. */
bool asm_moved(struct assembler *a, const uint8_t *code, unsigned length, unsigned rip_field,
	       uint64_t target);

/* mov reg, gs:[offset] and back */
void asm_load_gs(struct assembler *a, unsigned reg, uint32_t offset);
void asm_store_gs(struct assembler *a, uint32_t offset, unsigned reg);
/* mov reg32, gs:[offset] and back */
void asm_load_gs_half(struct assembler *a, unsigned reg, uint32_t offset);
void asm_store_gs_half(struct assembler *a, uint32_t offset, unsigned reg);
/* mov qword gs:[offset], value */
void asm_store_gs_constant(struct assembler *a, uint32_t offset, int32_t value);
/* movzx reg, byte gs:[base + offset] */
void asm_load_gs_byte(struct assembler *a, unsigned reg, unsigned base, uint32_t offset);
/* xchg gs:[offset], reg */
void asm_exchange_gs(struct assembler *a, uint32_t offset, unsigned reg);
/* sub qword gs:[offset], value; changes the flags */
void asm_subtract_gs(struct assembler *a, uint32_t offset, int32_t value);
/* inc dword gs:[offset]; changes the flags, except CF */
void asm_increment_gs(struct assembler *a, uint32_t offset);
/* cmp [base + displacement], value; bytes: 4 or 8. cmp reg, value. They change the flags. */
void asm_compare(struct assembler *a, unsigned base, int32_t displacement, int32_t value,
		 unsigned bytes);
void asm_compare_register(struct assembler *a, unsigned reg, uint64_t value);
/* sub reg, other; changes the flags */
void asm_subtract(struct assembler *a, unsigned reg, unsigned other);
/* Change the flags, and maybe the register, as add, sub and and do. The operands are the low bytes
 * (1, 2, 4 or 8) of a register and those of another register, or of the value if the other is
 * ISA_NO_REGISTER. */
void asm_add_flags(struct assembler *a, unsigned reg, unsigned other, int32_t value,
		   unsigned bytes);
void asm_subtract_flags(struct assembler *a, unsigned reg, unsigned other, int32_t value,
			unsigned bytes);
void asm_and_flags(struct assembler *a, unsigned reg, unsigned other, int32_t value,
		   unsigned bytes);
/* mov reg, gs:[index * 8 + offset] */
void asm_load_gs_entry(struct assembler *a, unsigned reg, unsigned index, uint32_t offset);

/* mov [base + displacement], reg; bytes: 4 or 8 */
void asm_store(struct assembler *a, unsigned base, int32_t displacement, unsigned reg,
	       unsigned bytes);
/* mov reg, [base + displacement] */
void asm_load(struct assembler *a, unsigned reg, unsigned base, int32_t displacement);
/* movzx reg, byte or word [base + displacement]; bytes: 1 or 2 */
void asm_load_zero_extended(struct assembler *a, unsigned reg, unsigned base, int32_t displacement,
			    unsigned bytes);
/* mov qword [base + displacement], value */
void asm_store_constant(struct assembler *a, unsigned base, int32_t displacement, int32_t value);
/* kmovb, kmovw, kmovd, kmovq [base + displacement], mask register; zero-padded to 64 bits. `bits`
 * is a result of capture_mask_bits(). */
void asm_store_mask(struct assembler *a, unsigned base, int32_t displacement, unsigned mask,
		    unsigned bits);
/* fnstcw word, stmxcsr dword [base + displacement] */
void asm_store_x87_control(struct assembler *a, unsigned base, int32_t displacement);
void asm_store_mxcsr(struct assembler *a, unsigned base, int32_t displacement);
/* vmovq, vmovdqu, vmovdqu64 of the low 8, 16, 32 or 64 bytes of a vector register */
void asm_store_vector(struct assembler *a, unsigned base, int32_t displacement, unsigned vector,
		      unsigned bytes);
/* vpmovmskb, vmovmskps, vmovmskpd: the signs of the elements, of 1, 4 or 8 bytes, in the low 16 or
 * 32 bytes of vector register 0 to 15 */
void asm_signs(struct assembler *a, unsigned reg, unsigned vector, unsigned element,
	       unsigned bytes);
/* sete reg8; the other bytes keep their values. The instruction always has a REX prefix. */
void asm_set_zero_flag(struct assembler *a, unsigned reg);
/* movq [base + displacement], mm register; pmovmskb reg, mm register */
void asm_store_mmx(struct assembler *a, unsigned base, int32_t displacement, unsigned mmx);
void asm_signs_mmx(struct assembler *a, unsigned reg, unsigned mmx);

/* lea reg, [base + index * scale + displacement] */
void asm_lea(struct assembler *a, unsigned reg, unsigned base, unsigned index, unsigned scale,
	     int32_t displacement);
void asm_move(struct assembler *a, unsigned to, unsigned from);
void asm_pop(struct assembler *a, unsigned reg);
/* rdfsbase */
void asm_read_fs_base(struct assembler *a, unsigned reg);
/* rdgsbase reg, wrgsbase reg */
void asm_read_gs_base(struct assembler *a, unsigned reg);
void asm_write_gs_base(struct assembler *a, unsigned reg);
void asm_not(struct assembler *a, unsigned reg);
/* movzx or movsx to, low bits of from */
void asm_zero_extend_16(struct assembler *a, unsigned to, unsigned from);
void asm_zero_extend_8(struct assembler *a, unsigned to, unsigned from);
void asm_sign_extend_16(struct assembler *a, unsigned to, unsigned from);
void asm_sign_extend_32(struct assembler *a, unsigned to, unsigned from);

/* mov reg, value; push value: through a literal */
void asm_load_literal(struct assembler *a, unsigned reg, uint64_t value);
void asm_push_literal(struct assembler *a, uint64_t value);

/* mov reg, value: within the instruction */
void asm_load_constant(struct assembler *a, unsigned reg, uint64_t value);
/* mov or movzx reg, [address]; bytes: 1, 2, 4 or 8, zero-extended. Returns false if the address is
 * too far away. */
bool asm_load_near(struct assembler *a, unsigned reg, uint64_t address, unsigned bytes);

/* Returns the place of the literal that an instruction of asm_load_literal() loads, after
 * asm_end(). */
uint8_t *asm_literal_of(uint8_t *load);

/* Writes a jmp to target, through a literal if the target is too far away. Returns the place of the
 * instruction. */
uint8_t *asm_jump(struct assembler *a, uint64_t target);

/* Changes the target of a jump that asm_jump() wrote with a near target. Returns false if the new
 * target is too far. */
bool asm_jump_change(uint8_t *jump, uint64_t pc, uint64_t target);

/* jmp gs:[index * 8 + offset]; jmp gs:[offset] */
void asm_jump_table(struct assembler *a, unsigned index, uint32_t offset);
void asm_jump_gs(struct assembler *a, uint32_t offset);

void asm_syscall(struct assembler *a);
void asm_pause(struct assembler *a);
/* rdtsc, then stores edx:eax to the 8 bytes at [base + displacement]; changes eax and edx */
void asm_store_time(struct assembler *a, unsigned base, int32_t displacement);

/* Writes a jrcxz whose target asm_short_target() sets. */
uint8_t *asm_jump_if_rcx_0(struct assembler *a);
void asm_short_target(struct assembler *a, uint8_t *jump);

/* Writes a jcc with a 32-bit displacement, condition as in its opcode. Returns the place of the
 * displacement, which asm_target() fills in. */
uint8_t *asm_jump_if(struct assembler *a, unsigned condition);
/* Writes a jmp whose displacement asm_target() fills in. */
uint8_t *asm_jump_ahead(struct assembler *a);
void asm_target(struct assembler *a, uint8_t *field);

/*
 * Writes an int3 and a number after it that is never executed. Both together are as long as a jump.
 */
enum { ASM_JUMP_BYTES = 5 };
void asm_trap(struct assembler *a, uint32_t number);
bool asm_is_trap(const uint8_t *code);

/* Turns the instruction at `code` into a trap by a single store. */
void asm_make_trap(uint8_t *code);

/* Writes a nop of ASM_JUMP_BYTES that can be changed into a trap or a jump. */
void asm_nop(struct assembler *a);

/*
 * Writes a nop, if needed, so that the next ASM_JUMP_BYTES lie in one cache line, and the last four
 * of them in one aligned word of 8 bytes. They can then be changed while other threads fetch them.
 */
void asm_patchable(struct assembler *a);

/* Writes a jmp to the next instruction. asm_jump_change() can set another target later. */
void asm_open_jump(struct assembler *a);

/* Returns true for a trap, and for a jump of asm_open_jump() that still has its first target. */
bool asm_is_open(const uint8_t *code);

#endif
