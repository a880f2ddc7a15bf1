/* SPDX-License-Identifier: MIT */
/*
 * Translated code judged by the processor. Random programs run in a child by single steps, first
 * as they are, then in the code cache. Wherever the child stands in the cache, precise_state must
 * give the registers, flags and memory that it had at some instruction boundary of the first run,
 * never an earlier one than before; and the records must tell every instruction with every value.
 * Paths are chosen at random, so that guards fail and side exits are taken; exits and indirect
 * jumps are linked, paths replaced and extended, calls and returns told, code compared, and the cache
 * flushed, on the way.
 */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/program/code_block.h"
#include "recorder/tracee/space.h"
#include "recorder/tracee/task.h"
#include "recorder/tracee/vectors.h"
#include "recorder/translate/plan/nowhere.h"
#include "recorder/translate/records/self_check.h"
#include "tests/unit/recorder/random_code.h"
#include "tests/unit/run_suite.h"

enum {
	STEPS = 300,			/* of a program, at most */
	PROGRAMS = 300,
	BELOW_RSP = 8,			/* a call to nowhere that was taken back has written there */
	STATUS_FLAGS = 0xcd5,		/* cf pf af zf sf df of */
	TRAP_BYTES = 5,
	FUNCTION = 7,
};

/* Where the program stood before one of its steps. */
struct boundary {
	struct user_regs_struct regs;
	unsigned executed;		/* instructions; one that is being repeated counts */
	uint64_t top;			/* of the stack */
	uint16_t x87_control;
	uint32_t mxcsr;
	struct isa_registers *wide;	/* where the instruction has vectors, or NULL */
	uint8_t memory[DATA_BYTES];
};

static struct {
	struct session session;
	struct record_options options;
	struct process process;
	struct task task;
	struct thread thread;
	struct user_regs_struct initial;

	struct code_block *blocks[CODE_BYTES];
	uint8_t first_memory[DATA_BYTES];
	unsigned n;
	struct boundary native[STEPS + 1];
	bool faulted;			/* the last one cannot be left */
	bool nowhere;			/* in the cache it has been, by a jump */
	/* By instruction executed: the boundary before it, and the last one of its repetitions. */
	unsigned before[STEPS + 1], end[STEPS + 1];

	unsigned at;			/* boundary reached in the cache */
	unsigned recorded;		/* instructions in complete records */
	uint64_t read_to;		/* the records before it have been checked */
	bool expect_return;
	uint64_t seed;
} box;

static struct {
	long programs, steps, instructions, values, partial, records, calls, returns, flushes,
		replaced, extended, guards, faults, slots, nowhere, control_words, wrong;
} count;

/* ---- the child --------------------------------------------------------------------------- */

