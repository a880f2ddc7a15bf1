/* SPDX-License-Identifier: MIT */
/*
 * Every translation has a list of states (emit/states.h): from which offset of its code on, which
 * registers of the program are spilled or changed, and how many instructions have executed. The
 * program's registers follow from the state at the task's pc, the task's registers and the saved
 * registers of its context. The stubs have no such lists. The call stub and the lookup of indirect
 * jumps have few places, which are known; the request stub is entered by an exit, whose number is
 * in the context, so the state is that of the exit.
 */
#include "recorder/translate/thread/state_reconstruction.h"

#include "recorder/core/task.h"
#include "recorder/translate/emit/special.h"

/* Returns the place of a general register in ptrace's registers. */
static unsigned long long *general(struct user_regs_struct *r, unsigned number)
{
	unsigned long long *const registers[16] = { &r->rax, &r->rcx, &r->rdx, &r->rbx,
						    &r->rsp, &r->rbp, &r->rsi, &r->rdi,
						    &r->r8,  &r->r9,  &r->r10, &r->r11,
						    &r->r12, &r->r13, &r->r14, &r->r15 };

	return registers[number];
}

void reconstruct_general_registers(const struct user_regs_struct *regs, uint64_t to[16])
{
	struct user_regs_struct r = *regs;

	for (unsigned i = 0; i < 16; i++)
		to[i] = *general(&r, i);
}

/* Restores the registers that an instruction through gs has spilled (special.c). */
static void restore_gs(struct user_regs_struct *r, const struct thread *th,
		       const struct translation *t, const struct state *s)
{
	struct context *c = th->context;
	unsigned a, b;

	gs_scratch(translation_effects(t, s->executed), &a, &b);
	if (s->flags & STATE_GS_IN_B)
		c->gs_base = *general(r, b);
	else if (r->gs_base != th->context_at)
		c->gs_base = r->gs_base;
	*general(r, a) = c->saved_a;
	*general(r, b) = c->saved_b;
}

static void restore(struct user_regs_struct *r, const struct context *c,
		    const struct translation *t, const struct state *s)
{
	if (s->flags & STATE_RCX_IN_T)
		r->rcx = *general(r, t->t);
	if (s->flags & STATE_Q_SAVED)
		*general(r, t->q) = c->saved_q;
	if (s->flags & STATE_T_SAVED)
		*general(r, t->t) = c->saved_t;
	if (s->flags & STATE_RCX_SAVED)
		r->rcx = c->saved_rcx;
	if (s->flags & STATE_TARGET_SAVED)
		*general(r, TARGET_REGISTER) = c->saved_target;
	if (s->flags & STATE_INDEX_SAVED) {
		r->rcx = *general(r, INDEX_REGISTER);
		*general(r, INDEX_REGISTER) = c->saved_index;
	}
	if (s->flags & STATE_CALLED)
		r->rcx = t->exits[s->exit].target;
	r->rsp += (uint64_t)(int64_t)s->rsp;
}

static void restore_flags(struct user_regs_struct *r, const struct flag_source *source)
{
	uint64_t registers[16];

	reconstruct_general_registers(r, registers);
	r->eflags = flag_source_flags(source, registers, r->eflags);
}

static uint64_t place_of(const struct translation *t, const struct state *s, uint64_t target)
{
	switch ((enum place)s->place) {
	case AT_INSN:
	case AT_CHECK:
	case AT_STEP: return translation_pc(t, s->executed);
	case AT_EXIT: return t->exits[s->exit].target;
	case AT_REGISTER: return target;
	case AT_PATH: break;
	}
	return t->pc;
}

static bool is_inside(const struct state *s)
{
	return s->place == AT_INSN || s->place == AT_CHECK || s->place == AT_STEP;
}

/* Completes the last slots of a rep instruction: the repetitions done, and the flags. The slot
 * before them has the initial count. */
