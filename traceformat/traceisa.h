/* SPDX-License-Identifier: MIT */
/*
 * libtraceisa - facts about machine instructions that hold whatever their registers contain,
 * computed once a static instruction and shared by recorder and analyzers.
 *
 * Reading a trace needs none of this: what a reader must know stands in the file. An analyzer
 * that wants categories or disassembly derives them here from the code bytes in the file.
 * The implementation for x86-64 is in x86_64/, on libzydis. No global state, no output.
 */
#ifndef TRACEISA_H
#define TRACEISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * The vendor whose processor executes an instruction. Other vendors' processors do what Intel's do.
 * AMD's differ in: near branches with an operand-size prefix and no REX.W (offsets, return
 * addresses and targets of 16 bits, where Intel's ignore the prefix), far pointers with REX.W
 * (32-bit offsets, not 64), movsxd with an operand-size prefix (4 bytes, not 2), sysenter (not in
 * 64-bit mode).
 */
enum isa_vendor { ISA_INTEL, ISA_AMD };

/*
 * Returns the vendor that CPUID gives as id ("AuthenticAMD"); ISA_INTEL for NULL and all other
 * names.
 */
enum isa_vendor isa_vendor_of(const char *id);

/* Returns the vendor of the processor on which the program runs. */
enum isa_vendor isa_vendor_here(void);

enum {
	ISA_TILE_ROWS = 16, /* rows of an AMX tile at most, of so many bytes */
	ISA_TILE_COLUMNS = 64,
	ISA_MAX_OPERANDS = 7, /* memory operands of one instruction: the pieces of a tile */
	ISA_MAX_EXTRAS = 1 + ISA_TILE_ROWS, /* extras of one operand: a mask and indices */
	ISA_MAX_VALUES = ISA_MAX_OPERANDS * (1 + ISA_MAX_EXTRAS),
	ISA_NO_REGISTER = 255,
};

/* General registers have their x86-64 encoding numbers: rax 0, rcx, rdx, rbx, rsp 4, rbp 5, rsi 6,
 * rdi 7, r8 8 .. r15 15. */
enum isa_general { ISA_RAX, ISA_RCX, ISA_RDX, ISA_RBX, ISA_RSP, ISA_RBP, ISA_RSI, ISA_RDI };

enum isa_mask_source {
	ISA_MASK_NONE = 0,
	ISA_MASK_K = 1,    /* bit i of mask register k<mask_register> */
	ISA_MASK_SIGN = 2, /* sign bit of element i of vector register <mask_register>, whose
				   elements have mask_element bytes (vmaskmov, vpgather,
				   maskmovdqu) */
	ISA_MASK_MMX = 3,  /* sign bit of byte i of mm<mask_register> (maskmovq) */
	ISA_MASK_TILE = 4, /* row i of tile <mask_register>, see isa_address.row_stride */
};

/* Where the byte count of a TF_SIZED operand comes from. */
enum isa_size_source {
	ISA_SIZE_NONE = 0,
	ISA_SIZE_LANES = 1,  /* active ones of mask_lanes lanes, mask_element bytes each, packed
				   (vpcompress, vpexpand) */
	ISA_SIZE_XSAVE = 2,  /* standard format: the end of the highest component in edx:eax and
				   xcr0, at least 576. xrstor too, whatever format it finds */
	ISA_SIZE_XSAVEC = 3, /* compacted format: 576 and the components one after the other */
};

/*
 * How the address of a memory operand follows from registers before the instruction executes:
 * general[base] + general[index] * scale + displacement, mod 2^32 if address32, plus the
 * segment's base. rip-relative operands are constants: base is ISA_NO_REGISTER and displacement
 * absolute. Implicit changes of rsp are folded in: push stores at rsp - size, pop [rsp+8] sees
 * rsp after the increment. Addresses with index_byte or align have no tf_recipe of this form:
 * record their value itself.
 *
 * A load or store of an AMX tile has one TF_LANES operand for each power of two from 64 down to 1;
 * lane i is in row i. The bytes of a row (colsb of the tile configuration) are the sum of some of
 * these powers: a row of 48 bytes is accessed in a piece of 32 and one of 16 behind it. The mask
 * has the rows from the configuration's start_row on if their bytes have that piece, else none.
 */