static void map(uint64_t address, size_t size)
{
	void *memory = mmap((void *)address, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	ck_assert_msg(memory == (void *)address, "mmap: %s", strerror(errno));
}

static void child(void)
{
	mprotect((void *)CODE, CODE_BYTES, PROT_READ | PROT_EXEC);
	mprotect((void *)TABLE, PAGE, PROT_READ);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	_exit(0);
}

static void open_box(void)
{
	static const uint8_t syscall_insn[] = { 0x0f, 0x05 };
	struct mapping m = { .start = CODE, .end = CODE + CODE_BYTES + PAGE,
			     .protection = PROT_READ | PROT_EXEC, .name = (char *)"" };
	struct mapping d = { .start = DATA, .end = TABLE + PAGE, .protection = PROT_READ,
			     .name = (char *)"" };
	struct task *t = &box.task;
	int status;

	memset(&box, 0, sizeof(box));
	map(CODE, CODE_BYTES + PAGE);
	map(DATA, DATA_BYTES);
	map(TABLE, PAGE);
	memcpy((void *)(CODE + CODE_BYTES), syscall_insn, sizeof(syscall_insn));
	t->tid = fork();
	ck_assert_int_ge(t->tid, 0);
	if (t->tid == 0)
		child();
	ck_assert_int_eq(waitpid(t->tid, &status, 0), t->tid);
	ck_assert_msg(WIFSTOPPED(status), "the child cannot be traced");
	ptrace(PTRACE_SETOPTIONS, t->tid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);

	pthread_mutex_init(&box.session.error_lock, NULL);
	vectors_begin(&box.session.vectors);
	box.session.options = &box.options;
	box.process.session = t->session = &box.session;
	t->process = &box.process;
	t->translate = &box.thread;
	box.process.pid = t->tid;
	box.thread.check = self_check_new();
	ck_assert_ptr_nonnull(box.thread.check);
	box.process.syscall_pc = CODE + CODE_BYTES;
	box.process.space = space_new();
	ck_assert(space_add(box.process.space, &m) && space_add(box.process.space, &d));
	ck_assert(task_read_regs(t));
	box.initial = t->regs;
}

static void open_cache(void)
{
	struct thread *th = &box.thread;

	th->area = home_enter(&box.task);
	ck_assert_ptr_nonnull(th->area);
	th->cache = home_cache(&box.task);
	th->context = (struct context *)th->area->memory.local;
	th->context_at = th->area->memory.remote;
}

static void close_box(void)
{
	self_check_free(box.thread.check);
	home_leave(&box.task, box.thread.area);
	space_release(box.process.space);
	kill(box.task.tid, SIGKILL);
	waitpid(box.task.tid, NULL, 0);
	munmap((void *)CODE, CODE_BYTES + PAGE);
	munmap((void *)DATA, DATA_BYTES);
	munmap((void *)TABLE, PAGE);
}

/* Executes one instruction. Returns false if it faults. */
static bool step(void)
{
	int status;

	ck_assert(task_write_regs(&box.task));
	ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, box.task.tid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(box.task.tid, &status, 0), box.task.tid);
	ck_assert_msg(WIFSTOPPED(status), "the child is gone: %#x", (unsigned)status);
	ck_assert(task_read_regs(&box.task));
	return WSTOPSIG(status) == SIGTRAP;
}

/* ---- native ------------------------------------------------------------------------------ */

static void general(const struct user_regs_struct *r, uint64_t to[16])
{
	const uint64_t all[16] = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				   r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };

	memcpy(to, all, sizeof(all));
}

static bool can_run(const struct code_block *b)
{
	return b && b->trace.end != TF_END_SYSCALL && plan_can_have(b);
}

/* The block at pc; as far as it can be translated. NULL: not at all. */
static struct code_block *block_at_pc(uint64_t pc)
{
	struct code_source source = { .pc = pc, .code = (const uint8_t *)pc,
				      .available = code_until_function(pc) };
	struct code_block **b;

	if (pc - CODE >= CODE_BYTES)
		return NULL;
	b = &box.blocks[pc - CODE];
	while (!*b && source.available) {
		if (code_block_build(&source, b) != CODE_BLOCK)
			return NULL;
		(*b)->may_change = pc % 7 == 0;
		if (can_run(*b))
			break;
		source.available = (*b)->trace.insns[(*b)->trace.n_insns - 1].offset;
		free(*b);
		*b = NULL;
	}
	return *b;
}

static void note_boundary(unsigned executed)
{
	struct boundary *b = &box.native[box.n++];
	const struct code_block *block = block_at_pc(box.task.regs.rip);
	struct user_fpregs_struct fp;

	b->regs = box.task.regs;
	b->executed = executed;
	b->top = 0;
	if (b->regs.rsp - DATA <= DATA_BYTES - 8)
		memcpy(&b->top, (void *)b->regs.rsp, 8);
	memcpy(b->memory, (void *)DATA, DATA_BYTES);
	ck_assert_int_eq(ptrace(PTRACE_GETFPREGS, box.task.tid, NULL, &fp), 0);
	b->x87_control = fp.cwd;
	b->mxcsr = fp.mxcsr;
	free(b->wide);
	b->wide = NULL;
	if (block && isa_needs_vectors(block->facts[0])) {
		b->wide = calloc(1, sizeof(*b->wide));
		vectors_read(&box.task, b->wide);
	}
}

