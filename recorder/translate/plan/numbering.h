/* SPDX-License-Identifier: MIT */
/*
 * Value numbering of the general registers along a superblock: finds which addresses follow from
 * which recorded numbers. At any point each register is "some value + a known displacement".
 * Addresses whose base and index have the same values share one slot. Addresses that follow from
 * rsp at the superblock's entry need no slot.
 */
#ifndef NUMBERING_H
#define NUMBERING_H

#include "traceformat/traceisa.h"
#include "traceformat/tracewriter.h"

enum {
	NUMBERING_SLOTS = 1024,  /* of a superblock */
	NUMBERING_PLACES = 1536, /* of a record */
};

/* The sources of a recorded number. */
enum capture_kind {
	CAPTURE_SUM, /* general[base] + general[index] * scale */
	/* The low bits of general[base]: 8 (not of rsp .. rdi), zero-extended; 16 or 32,
	 * sign-extended; or all 64. */
	CAPTURE_PART,
	CAPTURE_MASK,   /* mask register `base` */
	CAPTURE_SIGNS,  /* signs of the elements of vector register `base` */
	CAPTURE_VECTOR, /* low 8 * n_places bytes of vector register `base` */
	/* edx:eax, from which plan_correct() computes the size of an xsave area */
	CAPTURE_COMPONENTS,
	CAPTURE_REPETITIONS, /* rcx before, which is in count_place, minus rcx after */
	CAPTURE_REP_FLAGS,   /* enum tf_rep_flags */
	CAPTURE_FS_BASE,
	CAPTURE_GS_BASE,     /* the program's */
	CAPTURE_MMX,         /* mm register `base` */
	CAPTURE_MMX_SIGNS,   /* signs of the bytes of mm register `base` */
	CAPTURE_X87_CONTROL, /* control words */
	CAPTURE_MXCSR,
};

/*
 * Numbers that are recorded at one point. A record has them in places of 8 bytes, in the order in
 * which they are recorded. Each place becomes the next slot of the trace, unless it is hidden: a
 * hidden place is only in the record.
 */
struct capture {
	uint16_t place;   /* the first one */
	uint8_t n_places; /* 0 stands for 1 */
	uint8_t hidden;
	uint16_t insn; /* instruction before or after which it is recorded */
	uint8_t kind;
	uint8_t after;
	uint8_t base, index, scale;
	uint8_t size;  /* CAPTURE_PART, CAPTURE_MASK: bits; CAPTURE_SIGNS: bytes of an element */
	uint8_t bytes; /* CAPTURE_SIGNS: bytes of the vector, 8, 16 or 32 */
	uint16_t count_place;
};

/* A register's content: a value plus a displacement. */
struct register_value {
	uint16_t value;
	int64_t displacement;
};

/* A slot's content: value[base] + value[index] * scale + displacement. */
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

/* Begins at a superblock's entry, where only rsp is known. */
void numbering_begin(struct numbering *numbering);

/* Returns the recipe of an address that instruction `insn` uses. */
struct tf_recipe numbering_address(struct numbering *numbering, const struct isa_address *address,
				   unsigned insn);

/* Adds a capture. Returns its first slot or, if the capture is hidden, its first place. */
unsigned numbering_capture(struct numbering *numbering, const struct capture *capture);

/*
 * Returns how many bits a mask of at least so many lanes can be captured with. Depends on the CPU.
 */
unsigned capture_mask_bits(unsigned lanes);

/* Applies the effects of an executed instruction. */
void numbering_retire(struct numbering *numbering, const struct isa_effects *effects);

/* Fills in the rule for rsp of an exit after instruction `insn`. The rule may take a slot. */
void numbering_rsp(struct numbering *numbering, struct tf_exit *exit, unsigned insn);

#endif