struct isa_address {
	uint8_t base, index; /* general register, or ISA_NO_REGISTER */
	uint8_t scale;       /* 1, 2, 4, 8, of index or row_stride; 0 without */
	uint8_t index_byte;  /* 1: the index is general[index] & 0xff (xlat) */
	uint8_t align;       /* 0, or bytes: the address is rounded down to a multiple
				   (clzero) */
	uint8_t address32;
	uint8_t segment;    /* enum tf_segment */
	uint8_t bit_string; /* 0, or operand width in bits: + (general[bit_register]
				   sign-extended from that width >> log2(width)) * width / 8 */
	uint8_t bit_register;
	uint8_t index_vector; /* vector register of a TF_LANES operand, else ISA_NO_REGISTER */
	uint8_t row_stride;   /* ISA_MASK_TILE: index i is general[row_stride] * scale * i, as
				   address32 makes it wrap; else, and of a stride of 0,
				   ISA_NO_REGISTER */
	uint8_t mask_source;  /* enum isa_mask_source */
	uint8_t mask_register, mask_element; /* ISA_MASK_TILE: bytes of the piece */
	uint8_t size_source;                 /* enum isa_size_source */
	uint8_t mask_lanes; /* ISA_SIZE_LANES, and loads that are broadcast: bits of the mask,
				   which isa_fold_mask() folds to the lanes of memory; else 0 */
	int64_t displacement;
};

/* A memory operand: what the trace stores of it, and where its address comes from. */
struct isa_operand {
	struct tf_operand trace; /* .insn and .extra are left 0 */
	uint8_t n_extras;        /* extras of its form; for TF_REP 3, shared by the
					   operands */
	struct isa_address address;
};

/* Coarse classes, each instruction in exactly one, for summaries. */
enum isa_class {
	ISA_CLASS_MOVE,           /* mov, movzx, lea, xchg, cmov, set, bswap */
	ISA_CLASS_STACK,          /* push, pop, enter, leave */
	ISA_CLASS_INT_ARITHMETIC, /* add, sub, inc, cmp, neg, adc */
	ISA_CLASS_INT_MULTIPLY,   /* mul, imul, div, idiv, mulx */
	ISA_CLASS_LOGIC,          /* and, or, xor, not, test */
	ISA_CLASS_SHIFT,          /* shifts, rotates, bit tests and scans, BMI */
	ISA_CLASS_BRANCH,         /* conditional */
	ISA_CLASS_JUMP,
	ISA_CLASS_CALL,
	ISA_CLASS_RETURN,
	ISA_CLASS_STRING,      /* movs, stos, cmps, scas, lods with or without rep */
	ISA_CLASS_X87,         /* and MMX */
	ISA_CLASS_VECTOR_MOVE, /* SSE, AVX, AVX-512: moves, shuffles, gathers, conversions */
	ISA_CLASS_VECTOR_INT,
	ISA_CLASS_VECTOR_FLOAT, /* scalar and packed */
	ISA_CLASS_CRYPTO,       /* aes, sha, pclmul, gfni */
	ISA_CLASS_ATOMIC,       /* lock-prefixed, xchg with memory, fences */
	ISA_CLASS_NOP,          /* nop, endbr, prefetch */
	ISA_CLASS_SYSTEM,       /* syscall, cpuid, rdtsc, xsave, ... */
	ISA_CLASS_OPAQUE,       /* not decodable */
	ISA_N_CLASSES
};

enum isa_control_word { ISA_X87_CONTROL = 1, ISA_MXCSR = 2 };

/* The facts about one static instruction. */
struct isa_insn {
	uint8_t length;              /* bytes */
	uint8_t flags;               /* enum tf_insn_flags */
	uint8_t end;                 /* enum tf_end: TF_END_NONE unless it ends a basic block */
	uint8_t insn_class;          /* enum isa_class */
	uint8_t loads_control_word;  /* 0, or enum isa_control_word, or-ed: fldcw, fldenv,
					   frstor, fninit, fnsave, fxrstor, ldmxcsr, xrstor, ... */
	uint8_t writes_segment_base; /* TF_SEGMENT_FS or _GS: wrfsbase, wrgsbase, and loads of
					   the selector by mov, pop, lfs, lgs; else 0 */
	uint8_t rep_element;         /* TF_INSN_REP: bytes of an element */
	uint8_t rep_condition;       /* TF_INSN_REP: 0 none, 1 repe (cmps, scas), 2 repne */
	uint8_t address32;           /* string instructions: esi, edi, ecx are used */
	uint8_t n_operands;
	uint8_t n_values; /* addresses and extras; a rep's shared extras count once */
	uint64_t target;  /* static branch target, 0 if none */
	struct isa_operand operands[ISA_MAX_OPERANDS];
};

/*
 * Decodes the instruction at code. available: bytes readable there; pc: its virtual address.
 * Returns 0, or -1 if no instruction is recognized within the bytes available (then *insn is
 * untouched). O(1). Recognized instructions whose accesses no operand can express
 * (vmcall, enclu) are TF_INSN_OPAQUE with TF_END_OPAQUE and without operands.
 */
