/* SPDX-License-Identifier: MIT */
/* A child that executes single instructions, one step each. */
#ifndef STEPPED_H
#define STEPPED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum { XSTATE_MAX = 16384 };

struct stepped {
	pid_t pid;
	struct user_regs_struct initial;
	uint8_t xstate[XSTATE_MAX]; /* what a step begins with; at first the initial one */
	size_t xstate_size;
};

/* Maps memory that the child will share. */
void stepped_map(uint64_t address, size_t size, int protection);

/* Starts the child. prepare: a function that the child calls first, or NULL. */
void stepped_begin(struct stepped *s, void (*prepare)(void));

/* Executes one instruction with those registers, and reads them after it. Returns the signal that
 * stopped the child, SIGTRAP if none did. */
int stepped_step(struct stepped *s, struct user_regs_struct *regs);

/* Reads XSTATE_MAX bytes. */
void stepped_read_xstate(const struct stepped *s, uint8_t *image);

void stepped_end(struct stepped *s);

#endif
