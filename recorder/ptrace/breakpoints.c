/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/breakpoints.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/functions.h"
#include "recorder/program/space.h"

enum { MAX_BREAKPOINTS = sizeof(((struct breakpoints *)0)->places) / sizeof(struct breakpoint) };

static const uint8_t int3 = 0xcc;

static void set(struct task *t, uint64_t pc)
{
	struct process *p = t->process;
	struct breakpoint *b = &p->breakpoints.places[p->breakpoints.count];

	if (p->breakpoints.count == MAX_BREAKPOINTS)
		return;
	b->pc = pc;
	if (task_read_code(t, pc, &b->original, 1) == 1 && task_write(t, pc, &int3, 1))
		p->breakpoints.count++;
}

void breakpoints_arm(struct task *t)
{
	struct process *p = t->process;

	p->breakpoints.count = 0;
	if (region_is_entered(t->session)) /* --from has been reached */
		return;
	for (size_t i = 0; i < p->space->count; i++) {
		const struct mapping *m = &p->space->mappings[i];

		for (size_t k = 0; m->module && k < m->module->n_watches; k++) {
			uint64_t pc = m->bias + m->module->watches[k].value;

			if (m->module->watches[k].from && pc >= m->start && pc < m->end &&
			    m->protection & PROT_EXEC)
				set(t, pc);
		}
	}
	p->breakpoints.armed = p->breakpoints.count;
}

void breakpoints_disarm(struct task *t)
{
	struct process *p = t->process;

	for (unsigned i = 0; p->breakpoints.armed && i < p->breakpoints.count; i++)
		task_write(t, p->breakpoints.places[i].pc, &p->breakpoints.places[i].original, 1);
	p->breakpoints.armed = false;
}

void breakpoints_forget(struct process *p)
{
	p->breakpoints.count = 0;
	p->breakpoints.armed = false;
}

bool breakpoints_are_armed(const struct process *p)
{
	return p->breakpoints.armed;
}

bool breakpoints_are_removed(const struct process *p)
{
	return p->breakpoints.count && !p->breakpoints.armed;
}

bool breakpoints_stopped(struct task *t, int status)
{
	const struct process *p = t->process;
	siginfo_t info;

	if (WSTOPSIG(status) != SIGTRAP || !task_read_info(t, &info) || info.si_code != SI_KERNEL)
		return false;
	for (unsigned i = 0; i < p->breakpoints.count; i++)
		if (t->regs.rip == p->breakpoints.places[i].pc + 1) {
			t->regs.rip--;
			task_write_regs(t);
			return true;
		}
	return false;
}
