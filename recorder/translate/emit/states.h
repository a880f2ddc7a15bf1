/* SPDX-License-Identifier: MIT */
/*
 * How the program's state follows from the registers at every offset of a superblock's code. There are
 * several states an instruction, and they are looked at only where a task has stopped: so they are
 * kept packed, each as what differs from the one before.
 */
#ifndef STATES_H
#define STATES_H

#include <stddef.h>
#include <stdint.h>

/* Where the program stands. */
enum place {
	AT_INSN,     /* before instruction number `executed` of the superblock */
	AT_CHECK,    /* the same, while code is compared, or where that has changed */
	AT_EXIT,     /* at the target of exit number `exit` */
	AT_REGISTER, /* at the address in TARGET_REGISTER */
	AT_PATH,     /* before the superblock */
	AT_STEP,     /* as AT_INSN, and the instruction is to be stepped */
};

enum state_flags {
	STATE_Q_SAVED = 1, /* its register q is in context.saved_q */
	STATE_T_SAVED = 2,
	STATE_RCX_SAVED = 4,
	STATE_TARGET_SAVED = 8, /* TARGET_REGISTER is in context.saved_target */
	STATE_LEFT = 16, /* the record is complete: nothing of the superblock is left to tell */
	STATE_REPEATING = 32, /* at a rep instruction, number `executed` */
	STATE_EXECUTED = 64,  /* behind number `executed`, but its last slots are not recorded */
	STATE_UNDO = 128,     /* the call or return record last written is to be taken back */
	STATE_INDEX_SAVED =
		256,           /* INDEX_REGISTER is in context.saved_index, rcx in INDEX_REGISTER */
	STATE_RCX_IN_T = 1024, /* rcx is in t, whose own value is in context.saved_t */
	STATE_FLAGS_LOST = 2048, /* the flags are to be made again from flag_source number `exit` */
	STATE_GS_AWAY = 4096,    /* gs_scratch() are in context.saved_a and .saved_b */
	STATE_GS_IN_B = 8192,    /* and the second of them is to be context.gs_base */
	STATE_CALLED =
		512, /* the superblock has just made a system call: rcx is to be the exit's target */
};

/* The state from an offset of the code on, up to the next one. */
struct state {
	uint32_t offset;
	int32_t rsp;       /* the program's rsp is rsp + this */
	uint16_t executed; /* instructions */
	int16_t counted; /* taken off context.remaining already, but for the superblock's pending count */
	uint16_t flags;
	uint8_t place;
	uint8_t exit;
};

enum { STATE_MOST_BYTES = sizeof(uint16_t) + sizeof(struct state) }; /* packed */

/* Packs states, by offset, to `to`. Returns how many bytes they take. */
size_t states_pack(const struct state *states, unsigned n, uint8_t *to);

/* Takes one of them: makes *state, the one before (all 0 before the first), what it is. Returns
 * where the next one is. */
const uint8_t *states_next(const uint8_t *packed, struct state *state);

/* Returns the last of n states whose offset is no higher, or the first one. */
struct state states_at(const uint8_t *packed, unsigned n, uint32_t offset);

#endif
