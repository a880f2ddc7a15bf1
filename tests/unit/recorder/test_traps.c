/* SPDX-License-Identifier: MIT */
/* Tests that a program keeps the actions that it sets for signals which the recorder raises, too. */
#include <check.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/traps.h"
#include "tests/unit/recorder/traced_child.h"
#include "tests/unit/run_suite.h"

enum { RESTORER = 0x04000000 };

static struct traced_child child;

/* Structures of the child, at the same addresses as here. */
static struct signal_action wanted, former, found;

static const int numbers[] = { SIGTRAP, SIGSEGV, SIGBUS };

static void on_signal(int signal)
{
	(void)signal;
}

static void start_child(void)
{
	wanted = (struct signal_action){ .handler = (uint64_t)(uintptr_t)on_signal,
					 .flags = SA_SIGINFO | RESTORER,
					 .restorer = 1 };
	traced_child_start(&child, NULL);
}

/* Makes a system call, as the program itself or the recorder in another thread does. */
static void set_action(int signal, const struct signal_action *new, struct signal_action *old)
{
	uint64_t args[6] = { (uint64_t)signal, (uintptr_t) new, (uintptr_t)old, sizeof(new->mask) };

	ck_assert_int_eq(remote_syscall(&child.task, SYS_rt_sigaction, args), 0);
}

/* The task's own call, from before the instruction to the stop behind it. */
static void enter_sigaction(int signal)
{
	struct task *t = &child.task;

	t->regs.rax = SYS_rt_sigaction;
	t->regs.rdi = (uint64_t)signal;
	t->regs.rsi = (uintptr_t)&wanted;
	traps_before_syscall(t);
	set_action(signal, &wanted, NULL);
}

static void leave_sigaction(int signal)
{
	struct task *t = &child.task;
	uint64_t rax = t->regs.rax;

	t->syscall.number = SYS_rt_sigaction;
	t->syscall.args[0] = (uint64_t)signal;
	t->syscall.args[1] = (uintptr_t)&wanted;
	t->regs.rax = 0;
	traps_after_syscall(t);
	t->regs.rax = rax;
}

static uint64_t handler_of(int signal)
{
	set_action(signal, NULL, &found);
	ck_assert_uint_eq(task_read(&child.task, (uintptr_t)&found, &found, sizeof(found)),
			  sizeof(found));
	return found.handler;
}

/* While the task is behind its call, another thread sets the action that the program had before, and
 * leaves. The task then has no other thread beside it. */
START_TEST(an_action_is_not_lost_to_a_thread_that_leaves)
{
	int signal = numbers[_i];

	start_child();
	enter_sigaction(signal);
	ck_assert_uint_eq(handler_of(signal), wanted.handler);
	set_action(signal, &former, NULL);
	leave_sigaction(signal);
	traps_restore(&child.task);
	ck_assert_uint_eq(handler_of(signal), wanted.handler);
	ck_assert_uint_eq(found.flags, wanted.flags);
	ck_assert(!child.process.actions[_i].lost);
	traced_child_end(&child);
}
END_TEST

/* The kernel resets the action of a blocked signal that an instruction raises. */
START_TEST(an_action_is_restored_after_the_kernel_has_reset_it)
{
	struct task *t = &child.task;
	int signal = numbers[_i];

	start_child();
	enter_sigaction(signal);
	leave_sigaction(signal);
	traps_restore(t);
	t->signals.traps[_i].blocked = true;
	traps_raise(t, (enum own_signal)_i);
	set_action(signal, &former, NULL);
	traps_restore(t);
	ck_assert_uint_eq(handler_of(signal), wanted.handler);
	traced_child_end(&child);
}
END_TEST

/* CLONE_CLEAR_SIGHAND sets the default action in place of handlers; what is ignored stays so. */
START_TEST(a_child_without_handlers_ignores_the_same_signals)
{
	const uint64_t handlers[] = { (uint64_t)(uintptr_t)on_signal, (uint64_t)(uintptr_t)SIG_IGN,
				      (uint64_t)(uintptr_t)SIG_DFL };
	struct process p = { 0 };

	for (int i = 0; i < OWN_SIGNALS; i++)
		p.actions[i].set = (struct signal_action){ .handler = handlers[i], .mask = 1 };
	traps_child(&p, 0);
	ck_assert_uint_eq(p.actions[0].set.handler, handlers[0]);
	traps_child(&p, CLONE_CLEAR_SIGHAND);
	ck_assert_uint_eq(p.actions[0].set.handler, handlers[2]);
	ck_assert_uint_eq(p.actions[0].set.mask, 0);
	ck_assert_uint_eq(p.actions[1].set.handler, handlers[1]);
	ck_assert_uint_eq(p.actions[1].set.mask, 1);
	ck_assert_uint_eq(p.actions[2].set.handler, handlers[2]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traps");
	TCase *tests = tcase_create("actions");

	tcase_add_loop_test(tests, an_action_is_not_lost_to_a_thread_that_leaves, 0, OWN_SIGNALS);
	tcase_add_loop_test(tests, an_action_is_restored_after_the_kernel_has_reset_it, 0,
			    OWN_SIGNALS);
	tcase_add_test(tests, a_child_without_handlers_ignores_the_same_signals);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
