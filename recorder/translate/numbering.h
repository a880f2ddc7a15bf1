/* SPDX-License-Identifier: MIT */
/*
 * Value numbering of the general registers along a path: which addresses follow from which
 * recorded numbers. Each register is at any point "some value + a known displacement"; addresses
 * whose base and index are the same values share one slot, and what follows from rsp at the
 * path's entry needs none.
 */
#ifndef NUMBERING_H
#define NUMBERING_H

#include "traceformat/isa.h"

enum { NUMBERING_SLOTS = 512 };

/* How a slot gets its number. */
enum capture_kind {
	CAPTURE_SUM,		/* general[base] + general[index] * scale */
	CAPTURE_MASK,		/* mask register `base` */
	CAPTURE_COMPONENTS,	/* edx:eax, to become the size of an xsave area */
	CAPTURE_REPETITIONS,	/* rcx before, which is in count_slot, - rcx after */
	CAPTURE_ZERO_FLAG,
};

struct capture {
	uint16_t slot;
	uint16_t insn;		/* before which, or after which, it is taken */
	uint8_t kind;
	uint8_t after;
	uint8_t base, index, scale;
	uint16_t count_slot;
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
	unsigned n_slots;		/* numbers recorded so far */
	unsigned n_captures;
	struct capture captures[NUMBERING_SLOTS];
	unsigned n_known;
	struct slot_value known[NUMBERING_SLOTS];
	bool full;			/* more slots than fit: the path must end before */
};

/* At a path's entry nothing is known of any register but rsp. */
void numbering_begin(struct numbering *numbering);

/* Gives the recipe of an address that instruction `insn` uses. */
struct tf_recipe numbering_address(struct numbering *numbering, const struct isa_address *address,
				   unsigned insn);

/* Takes a slot for a number that instruction `insn` alone has. Returns the slot. */
unsigned numbering_capture(struct numbering *numbering, const struct capture *capture);

/* The instruction has executed. */
void numbering_retire(struct numbering *numbering, const struct isa_effects *effects);

/* Fills in the rule for rsp of an exit behind instruction `insn`, which may take a slot. */
void numbering_rsp(struct numbering *numbering, struct tf_exit *exit, unsigned insn);

#endif
