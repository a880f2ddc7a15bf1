/* SPDX-License-Identifier: MIT */
/* Computes the program's state at any place of the cache where a task may be stopped. */
#ifndef STATE_RECONSTRUCTION_H
#define STATE_RECONSTRUCTION_H

#include "recorder/translate/thread/thread.h"

/* The executed part of a superblock, as reconstruct_state() finds it. */
struct reconstruction {
	struct translation *superblock; /* NULL: the record is complete */
	unsigned executed; /* number of executed instructions, if exit is INSIDE_SUPERBLOCK */
	int exit;          /* the exit taken, or INSIDE_SUPERBLOCK */
	bool indirect;     /* in the lookup of an indirect jump, so calls may have returned */
	/* The system call at the superblock's end has been made; its record, if there is one, is
	 * incomplete. */
	bool called;
	unsigned undo; /* bytes of records to remove, as the task will write them again */
	/* In a counting variant, which has no records: executed instructions that context.remaining
	 * lacks. */
	int uncounted;
	bool excluded; /* the superblock has excluded code */
	/* The counting variant whose execution no counter of an exit has, as `executed` and `exit`
	 * describe it; NULL: there is none. */
	struct translation *counted;
};
enum { INSIDE_SUPERBLOCK = -1 };

/*
 * Changes task->regs of a task stopped in the cache at pc to the program's registers, except for
 * gs_base. Completes the slots of an instruction that is being repeated at `record`. Returns false
 * if pc is not in the cache.
 */
bool reconstruct_state(struct task *task, uint64_t pc, uint8_t *record,
		       struct reconstruction *state);

/* Returns the superblock whose system call the thread is making in the call stub. */
struct translation *reconstruct_caller(const struct thread *thread);

/* Returns the target of the indirect jump that led the task to the miss trap. */
uint64_t reconstruct_target(const struct task *task);

/* Copies the general registers, by register number. */
void reconstruct_general_registers(const struct user_regs_struct *regs, uint64_t general[16]);

/* Returns the bytes of records to remove if the superblock is left at pc. */
unsigned reconstruct_undo(const struct translation *superblock, uint64_t pc);

/* Sets the record pointer after the record that a stopped task is writing has moved. */
void reconstruct_set_record(struct user_regs_struct *regs, const struct translation *superblock,
			    uint64_t record);

#endif