static void start(const struct random_code *code)
{
	struct user_regs_struct *r = &box.task.regs;

	memcpy((void *)DATA, box.first_memory, DATA_BYTES);
	*r = box.initial;
	random_code_registers(code, r);
	r->rip = CODE;
	r->orig_rax = UINT64_MAX;
}

static void run_native(const struct random_code *code)
{
	unsigned executed = 0;
	bool repeating = false;

	box.n = 0;
	start(code);
	note_boundary(0);
	while (box.n <= STEPS) {
		uint64_t pc = box.task.regs.rip;

		if (!block_at_pc(pc))
			break;
		if (!repeating)
			box.before[executed++] = box.n - 1;
		if (!step()) {
			box.faulted = true;
			break;
		}
		repeating = box.task.regs.rip == pc && block_at_pc(pc)->facts[0]->flags & TF_INSN_REP;
		note_boundary(executed);
		box.end[executed - 1] = box.n - 1;
	}
}

/* ---- records ----------------------------------------------------------------------------- */

static uint64_t evaluate(const struct tf_recipe *r, const uint64_t *slots, unsigned n_slots,
			 uint64_t rsp)
{
	uint64_t v = (uint64_t)r->displacement;

	if (r->base == TF_BASE_SLOT) {
		ck_assert_uint_lt(r->slot, n_slots);
		v += slots[r->slot];
	} else if (r->base == TF_BASE_RSP) {
		v += rsp;
	}
	if (r->scale || r->bit_string)
		ck_assert_uint_lt(r->index_slot, n_slots);
	if (r->scale)
		v += slots[r->index_slot] * r->scale;
	if (r->bit_string)
		v += (uint64_t)((int64_t)slots[r->index_slot] / r->bit_string -
				((int64_t)slots[r->index_slot] % r->bit_string < 0)) *
		     (r->bit_string / 8);
	return r->address32 ? (uint32_t)v : v;
}

static void true_values(unsigned executed, const struct isa_insn *fact, uint64_t *values)
{
	const struct user_regs_struct *before = &box.native[box.before[executed]].regs;
	/* The last one may be a string instruction that is to go on. */
	unsigned end = box.end[executed] < box.at ? box.end[executed] : box.at;
	const struct user_regs_struct *after = &box.native[end].regs;
	struct isa_registers r = { .rip = before->rip };

	if (box.native[box.before[executed]].wide)
		r = *box.native[box.before[executed]].wide;
	general(before, r.general);
	isa_values(fact, &r, values);
	if (fact->flags & TF_INSN_REP) {
		uint64_t *extras = values + fact->n_operands;

		extras[1] = before->rcx - after->rcx;
		extras[2] = after->eflags & 0x40 ? TF_REP_ZF : 0;
	}
}

/* Compares what the first n instructions of a path tell with the native run. */
static void check_values(const struct translation *t, unsigned n, const uint64_t *slots,
			 unsigned n_slots)
{
	uint64_t rsp = box.native[box.before[box.recorded]].regs.rsp;
	const struct tf_recipe *recipes = t->recipes;
	unsigned done = 0;

	for (unsigned k = 0; k < t->n_blocks && done < n; k++) {
		const struct code_block *b = t->blocks[k];

		for (unsigned i = 0; i < b->trace.n_insns && done < n; i++, done++) {
			const struct isa_insn *fact = b->facts[i];
			uint64_t values[ISA_MAX_VALUES], pc = b->trace.pc + b->trace.insns[i].offset;
			unsigned in_path = box.recorded + done;

			ck_assert_uint_eq(box.native[box.before[in_path]].regs.rip, pc);
			true_values(in_path, fact, values);
			for (unsigned v = 0; v < fact->n_values; v++) {
				bool extra = v >= fact->n_operands;
				unsigned at = extra ? b->extras[i] + v - fact->n_operands
						    : b->trace.insns[i].first_operand + v;
				uint64_t told = evaluate(&recipes[at], slots, n_slots, rsp);

				ck_assert_msg(extra || recipes[at].base != TF_BASE_UNKNOWN ||
					      box.options.no_addresses, "address not recorded");
				if (recipes[at].base == TF_BASE_UNKNOWN)
					continue;
				if (fact->flags & TF_INSN_REP && v == fact->n_operands + 2u)
					told &= TF_REP_ZF;
				ck_assert_msg(told == values[v], "value %u of %#lx: %#lx, not %#lx",
					      v, pc, told, values[v]);
				count.values++;
			}
		}
		recipes += b->trace.n_values;
	}
}