int isa_decode(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
	       struct isa_insn *insn);

/* Register state before an instruction executes. */
struct isa_registers {
	uint64_t general[16];
	uint64_t rip, rflags, fs_base, gs_base;
	uint64_t mask[8];        /* k0 .. k7 */
	uint64_t mmx[8];         /* mm0 .. mm7 */
	uint8_t vector[32][64];  /* zmm0 .. zmm31, little-endian bytes */
	uint64_t xcr0;           /* enabled state components, for xsave */
	uint8_t tile_config[64]; /* as sttilecfg stores it; zeros: no tiles */
};

/*
 * Returns true if, for this instruction, isa_values reads registers beside the general ones, rip,
 * rflags and segment bases.
 */
bool isa_needs_vectors(const struct isa_insn *insn);

/*
 * Returns the lanes of memory that a broadcast loads: lane i goes to the lanes i, i + lanes,
 * i + 2 * lanes, ... of a register, and is loaded if one of these is set in the mask.
 */
uint64_t isa_fold_mask(uint64_t mask, unsigned lanes);

/*
 * Computes the values of the instruction's operands, in the order of a trace: n_operands
 * addresses, then the extras operand by operand (a rep's shared three once). Of a rep's extras
 * only the count before is known: done and flags are set to 0 for the caller to fill in.
 * values: room for insn->n_values.
 */
void isa_values(const struct isa_insn *insn, const struct isa_registers *registers,
		uint64_t *values);

/*
 * The effects of an instruction on the general registers and the flags, and the offsets of its
 * fields. Bit n of a mask is general register n (isa_general).
 */
struct isa_effects {
	uint16_t reads;      /* any part of the register, also for an address, and also if part
				   of it may survive a write (8 and 16 bits, cmov, bsf) */
	uint16_t writes;     /* any part of it, also if only under a condition */
	bool reads_flags;    /* any of CF PF AF ZF SF OF DF */
	bool writes_flags;   /* likewise, also if only under a condition or to undefined values;
				   other flags may survive (inc) */
	bool replaces_flags; /* whatever CF PF AF ZF SF OF have been, it does not read them and
				   they are something else behind it (add, cmp, test; no shift by
				   cl) */
	bool uses_gs;        /* a gs-prefixed memory operand, rdgsbase, wrgsbase, swapgs,
				   mov to or from gs, push/pop/lgs gs */
	/*
	 * general[to] after the instruction is general[from] before it + displacement, mod 2^64.
	 * `to` is ISA_NO_REGISTER if no register is known to follow from another one. These
	 * instructions set it: mov, lea with only a base, add and sub with an immediate, inc, dec
	 * (all 64-bit); push, pop, near call and ret, for rsp; leave, whose rsp is rbp + 8. With an
	 * operand-size prefix the 8 is a 2.
	 */
	uint8_t to, from;
	int64_t displacement;
	/* Offsets in the instruction, bytes. */
	uint8_t opcode;    /* of the opcode's first byte behind legacy prefixes and REX, or of
				   the VEX or EVEX prefix */
	uint8_t modrm;     /* 0: none */
	uint8_t rip_field; /* of the 4-byte displacement of a rip-relative operand, 0: none */
	uint8_t immediate; /* bytes behind that displacement, i.e. length - rip_field - 4 */
};

/*
 * Gives the effects of the instruction at code. available, pc: as for isa_decode. Returns 0, or -1
 * if it does not decode or is opaque to isa_decode (then *effects is untouched). System calls count
 * as reading all registers and writing rax, rcx and r11.
 */
int isa_effects(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		struct isa_effects *effects);

/*
 * isa_decode and isa_effects of one instruction, which is decoded only once. Returns what
 * isa_decode does;
 * *effects is untouched if the instruction is opaque.
 */
int isa_decode_all(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		   struct isa_insn *insn, struct isa_effects *effects);

/*
 * The facts that Pin gives its tools, from which MICA's characteristics are computed. Registers are
 * numbered without folding: rax, eax, ax, al and ah are five; st0 and mm0 are two. Flags, rip, and
 * segment, control, debug and x87 status registers have no number. They are those of a version of
 * XED with CET; before CET, endbr64 and rdssp were no-operations.
 */
enum { ISA_N_REGISTERS = 189, ISA_MAX_FACT_REGISTERS = 12 };

