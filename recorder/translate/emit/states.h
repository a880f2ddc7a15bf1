/* SPDX-License-Identifier: MIT */
/*
 * Keeps the program's state, in terms of the machine registers, for every offset of a superblock's
 * code. There are several states an instruction, and they are needed only where a task has stopped,
 * so they are packed: each is stored as its difference from the previous one.
 */
#ifndef STATES_H
#define STATES_H

#include <stddef.h>
#include <stdint.h>

/* The program's position. */
enum place {
	AT_INSN,     /* before instruction number `executed` of the superblock */
	AT_CHECK,    /* as AT_INSN, while code is compared, or where it has changed */
	AT_EXIT,     /* at the target of exit number `exit` */
	AT_REGISTER, /* at the address in TARGET_REGISTER */
	AT_PATH,     /* before the superblock */
	AT_STEP,     /* as AT_INSN; the instruction has to be stepped */
};

enum state_flags {
	STATE_Q_SAVED = 1, /* register q is in context.saved_q */
	STATE_T_SAVED = 2,
	STATE_RCX_SAVED = 4,
	STATE_TARGET_SAVED = 8, /* TARGET_REGISTER is in context.saved_target */
	STATE_LEFT = 16,        /* the superblock has been left, and its record is complete */
	STATE_REPEATING = 32,   /* at a rep instruction, number `executed` */
	STATE_EXECUTED = 64,    /* after number `executed`, whose last slots are not recorded */
	STATE_UNDO = 128,       /* the last call or return record has to be removed */
	/* INDEX_REGISTER is in context.saved_index, rcx in INDEX_REGISTER */
	STATE_INDEX_SAVED = 256,
	STATE_RCX_IN_T = 1024,   /* rcx is in t, whose own value is in context.saved_t */
	STATE_FLAGS_LOST = 2048, /* the flags follow from flag_source number `exit` */
	/* the registers of gs_scratch() are in context.saved_a and .saved_b */
	STATE_GS_AWAY = 4096,
	STATE_GS_IN_B = 8192,       /* the second of them is to be context.gs_base */
	STATE_EXIT_COUNTED = 16384, /* the exit's counter has been incremented, see count.c */
	STATE_CALLED = 512, /* a system call was just made: rcx is to be the exit's target */
};

/* The state from an offset of the code up to the next state's offset. */
struct state {
	uint32_t offset;
	int32_t rsp;       /* the program's rsp is the register plus this */
	uint16_t executed; /* instructions */
	/* subtracted from context.remaining, apart from the superblock's pending count */
	int16_t counted;
	uint16_t flags;
	uint8_t place;
	uint8_t exit;
};

enum { STATE_MOST_BYTES = 1 + sizeof(uint16_t) + sizeof(struct state) }; /* of a packed state */

/* Packs states, sorted by offset, to `to`. Returns the number of bytes. */
size_t states_pack(const struct state *states, unsigned n, uint8_t *to);

/* Unpacks the next state: *state is the previous one (zeroed before the first) and becomes the
 * next. Returns the place after it. */
const uint8_t *states_next(const uint8_t *packed, struct state *state);

/* Returns the last of n states at or before the offset, or else the first one. */
struct state states_at(const uint8_t *packed, unsigned n, uint32_t offset);

#endif