static const struct boundary *boundary_now(void)
{
	return box.recorded ? &box.native[box.end[box.recorded - 1]] : &box.native[0];
}

static size_t check_event(const uint64_t *record)
{
	static const uint8_t args[] = { ISA_RDI, ISA_RSI, ISA_RDX, ISA_RCX, 8, 9 };
	const struct boundary *b = boundary_now();
	uint64_t registers[16];
	unsigned n_args = code_args(b->regs.rip);

	general(&b->regs, registers);
	ck_assert_uint_eq(record[1], b->regs.rsp);
	if ((uint32_t)record[0] == RECORD_RETURN) {
		ck_assert_uint_eq(record[2], b->regs.rax);
		ck_assert_uint_eq(record[3], b->regs.rip);
		box.expect_return = false;
		count.returns++;
		return record_slot(RECORD_RETURN_SLOTS);
	}
	ck_assert_uint_eq((uint32_t)record[0], RECORD_CALL + FUNCTION);
	ck_assert_uint_eq(record[2], b->top);
	for (unsigned i = 0; i < n_args; i++)
		ck_assert_uint_eq(record[3 + i], registers[args[i]]);
	count.calls++;
	return record_slot(RECORD_CALL_SLOTS + n_args);
}

/* What a path's last instruction has loaded. */
static void check_control_words(const struct translation *t, const uint64_t *places)
{
	const struct boundary *b = boundary_now();
	unsigned place = t->control_place;

	if (t->control_words & ISA_X87_CONTROL)
		ck_assert_uint_eq((uint16_t)places[place++], b->x87_control);
	if (t->control_words & ISA_MXCSR)
		ck_assert_uint_eq((uint32_t)places[place], b->mxcsr);
	count.control_words += t->control_words != 0;
}

/* The recipe of some address of the first `executed` instructions; where it stands. NULL: none. */
static struct tf_recipe *random_recipe(const struct translation *t, unsigned executed,
				       uint64_t *pc)
{
	unsigned insn = random_below(executed), value = 0, k = 0;
	const struct code_block *b = t->blocks[0];
	struct tf_recipe *r;

	*pc = translation_pc(t, insn);
	for (; insn >= b->trace.n_insns; b = t->blocks[++k]) {
		insn -= b->trace.n_insns;
		value += b->trace.n_values;
	}
	if (!b->facts[insn]->n_operands)
		return NULL;
	r = &t->recipes[value + b->trace.insns[insn].first_operand +
			random_below(b->facts[insn]->n_operands)];
	return r->base == TF_BASE_UNKNOWN ? NULL : r;
}

/* --self-check finds nothing, unless a recipe is wrong. */
static void check_self(const struct translation *t, unsigned exit, const uint64_t *places,
		       const uint64_t *slots)
{
	unsigned n = t->exits[exit].n_insns;
	uint64_t pc;
	struct tf_recipe *r = random_recipe(t, n, &pc);
	char place[24];

	if (r) {
		int64_t wrong = 1 << random_below(31);

		r->displacement ^= wrong;
		ck_assert_int_eq(self_check_insns(box.thread.check, &box.task, t, n, places, slots),
				 -1);
		snprintf(place, sizeof(place), " at %#lx: ", pc);
		ck_assert_msg(strstr(box.session.error.text, place), "%s", box.session.error.text);
		box.session.failed = false;
		r->displacement ^= wrong;
		count.wrong++;
	}
	ck_assert_msg(self_check_exit(box.thread.check, &box.task, t, exit, places, slots) == 0,
		      "%s", box.session.error.text);
}