static void complete_rep(const struct user_regs_struct *r, const struct translation *t,
			 unsigned insn, bool interrupted, uint8_t *record)
{
	enum { ZERO_FLAG = 0x40, DIRECTION_FLAG = 0x400 };
	uint64_t *end = (uint64_t *)(record + record_slot(translation_places_before(t, insn + 1)));
	uint64_t flags = (interrupted ? TF_REP_INTERRUPTED : 0u) |
			 (r->eflags & ZERO_FLAG ? TF_REP_ZF : 0u) |
			 (r->eflags & DIRECTION_FLAG ? TF_REP_DOWN : 0u);

	end[-2] = end[-3] - r->rcx;
	end[-1] = flags;
}

static bool counts_differ(const struct isa_insn *fact, uint64_t a, uint64_t b)
{
	return fact->address32 ? (uint32_t)a != (uint32_t)b : a != b;
}

static bool has_begun(const struct user_regs_struct *r, const struct translation *t, unsigned insn,
		      const uint8_t *record)
{
	const uint64_t *end =
		(const uint64_t *)(record + record_slot(translation_places_before(t, insn + 1)));

	return counts_differ(translation_fact(t, insn), end[-3], r->rcx);
}

/* Accounts for an instruction that has executed and whose record is incomplete. */
static void executed(struct user_regs_struct *r, const struct translation *t, unsigned insn,
		     uint8_t *record, struct reconstruction *p)
{
	const struct isa_insn *fact = translation_fact(t, insn);

	if (fact->flags & TF_INSN_REP)
		complete_rep(r, t, insn, false, record);
	p->executed++;
	r->rip = translation_pc(t, insn) + fact->length;
}

unsigned reconstruct_undo(const struct translation *t, uint64_t pc)
{
	struct state s = translation_state(t, (uint32_t)(pc - t->code));

	return s.flags & STATE_UNDO ? t->event_bytes : 0;
}

/* Returns the exit by which a counting variant is being left. */
static int exit_of(const struct translation *t, const struct state *s)
{
	if (s->place == AT_EXIT)
		return s->exit;
	for (unsigned i = 0; i < t->n_exits; i++)
		if (!t->exits[i].target && t->exits[i].n_insns == s->executed)
			return (int)i;
	return INSIDE_SUPERBLOCK;
}

/* Reconstructs the counts in a counting variant, which writes no records. */
static void in_counted_superblock(struct user_regs_struct *r, const struct context *c,
				  struct translation *t, const struct state *s,
				  struct reconstruction *p)
{
	bool executed = s->flags & STATE_EXECUTED;
	bool repeated = s->flags & STATE_REPEATING &&
			counts_differ(translation_fact(t, s->executed), c->repetitions, r->rcx);

	if (executed)
		r->rip = translation_pc(t, s->executed) + translation_fact(t, s->executed)->length;
	p->executed = (unsigned)s->executed + executed + repeated;
	p->uncounted = (int)p->executed - (int)s->counted;
	p->counted = s->flags & STATE_EXIT_COUNTED ? NULL : t;
	if (s->place == AT_EXIT || s->place == AT_REGISTER)
		p->exit = exit_of(t, s);
	p->called = s->flags & STATE_CALLED;
}

static void in_superblock(struct task *task, struct translation *t, uint64_t pc, uint8_t *record,
			  struct reconstruction *p)
{
	const struct context *c = thread_of(task)->context;
	const struct state s = translation_state(t, (uint32_t)(pc - t->code));
	struct user_regs_struct *r = &task->regs;
	uint64_t target = *general(r, TARGET_REGISTER);

	if (s.flags & STATE_GS_AWAY)
		restore_gs(r, thread_of(task), t, &s);
	restore(r, c, t, &s);
	if (s.flags & STATE_FLAGS_LOST)
		restore_flags(r, &t->sources[s.exit]);
	p->indirect = s.flags & STATE_LEFT && (s.place == AT_REGISTER || s.place == AT_PATH);
	p->undo = reconstruct_undo(t, pc);
	r->rip = place_of(t, &s, target);
	p->excluded = t->excluded;
	if (t->counted)
		in_counted_superblock(r, c, t, &s, p);
	if (t->counted || s.flags & STATE_LEFT)
		return;
	p->superblock = t;
	p->executed = s.executed;
	p->exit = is_inside(&s) ? INSIDE_SUPERBLOCK : s.exit;
	if (s.flags & STATE_EXECUTED)
		executed(r, t, s.executed, record, p);
	else if (s.flags & STATE_REPEATING && has_begun(r, t, s.executed, record)) {
		complete_rep(r, t, s.executed, true, record);
		p->executed++;
	}
}

