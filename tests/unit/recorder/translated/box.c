/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/recorder/translated/box.h"
#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/extended_state.h"

struct box box;
struct box_counts count;

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

static void open_cache(void)
{
	struct thread *th = &box.thread;

	th->area = space_cache_enter(&box.task);
	ck_assert_ptr_nonnull(th->area);
	th->cache = space_cache_of(&box.task);
	th->context = (struct context *)th->area->memory.local;
	th->context_at = th->area->memory.remote;
}

void box_open(void)
{
	static const uint8_t syscall_insn[] = { 0x0f, 0x05 };
	struct mapping m = { .start = CODE,
			     .end = CODE + CODE_BYTES + PAGE,
			     .protection = PROT_READ | PROT_EXEC,
			     .name = (char *)"" };
	struct mapping d = {
		.start = DATA, .end = TABLE + PAGE, .protection = PROT_READ, .name = (char *)""
	};
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

	pthread_mutex_init(&box.session.error.lock, NULL);
	vectors_begin(&box.session.processor.vectors);
	box.session.options = &box.options;
	box.process.session = t->session = &box.session;
	t->process = &box.process;
	t->translate = &box.thread;
	box.process.pid = t->tid;
	box.thread.check = self_check_new();
	ck_assert_ptr_nonnull(box.thread.check);
	box.process.remote.syscall_pc = CODE + CODE_BYTES;
	box.process.space = space_new();
	ck_assert(space_add(box.process.space, &m) && space_add(box.process.space, &d));
	ck_assert(task_read_regs(t));
	box.initial = t->regs;
	open_cache();
}

void box_close(void)
{
	self_check_free(box.thread.check);
	space_cache_leave(&box.task, box.thread.area);
	space_release(box.process.space);
	kill(box.task.tid, SIGKILL);
	waitpid(box.task.tid, NULL, 0);
	munmap((void *)CODE, CODE_BYTES + PAGE);
	munmap((void *)DATA, DATA_BYTES);
	munmap((void *)TABLE, PAGE);
}

bool box_step(void)
{
	int status;

	ck_assert(task_write_regs(&box.task));
	ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, box.task.tid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(box.task.tid, &status, 0), box.task.tid);
	ck_assert_msg(WIFSTOPPED(status), "the child is gone: %#x", (unsigned)status);
	ck_assert(task_read_regs(&box.task));
	return WSTOPSIG(status) == SIGTRAP;
}

void general_registers(const struct user_regs_struct *r, uint64_t to[16])
{
	const uint64_t all[16] = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				   r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };

	memcpy(to, all, sizeof(all));
}

void box_start(const struct random_code *code)
{
	struct user_regs_struct *r = &box.task.regs;

	memcpy((void *)DATA, box.first_memory, DATA_BYTES);
	*r = box.initial;
	random_code_registers(code, r);
	r->rip = CODE;
	r->orig_rax = UINT64_MAX;
}

void box_begin(struct random_code *code, uint64_t seed)
{
	box.faulted = false;
	box.seed = seed;
	random_code_begin(code, seed, box.first_memory);
}

void box_end(void)
{
	cache_flush(box.thread.cache);
	count.programs++;
	memset(box.blocks, 0, sizeof(box.blocks));
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

bool run_programs(uint64_t n_programs, void (*run)(uint64_t seed))
{
	bool one = getenv("TRANSLATE_SEED");
	uint64_t first = setting("TRANSLATE_SEED", setting("TRANSLATE_FIRST", 1));
	uint64_t last = one ? first : setting("TRANSLATE_PROGRAMS", n_programs);

	box_open();
	for (uint64_t seed = first; seed <= last; seed++) {
		mark_point();
		run(seed);
	}
	box_close();
	return one;
}