static size_t check_path(uint64_t *record)
{
	uint32_t head = (uint32_t)record[0], key = head % TF_RECORD_KEYS;
	struct cache_exit number = cache_exit(box.thread.cache, key);
	const struct translation *t = number.translation;
	const struct translation_exit *exit = &t->exits[number.exit];
	uint64_t room[NUMBERING_SLOTS];
	const uint64_t *slots = translation_slots(t, record + 1, exit->trace.n_slots, room);
	uint64_t rsp = boundary_now()->regs.rsp, after;

	ck_assert_msg(!box.expect_return, "a return has not been told");
	ck_assert_uint_eq(head, tf_record_head(key, exit->n_places));
	plan_correct(t->corrections, t->n_corrections, 0, (uint64_t *)slots, exit->trace.n_slots);
	check_values(t, exit->n_insns, slots, exit->trace.n_slots);
	box.recorded += exit->n_insns;
	if (box.options.self_check)
		check_self(t, number.exit, record + 1, slots);
	if (exit->n_insns == t->n_insns)
		check_control_words(t, record + 1);
	after = boundary_now()->regs.rsp;
	if (box.options.no_addresses)
		;
	else if (exit->trace.rsp_rule == TF_RSP_DELTA)
		ck_assert_uint_eq(rsp + (uint64_t)exit->trace.rsp_value, after);
	else
		ck_assert_uint_eq(slots[exit->trace.rsp_slot] + (uint64_t)exit->trace.rsp_value,
				  after);
	if (exit->target)
		ck_assert_uint_eq(exit->target, boundary_now()->regs.rip);
	else
		box.expect_return = cache_watches_return(box.thread.cache,
							 boundary_now()->regs.rip);
	count.records++;
	count.slots += exit->trace.n_slots;
	return record_slot(exit->n_places);
}

static uint64_t *local_record(uint64_t at)
{
	return (uint64_t *)(box.thread.area->memory.local +
				  (at - box.thread.area->memory.remote));
}

/* Reads the records that have been completed, up to `to`. */
static void check_records(uint64_t to)
{
	while (box.read_to < to) {
		uint64_t *record = local_record(box.read_to);

		if ((uint32_t)record[0] >= RECORD_CALL)
			box.read_to += check_event(record);
		else
			box.read_to += check_path(record);
	}
	ck_assert_uint_eq(box.read_to, to);
}

/* ---- in the cache ------------------------------------------------------------------------ */

/* Where a boundary of the native run says that its instruction led. */
static uint64_t successor(uint64_t pc)
{
	for (unsigned i = box.at; i + 1 < box.n; i++)
		if (box.native[i].regs.rip == pc && box.native[i + 1].regs.rip != pc)
			return box.native[i + 1].regs.rip;
	return 0;
}

static bool goes_on_at(struct plan *p, uint64_t pc)
{
	struct code_block *b = pc ? block_at_pc(pc) : NULL;

	if (!b || !plan_fits(p, b) || !plan_leads_to(p->blocks[p->n_blocks - 1], pc) ||
	    code_args(pc) != NO_FUNCTION || cache_watches_return(box.thread.cache, pc))
		return false;
	plan_go_on(p, pc);
	if (p->insns[p->n_insns - 1].guard) {
		cache_note_guard(box.thread.cache, pc);
		count.guards++;
	}
	plan_add(p, b);
	return true;
}

static void begin_plan(struct plan *p, uint64_t pc)
{
	unsigned n_args = code_args(pc);

	ck_assert_ptr_nonnull(block_at_pc(pc));
	plan_begin(p, pc, &(struct plan_options){
		.no_addresses = box.options.no_addresses, .self_check = box.options.self_check,
		.function = n_args == NO_FUNCTION ? TF_NONE : FUNCTION,
		.n_args = n_args == NO_FUNCTION ? 0 : n_args });
	plan_add(p, block_at_pc(pc));
}

static void end_plan(struct plan *p)
{
	unsigned most = p->n_blocks + random_below(PLAN_BLOCKS);
	uint64_t next;

	do {
		next = random_below(8) ? successor(p->insns[p->n_insns - 1].pc) :
		       random_below(2) ? plan_next(p) : random_code_target();
	} while (p->n_blocks < most && goes_on_at(p, next));
	plan_end(p);
}