struct isa_facts {
	const char *category;        /* XED's: "BINARY", "COND_BR", "DATAXFER" */
	char iclass[24];             /* XED's: "ADD", "CALL_NEAR", "JNZ", "MOVSD_XMM"; no REP_ or
				   _LOCK */
	bool conditional;            /* of category COND_BR */
	bool register_transfer;      /* a mov all of whose operands are registers */
	uint8_t n_register_operands; /* explicit, implicit and hidden ones: flags and rip count,
					   base and index registers do not */
	/*
	 * Sets. Reads have base and index registers, of lea too. A register written under a
	 * condition counts as written, and is not read for that (cmov). A cleared register is read
	 * (xor).
	 */
	uint8_t n_reads, n_writes;
	uint8_t reads[ISA_MAX_FACT_REGISTERS], writes[ISA_MAX_FACT_REGISTERS];
};

/*
 * Gives the facts about the instruction at code. Returns 0, or -1 if it does not decode; *facts
 * then has the category and iclass "INVALID", and no registers.
 */
int isa_facts(const uint8_t *code, size_t available, enum isa_vendor vendor,
	      struct isa_facts *facts);

/* Returns the name of a register of isa_facts: "rax", "xmm0". */
const char *isa_register_name(uint8_t number);

/* Returns the widest register that contains this one: rax for ah, zmm3 for xmm3. */
uint8_t isa_register_whole(uint8_t number);

/*
 * The constants in an instruction's bytes: displacements and immediates. Those are left out that
 * say what the instruction is or where it leads: relative targets, and the immediates of enter, int
 * and ret.
 */
struct isa_constant {
	uint8_t offset, size; /* in the instruction, bytes */
	uint8_t kept;         /* bits of each byte that are no constant: the number of a register */
};
struct isa_constants {
	uint8_t count;
	struct isa_constant at[3];
};

/*
 * Finds the constants of the instruction at code. Returns 0, or -1 if it does not decode (then
 * *constants is untouched).
 */
int isa_constants(const uint8_t *code, size_t available, enum isa_vendor vendor,
		  struct isa_constants *constants);

/* Replaces a constant by zeros. code: the instruction that has it. */
void isa_clear_constant(const struct isa_constant *constant, uint8_t *code);

enum isa_syntax { ISA_SYNTAX_ATT, ISA_SYNTAX_INTEL };

/*
 * Writes the disassembly, "mov %rax, (%rbx)", to text (NUL-terminated, cut if size is short).
 * Undecodable bytes give "(bad)". Branch targets are printed as addresses; the address of an
 * operand relative to rip follows as a comment, "lea 0x10(%rip), %rax # 0x402017".
 */
void isa_disassemble(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		     enum isa_syntax syntax, char *text, size_t size);

/* Returns a class's name, for example "int-multiply". */
const char *isa_class_name(enum isa_class insn_class);

/* Writes the instruction's mnemonic ("vpaddd") to text; "(bad)" if it does not decode. */
void isa_mnemonic(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		  char *text, size_t size);

/*
 * Facts of an encoding that are none of those above, and that decide how Valgrind's exp-bbv counts
 * the instruction. The numbers are those of FORMAT.md 4.8.
 */
enum isa_trait {
	ISA_TRAIT_REPE = 1,      /* a repeated cmps or scas that ends at a difference, */
	ISA_TRAIT_REPNE = 2,     /* or at a match */
	ISA_TRAIT_LODS = 4,      /* repeated */
	ISA_TRAIT_PREFIX = 8,    /* a repeated string instruction with a prefix beside 66, 67, f2,
				 f3 and 48 */
	ISA_TRAIT_FLDCW = 16,    /* without prefixes */
	ISA_TRAIT_RESTORES = 32, /* fxrstor, xrstor */
	ISA_TRAIT_ENDS = 64,     /* pause, clflush */
	ISA_TRAIT_LOOP = 128,    /* loop, loope, loopne, jrcxz */
	ISA_TRAIT_VERBOSE = 256, /* fused multiply-add by VEX, 256-bit vpmulhrsw */
};

/* Returns the traits (enum isa_trait, or-ed) of the instruction at code. */
unsigned isa_traits(const uint8_t *code, size_t length);

/*
 * Give the facts of instruction i of a trace's block. If the trace withholds its
 * code, the facts come from the instruction's kind; then isa_block_insn() sets only length, flags,
 * end, target, class, rep_condition and the operands' trace members, isa_block_effects() knows no
 * `to` but rsp, no displacement and no offsets, and isa_block_disassemble() writes
 * "[mov: rax <- rbx]". Mnemonic, category and iclass may be "". Pointers in *facts are valid as
 * long as the block is.
 */
int isa_block_insn(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
		   struct isa_insn *insn);
int isa_block_effects(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
		      struct isa_effects *effects);
int isa_block_facts(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
		    struct isa_facts *facts);
unsigned isa_block_traits(const struct tf_block *block, unsigned i);
void isa_block_mnemonic(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
			char *text, size_t size);
void isa_block_disassemble(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
			   enum isa_syntax syntax, char *text, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
