/* SPDX-License-Identifier: MIT */
/*
 * Value numbering of the general registers along a superblock: which addresses follow from which
 * recorded numbers. Each register is at any point "some value + a known displacement"; addresses
 * whose base and index are the same values share one slot, and what follows from rsp at the
 * superblock's entry needs none.
 */
#ifndef NUMBERING_H
#define NUMBERING_H

#include "traceformat/traceisa.h"
#include "traceformat/tracewriter.h"

enum {
	NUMBERING_SLOTS = 1024,  /* a superblock's */
	NUMBERING_PLACES = 1536, /* a record's */
};

/* How a record gets a number. */
enum capture_kind {
	CAPTURE_SUM,         /* general[base] + general[index] * scale */
	CAPTURE_PART,        /* the low bits of general[base]: 8 (not of rsp .. rdi), zero-extended;
				   16, 32, sign-extended; or all 64 */
	CAPTURE_MASK,        /* mask register `base` */
	CAPTURE_SIGNS,       /* of the elements of vector register `base` */
	CAPTURE_VECTOR,      /* the low 8 * n_places bytes of vector register `base` */
	CAPTURE_COMPONENTS,  /* edx:eax, to become the size of an xsave area */
	CAPTURE_REPETITIONS, /* rcx before, which is in count_place, - rcx after */
	CAPTURE_REP_FLAGS,   /* enum tf_rep_flags */
	CAPTURE_FS_BASE,
	CAPTURE_GS_BASE,     /* the program's */
	CAPTURE_MMX,         /* mm register `base`, */
	CAPTURE_MMX_SIGNS,   /* and of its bytes */
	CAPTURE_X87_CONTROL, /* control words */
	CAPTURE_MXCSR,
};

/*
 * Numbers that are taken at one point. A record has them in places, of 8 bytes, in the order in
 * which they are taken. Each place is a slot of the trace, the next one, unless it is hidden: then
 * the record alone has it.
 */
struct capture {
	uint16_t place;   /* the first one */
	uint8_t n_places; /* 0 is for 1 */
	uint8_t hidden;
	uint16_t insn; /* before which, or after which, it is taken */
	uint8_t kind;
	uint8_t after;
	uint8_t base, index, scale;
	uint8_t size;  /* CAPTURE_PART, CAPTURE_MASK: bits; CAPTURE_SIGNS: bytes of an
				   element */
	uint8_t bytes; /* CAPTURE_SIGNS: of the vector, 8, 16 or 32 */
	uint16_t count_place;
};

/* A register: a value and what is added to it. */
struct register_value {
	uint16_t value;
	int64_t displacement;
};

/* What a slot holds: value[0] + value[1] * scale + displacement. */
struct slot_value {
	uint16_t base, index;
	uint8_t scale;
	uint16_t slot;
	int64_t displacement;
};

struct numbering {
	struct register_value registers[16];
	unsigned n_values;
	unsigned n_slots, n_places;       /* so far */
	uint16_t places[NUMBERING_SLOTS]; /* by slot */
	unsigned n_captures;
	struct capture captures[NUMBERING_PLACES];
	unsigned n_known;
	struct slot_value known[NUMBERING_SLOTS];
};

/* At a superblock's entry nothing is known of any register but rsp. */
void numbering_begin(struct numbering *numbering);

/* Gives the recipe of an address that instruction `insn` uses. */
struct tf_recipe numbering_address(struct numbering *numbering, const struct isa_address *address,
				   unsigned insn);

/* Adds a capture. Returns its first slot, or, if it is hidden, its first place. */
unsigned numbering_capture(struct numbering *numbering, const struct capture *capture);

/* How many bits a mask of so many lanes can be captured with, at least these; depends on the CPU. */
unsigned capture_mask_bits(unsigned lanes);

/* The instruction has executed. */
void numbering_retire(struct numbering *numbering, const struct isa_effects *effects);

/* Fills in the rule for rsp of an exit behind instruction `insn`, which may take a slot. */
void numbering_rsp(struct numbering *numbering, struct tf_exit *exit, unsigned insn);

#endif