static struct translation *add_path(uint64_t pc)
{
	static struct plan p;
	struct translation *t;
	unsigned insn;

	begin_plan(&p, pc);
	end_plan(&p);
	ck_assert_int_eq(cache_add(box.thread.cache, &box.task, &p, &t, &insn), CACHE_ADDED);
	for (unsigned i = 1; i < t->n_states; i++) {
		ck_assert_uint_lt(t->states[i - 1].offset, t->states[i].offset);
		ck_assert_uint_le(t->states[i].offset, t->size);
	}
	return t;
}

/* Lets a path go on behind one of its exits, if it can, to pc. */
static void extend(const struct translation *path, unsigned exit, uint64_t pc)
{
	static struct plan p;
	unsigned insn;

	begin_plan(&p, path->pc);
	for (unsigned i = 1; i < path->exits[exit].trace.n_blocks; i++)
		if (!goes_on_at(&p, path->blocks[i]->trace.pc))
			return;
	if (!path->exits[exit].way.pc || !goes_on_at(&p, pc))
		return;
	end_plan(&p);
	ck_assert_int_eq(cache_extend(box.thread.cache, &box.task, &p, path, exit, &insn),
			 CACHE_ADDED);
	count.extended++;
}

/* The same for any indirect jump, to where it leads next. */
static void extend_some(void)
{
	uint32_t n = cache_exits(box.thread.cache);
	struct cache_exit e = cache_exit(box.thread.cache, n ? random_below(n) : 0);
	const struct translation_exit *exit;

	if (!n)
		return;
	exit = &e.translation->exits[e.exit];
	if (!exit->target && exit->way.pc)
		extend(e.translation, e.exit,
		       successor(translation_pc(e.translation, exit->n_insns - 1u)));
}

static struct translation *path_to(uint64_t pc)
{
	struct translation *t = cache_find(box.thread.cache, pc, false);

	return t ? t : add_path(pc);
}

static bool same(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	uint64_t x[16], y[16];

	general(a, x);
	general(b, y);
	return a->rip == b->rip && !memcmp(x, y, sizeof(x)) &&
	       !((a->eflags ^ b->eflags) & STATUS_FLAGS);
}

static bool same_memory(const struct boundary *b)
{
	uint64_t hole = b->regs.rsp - BELOW_RSP - DATA;
	const uint8_t *memory = (const uint8_t *)DATA;

	if (!box.nowhere || hole > DATA_BYTES - BELOW_RSP)
		return !memcmp(memory, b->memory, DATA_BYTES);
	return !memcmp(memory, b->memory, hole) &&
	       !memcmp(memory + hole + BELOW_RSP,
		       b->memory + hole + BELOW_RSP,
		       DATA_BYTES - hole - BELOW_RSP);
}

static bool is_at(const struct user_regs_struct *r, const struct boundary *b)
{
	return same(r, &b->regs) && same_memory(b);
}

static void show(const struct user_regs_struct *found, uint64_t cache_pc)
{
	const struct user_regs_struct *r = &box.native[box.at].regs;
	uint64_t a[16], b[16];

	general(found, a);
	general(r, b);
	printf("boundary %u of %u: at %#llx with flags %#llx, found (cache pc %#lx) %#llx %#llx\n",
	       box.at, box.n, r->rip, r->eflags, cache_pc, found->rip, found->eflags);
	for (unsigned i = 0; i < 16; i++)
		if (a[i] != b[i])
			printf("  register %u: %#lx, found %#lx\n", i, b[i], a[i]);
	fflush(stdout);
}

/* The child stands anywhere in the cache. Leaves its registers as they are. */
static struct user_regs_struct check_state(void)
{
	struct context *c = box.thread.context;
	uint64_t pc = box.task.regs.rip, record = c->record;
	struct user_regs_struct saved = box.task.regs, found;
	uint64_t copy[NUMBERING_PLACES + 1], room[NUMBERING_SLOTS], *slots;
	struct precise p;
	unsigned executed = 0, n_slots;

