/* SPDX-License-Identifier: MIT */
/* The program's state at any place of the cache where a task may be stopped. */
#ifndef STATE_RECONSTRUCTION_H
#define STATE_RECONSTRUCTION_H

#include "recorder/translate/thread/thread.h"

/* What of a superblock has executed, as reconstruct_state finds it. */
struct reconstruction {
	struct translation *superblock; /* NULL: its record is complete */
	unsigned executed;              /* instructions, if exit is INSIDE_SUPERBLOCK */
	int exit;                       /* the exit it has left by, or INSIDE_SUPERBLOCK */
	bool indirect; /* on the way of an indirect jump: calls may have returned */
	bool called;   /* the system call at its end has been made, its record, if it
					   has one, is not complete */
	unsigned undo; /* bytes of records to be taken back: it will write them again */
	int uncounted; /* instructions executed that context.remaining lacks, where
					   they are only counted; there are no records then */
};
enum { INSIDE_SUPERBLOCK = -1 };

/*
 * Changes the registers of a task stopped in the cache at pc, task->regs, to those of the program,
 * but for gs_base. Slots of an instruction that is being repeated are completed at `record`.
 * Returns false if pc is not in the cache.
 */
bool reconstruct_state(struct task *task, uint64_t pc, uint8_t *record,
		       struct reconstruction *state);

/* The superblock that has jumped to the stub where the thread stands before its system call, or in it. */
struct translation *reconstruct_caller(const struct thread *thread);

/* The target of the indirect jump that has led the task to the trap of misses. */
uint64_t reconstruct_target(const struct task *task);

/* The general registers, by number. */
void reconstruct_general_registers(const struct user_regs_struct *regs, uint64_t general[16]);

/* Bytes of records that are taken back if the superblock is left at pc. */
unsigned reconstruct_undo(const struct translation *superblock, uint64_t pc);

/* The record that the code stopped in the superblock is writing has been moved. */
void reconstruct_set_record(struct user_regs_struct *regs, const struct translation *superblock,
			    uint64_t record);

#endif
