/* SPDX-License-Identifier: MIT */
/* The program's state at any place of the cache where a task may be stopped. */
#ifndef PRECISE_H
#define PRECISE_H

#include "recorder/translate/thread/thread.h"

/* What of a path has executed, as precise_state finds it. */
struct precise {
	struct translation *path;	/* NULL: its record is complete */
	unsigned executed;		/* instructions, if exit is PRECISE_INSIDE */
	int exit;			/* the exit it has left by, or PRECISE_INSIDE */
	bool indirect;			/* on the way of an indirect jump: calls may have returned */
	bool called;			/* the system call at its end has been made, its record, if it
					   has one, is not complete */
	unsigned undo;			/* bytes of records to be taken back: it will write them again */
	int uncounted;			/* instructions executed that context.remaining lacks, where
					   they are only counted; there are no records then */
};
enum { PRECISE_INSIDE = -1 };

/*
 * Changes the registers of a task stopped in the cache at pc, task->regs, to those of the program,
 * but for gs_base. Slots of an instruction that is being repeated are completed at `record`.
 * Returns false if pc is not in the cache.
 */
bool precise_state(struct task *task, uint64_t pc, uint8_t *record, struct precise *state);

/* The path that has jumped to the stub where the thread stands before its system call, or in it. */
struct translation *precise_caller(const struct thread *thread);

/* The target of the indirect jump that has led the task to the trap of misses. */
uint64_t precise_missed(const struct task *task);

/* The general registers, by number. */
void precise_general(const struct user_regs_struct *regs, uint64_t general[16]);

/* Bytes of records that are taken back if the path is left at pc. */
unsigned precise_undo(const struct translation *path, uint64_t pc);

/* The record that the code stopped in the path is writing has been moved. */
void precise_set_record(struct user_regs_struct *regs, const struct translation *path,
			uint64_t record);

#endif