	memcpy(copy, local_record(record), sizeof(copy));
	ck_assert(precise_state(&box.task, pc, (uint8_t *)copy, &p));
	box.nowhere = nowhere_return(&box.task, (uint8_t *)local_record(box.read_to),
				     (uint8_t *)local_record(record), &p);
	if (box.nowhere)
		memcpy(copy, local_record(record - p.undo), sizeof(copy));
	found = box.task.regs;
	box.task.regs = saved;
	for (unsigned from = box.at; !is_at(&found, &box.native[box.at]); box.at++)
		if (box.at + 1 == box.n) {
			box.at = from;
			show(&found, pc);
			ck_abort_msg("program %lu: no such state", box.seed);
		}
	check_records(record - p.undo);
	if (p.path) {
		executed = p.exit == PRECISE_INSIDE ? p.executed : p.path->exits[p.exit].n_insns;
		n_slots = p.exit == PRECISE_INSIDE ? p.path->reached[executed].n_slots
						   : p.path->exits[p.exit].trace.n_slots;
		slots = translation_slots(p.path, copy + 1, n_slots, room);
		plan_correct(p.path->corrections, p.path->n_corrections, 0, slots, n_slots);
		check_values(p.path, executed, slots, n_slots);
		if (box.options.self_check)
			ck_assert_msg(self_check_insns(box.thread.check, &box.task, p.path, executed,
						       copy + 1, slots) == 0, "%s",
				      box.session.error.text);
		count.partial++;
	}
	/* A loop may have been there before. */
	while (box.native[box.at].executed < box.recorded + executed && box.at + 1 < box.n)
		box.at++;
	ck_assert(is_at(&found, &box.native[box.at]));
	ck_assert_msg(box.recorded + executed == box.native[box.at].executed,
		      "program %lu: %u instructions, not %u", box.seed, box.recorded + executed,
		      box.native[box.at].executed);
	return found;
}

/* Returns the exit whose trap is there, or -1. */
static int exit_at(const struct translation *t, uint64_t pc)
{
	for (unsigned i = 0; i < t->n_exits; i++)
		if (t->exits[i].jump == pc)
			return (int)i;
	return -1;
}

static void enter(const struct user_regs_struct *program)
{
	box.task.regs = *program;
	self_check_enter(box.thread.check, &box.task);
	box.task.regs.rip = path_to(program->rip)->code;
	box.task.regs.gs_base = box.thread.context_at;
}

static void replace_some(uint64_t stopped)
{
	struct translation *old = cache_find(box.thread.cache,
					     box.native[random_below(box.n)].regs.rip, false);

	if (old && cache_replace(box.thread.cache, old, add_path(old->pc), stopped))
		count.replaced++;
}

/* Serves a trap of the cache, if the child stands before one. Returns false at the end. */
static bool serve(const struct user_regs_struct *program)
{
	struct cache *c = box.thread.cache;
	uint64_t pc = box.task.regs.rip;
	enum { MISS = -2, CALL = -3 };
	struct translation *t, *path = NULL;
	int exit = -1;

	if (cache_at_miss(c, pc))
		exit = MISS;
	else if (cache_where(c, pc, &path) == CACHE_PATH)
		exit = path->call_trap == pc ? CALL : exit_at(path, pc);
	if (exit == -1)
		return true;
	if (exit == CALL) {
		uint64_t return_pc = box.native[box.at].top;

		if (!cache_has_guard(c, return_pc))
			cache_watch_return(c, return_pc);
		box.task.regs.rip = pc + TRAP_BYTES;
		return true;
	}
	if (!block_at_pc(program->rip))
		return false;
	if (random_below(60) == 0) {
		cache_flush(c);
		count.flushes++;
		box.expect_return = false;	/* told from where it stands */
		enter(program);
		return true;
	}
	if (random_below(6) == 0)
		replace_some(pc);
	if (exit >= 0 && random_below(3) == 0)
		extend(path, (unsigned)exit, path->exits[exit].target);
	else if (random_below(2) == 0)
		extend_some();
	t = path_to(program->rip);
	if (exit == MISS) {
		cache_link_indirect(c, t);
		ck_assert_uint_ne(t->prefix, 0);
		box.task.regs.rip = t->prefix;
	} else {
		box.task.regs.rip = t->code;
	}
	return true;
}

