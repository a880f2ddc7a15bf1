/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/breakpoints.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/functions.h"
#include "recorder/program/space.h"

enum { MAX_BREAKPOINTS = sizeof(((struct process *)0)->breakpoints) / sizeof(struct breakpoint) };

static const uint8_t int3 = 0xcc;

static void set(struct task *t, uint64_t pc)
{
	struct process *p = t->process;
	struct breakpoint *b = &p->breakpoints[p->n_breakpoints];

	if (p->n_breakpoints == MAX_BREAKPOINTS)
		return;
	b->pc = pc;
	if (task_read_code(t, pc, &b->original, 1) == 1 && task_write(t, pc, &int3, 1))
		p->n_breakpoints++;
}

void breakpoints_arm(struct task *t)
{
	struct process *p = t->process;

	p->n_breakpoints = 0;
	if (region_is_entered(t->session)) /* --from has been reached */
		return;
	for (size_t i = 0; i < p->space->count; i++) {
		const struct mapping *m = &p->space->mappings[i];

		for (unsigned k = 0; m->module && k < m->module->n_watches; k++) {
			uint64_t pc = m->bias + m->module->watches[k].value;

			if (m->module->watches[k].from && pc >= m->start && pc < m->end &&
			    m->protection & PROT_EXEC)
				set(t, pc);
		}
	}
	p->armed = p->n_breakpoints;
}

void breakpoints_disarm(struct task *t)
{
	struct process *p = t->process;

	for (unsigned i = 0; p->armed && i < p->n_breakpoints; i++)
		task_write(t, p->breakpoints[i].pc, &p->breakpoints[i].original, 1);
	p->armed = false;
}

bool breakpoints_stopped(struct task *t, int status)
{
	const struct process *p = t->process;
	siginfo_t info;

	if (WSTOPSIG(status) != SIGTRAP || !task_read_info(t, &info) || info.si_code != SI_KERNEL)
		return false;
	for (unsigned i = 0; i < p->n_breakpoints; i++)
		if (t->regs.rip == p->breakpoints[i].pc + 1) {
			t->regs.rip--;
			task_write_regs(t);
			return true;
		}
	return false;
}
