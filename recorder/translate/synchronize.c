/* SPDX-License-Identifier: MIT */
#include "recorder/translate/synchronize.h"

#include "recorder/core/backend.h"
#include "recorder/core/phase_times.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/functions.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/translate/calls.h"
#include "recorder/translate/non_canonical.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/records/records.h"
#include "recorder/translate/thread/quota.h"
#include "recorder/translate/x87_pointers.h"

/* Adds the execution of a counting variant to the present interval, if there are intervals. */
static int count_state(struct task *t, const struct reconstruction *p)
{
	if (!t->session->intervals)
		return 0;
	if (p->exit != INSIDE_SUPERBLOCK)
		return records_count_exit(t, p->counted, (unsigned)p->exit, 1);
	return p->executed ? records_count_partial(t, p->counted, p->executed, 1) : 0;
}

static int write_state(struct task *t, const struct reconstruction *p)
{
	uint8_t *record = buffers_record(thread_of(t));

	if (p->counted) {
		if (count_state(t, p) < 0)
			return -1;
		return p->called ? calls_write(t, p->counted) : 0;
	}
	if (p->indirect && region_recording(t->session) && functions_returned(t) < 0)
		return -1;
	if (!p->superblock)
		return 0;
	if (p->exit != INSIDE_SUPERBLOCK &&
	    records_write_exit(t, p->superblock, (unsigned)p->exit, record) < 0)
		return -1;
	if (p->called)
		return calls_write(t, p->superblock);
	if (p->exit != INSIDE_SUPERBLOCK)
		return 0;
	return p->executed ? records_write_partial(t, p->superblock, p->executed, record) : 0;
}

int synchronize_pending(struct task *t)
{
	struct thread *th = thread_of(t);
	struct translation *superblock = th->pending;
	struct reconstruction p = { .superblock = superblock,
				    .executed = superblock->n_insns - 1,
				    .exit = INSIDE_SUPERBLOCK };

	th->pending = NULL;
	if (superblock->counted) {
		quota_undo_syscall(t, superblock->excluded);
		p.counted = superblock;
	}
	return write_state(t, &p);
}

/* Makes the task's registers, which have been read, those of the program. */
static int leave_cache(struct task *t, uint64_t pc, struct reconstruction *p)
{
	struct thread *th = thread_of(t);

	if (cache_at_x87_store(th->cache, pc))
		x87_pointers_stored(t, pc);
	if (!reconstruct_state(t, pc, buffers_record(th), p))
		return task_fail(t, TF_E_DAMAGED, "the program has left the recorder's code");
	thread_note_progress(t);
	t->progress += p->executed || p->exit != INSIDE_SUPERBLOCK || p->called;
	x87_pointers_leave(t, pc);
	th->mode = THREAD_SYNCHRONIZED;
	th->step_next = non_canonical_return(t, buffers_first(th), buffers_record(th), p);
	th->context->record -= p->undo;
	quota_leave(t, p->uncounted, p->excluded);
	t->regs.gs_base = th->context->gs_base;
	if (!p->called) /* the kernel may yet begin the call again */
		t->regs.orig_rax = UINT64_MAX;
	task_write_regs(t);
	return records_keep_exit_counters(t) < 0 ? -1 : buffers_drain(t);
}

int synchronize_at(struct task *t, uint64_t pc)
{
	enum record_phase before = phase_times_begin(t->session, RECORD_SYNCHRONIZE);
	struct reconstruction p;
	int status = leave_cache(t, pc, &p) < 0 || write_state(t, &p) < 0 ? -1 : 0;

	phase_times_end(t->session, before);
	return status;
}

int synchronize_task(struct task *t)
{
	struct thread *th = thread_of(t);

	if (th->pending)
		return synchronize_pending(t);
	if (th->mode != THREAD_IN_CACHE)
		return step_backend.synchronize(t);
	return task_read_regs(t) ? synchronize_at(t, t->regs.rip) : 0;
}

int synchronize_before_syscall(struct task *t, struct translation *superblock, uint64_t pc)
{
	enum record_phase before = phase_times_begin(t->session, RECORD_SYNCHRONIZE);
	struct reconstruction p;
	int status = leave_cache(t, pc, &p);

	phase_times_end(t->session, before);
	if (status < 0)
		return -1;
	if (superblock->counted)
		quota_add_syscall(t, superblock->excluded);
	thread_of(t)->pending = superblock;
	return 0;
}