static void run_translated(const struct random_code *code)
{
	struct user_regs_struct program;
	struct thread *th = &box.thread;

	start(code);
	box.at = box.recorded = 0;
	box.expect_return = false;
	box.read_to = th->context->record = th->context_at + area_buffer(0);
	program = box.task.regs;
	if (!block_at_pc(program.rip))
		return;
	enter(&program);
	for (;;) {
		program = check_state();
		if (box.at + 1 + (box.n > STEPS ? PLAN_BLOCKS : 0) >= box.n && !box.faulted)
			break;	/* jumps at the end of a path are one with what is before them */
		if (box.nowhere) {
			ck_assert(box.faulted || !__builtin_cpu_is("intel"));
			ck_assert_uint_eq(box.at + 1, box.n);
			count.nowhere++;
			break;
		}
		if (!serve(&program))
			break;
		count.steps++;
		if (!step()) {
			check_state();
			ck_assert_msg(box.faulted && box.at + 1 == box.n, "program %lu: a fault at "
				      "cache pc %#llx, boundary %u of %u", box.seed,
				      box.task.regs.rip, box.at, box.n);
			count.faults++;
			break;
		}
	}
	count.instructions += box.native[box.n - 1].executed;
}

static void run_program(uint64_t seed)
{
	struct random_code code;

	box.faulted = false;
	box.seed = seed;
	random_code_begin(&code, seed, box.first_memory);
	box.options.no_addresses = random_below(8) == 0;
	box.options.self_check = random_below(3) == 0;
	run_native(&code);
	if (!box.thread.cache)
		open_cache();
	cache_flush(box.thread.cache);
	run_translated(&code);
	count.programs++;
	for (unsigned i = 0; i < CODE_BYTES; i++) {
		free(box.blocks[i]);
		box.blocks[i] = NULL;
	}
}

/* By hand: TRANSLATE_SEED is the only program; or TRANSLATE_FIRST and TRANSLATE_PROGRAMS the first
 * and the last one. */
static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

START_TEST(every_cache_pc_has_a_state)
{
	bool one = getenv("TRANSLATE_SEED");
	uint64_t first = setting("TRANSLATE_SEED", setting("TRANSLATE_FIRST", 1));
	uint64_t last = one ? first : setting("TRANSLATE_PROGRAMS", PROGRAMS);

	open_box();
	for (uint64_t seed = first; seed <= last; seed++) {
		mark_point();
		run_program(seed);
	}
	close_box();
	printf("%ld programs, %ld steps, %ld instructions, %ld values, %ld partial states, "
	       "%ld records, %ld slots, %ld calls, %ld returns, %ld flushes, %ld replaced, "
	       "%ld extended, %ld guards, %ld faults, %ld jumps nowhere, %ld control words, "
	       "%ld wrong recipes\n", count.programs, count.steps, count.instructions,
	       count.values, count.partial, count.records, count.slots, count.calls,
	       count.returns, count.flushes, count.replaced, count.extended, count.guards,
	       count.faults, count.nowhere, count.control_words, count.wrong);
	if (!one) {
		ck_assert_int_gt(count.calls, 0);
		ck_assert_int_gt(count.returns, 0);
		ck_assert_int_gt(count.flushes, 0);
		ck_assert_int_gt(count.replaced, 0);
		ck_assert_int_gt(count.extended, 0);
		ck_assert_int_gt(count.guards, 0);
		ck_assert_int_gt(count.faults, 0);
		ck_assert_int_gt(count.nowhere, 0);
		ck_assert_int_gt(count.control_words, 0);
		ck_assert_int_gt(count.wrong, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("translated code");
	TCase *tcase = tcase_create("run");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, every_cache_pc_has_a_state);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