struct translation *reconstruct_caller(const struct thread *th)
{
	struct translation *superblock;

	return cache_where(th->cache, th->context->call_return, &superblock) == CACHE_SUPERBLOCK
		       ? superblock
		       : NULL;
}

static void in_call(struct task *task, uint64_t pc, uint8_t *record, struct reconstruction *p)
{
	const struct thread *th = thread_of(task);
	const struct call_stub *stub = cache_call_stub(th->cache, pc);
	const struct context *c = th->context;
	struct user_regs_struct *r = &task->regs;
	enum call_place place = call_stub_place(stub, pc);

	if (stub->counted) {
		pc = c->call_return - (place == CALL_BEFORE);
		in_superblock(task, reconstruct_caller(th), pc, record, p);
		return;
	}
	if (call_stub_has_saved(stub, pc)) {
		r->rax = c->saved_rax;
		r->rdx = c->saved_rdx;
	}
	r->rcx = place == CALL_BEFORE ? c->saved_rcx : c->call_next;
	r->rip = c->call_next;
	if (place == CALL_RECORDED)
		return;
	p->superblock = reconstruct_caller(th);
	p->called = place == CALL_MADE;
	if (p->called) {
		p->exit = (int)p->superblock->n_exits - 1;
		return;
	}
	p->executed = p->superblock->n_insns - 1;
	r->rip = translation_pc(p->superblock, p->executed);
}

/* Reconstructs the state in the lookup of an indirect jump; t is the target superblock if it has
 * been found. */
static void in_lookup(struct task *task, const struct translation *t, uint64_t pc,
		      struct reconstruction *p)
{
	const struct thread *th = thread_of(task);
	const struct state s = { .flags = cache_lookup_flags(th->cache, pc) };
	struct user_regs_struct *r = &task->regs;

	r->rip = s.flags & STATE_TARGET_SAVED ? *general(r, TARGET_REGISTER) : t->pc;
	restore(r, th->context, t, &s);
	p->indirect = true;
	p->uncounted = cache_lookup_pending(th->cache, t, pc);
}

/* Reconstructs the state in the request stub: the state at the exit that led there. */
static bool in_request(struct task *task, uint64_t pc, uint8_t *record, struct reconstruction *p)
{
	const struct thread *th = thread_of(task);
	const struct context *c = th->context;
	struct cache_exit left;

	if (c->request_exit >= cache_exits(th->cache))
		return false;
	left = cache_exit(th->cache, (uint32_t)c->request_exit);
	if (request_stub_has_saved(cache_request_stub(th->cache, pc), pc))
		task->regs.rcx = c->saved_rcx;
	in_superblock(task, left.translation, left.translation->exits[left.exit].jump, record, p);
	return true;
}

uint64_t reconstruct_target(const struct task *task)
{
	struct user_regs_struct r = task->regs;

	return *general(&r, TARGET_REGISTER);
}

bool reconstruct_state(struct task *task, uint64_t pc, uint8_t *record, struct reconstruction *p)
{
	const struct thread *th = thread_of(task);
	struct translation *t;

	*p = (struct reconstruction){ .exit = INSIDE_SUPERBLOCK };
	switch (cache_where(th->cache, pc, &t)) {
	case CACHE_SUPERBLOCK: in_superblock(task, t, pc, record, p); return true;
	case CACHE_REQUEST: return in_request(task, pc, record, p);
	case CACHE_INDIRECT:
	case CACHE_MISS: in_lookup(task, t, pc, p); return true;
	case CACHE_BRIDGE:
		task->regs.rip = t->pc;
		p->uncounted = t->pending;
		return true;
	case CACHE_CALL: in_call(task, pc, record, p); return true;
	case CACHE_ELSEWHERE: break;
	}
	return false;
}

void reconstruct_set_record(struct user_regs_struct *r, const struct translation *superblock,
			    uint64_t record)
{
	*general(r, superblock->q) = record;
}
