/* SPDX-License-Identifier: MIT */
/*
 * The state of a recording: the session, its processes and its tasks.
 *
 *	session ──> processes ──> address spaces (one may be shared after vfork)
 *	   └──────> tasks, each a traced thread with a stream in the trace
 *
 * A task is either stopped, with its registers in task->regs, or it runs and will stop.
 * Functions that can fail return 0 or -1 and leave the reason in session->error. The session then
 * lets every program go on natively and reports the error at the end.
 */
#ifndef SESSION_H
#define SESSION_H

#include "recorder/core/options.h"
#include "recorder/core/session_parts.h"
#include "traceformat/traceformat.h"
#include "traceformat/traceisa.h"
#include "traceformat/tracewriter.h"

enum task_state {
	TASK_NEW,       /* known, but has not stopped yet */
	TASK_READY,     /* stopped; may be resumed */
	TASK_RUNNING,   /* resumed in user code */
	TASK_ENTERING,  /* resumed at a system call; stops as it enters it */
	TASK_KERNEL,    /* in a system call; stops when that is over, which may be never */
	TASK_LISTENING, /* in a group stop, waiting for SIGCONT */
	TASK_DYING,     /* has vanished; waitpid has yet to report its end */
};

/* The kernel's struct sigaction. */
struct signal_action {
	uint64_t handler, flags, restorer, mask;
};

/* Signals that the recorder raises in the program, see traps.h. */
enum own_signal { OWN_TRAP, OWN_FAULT, OWN_ALIGNMENT, OWN_SIGNALS };

struct task;

struct process {
	struct process *next;
	struct session *session;
	uint32_t index; /* in the trace */
	pid_t pid;
	unsigned n_tasks;
	bool unfollowed;    /* not in the trace; released as soon as it stops */
	bool goes;          /* being released, as another program traces it; see tracers.h */
	bool claims_tracer; /* the process asked to be traced by the recorder */
	struct space *space;
	char executing[256]; /* the file name of its execve; empty: not known */
	bool native;         /* has run natively, so that its C library may rely on rseq */
	bool confined;       /* by seccomp, since before the recording; see confinement.h */
	struct own_action {
		struct signal_action set; /* as the program set it */
		bool lost; /* the kernel may have another one: it has reset the action, or a thread has */
	} own[OWN_SIGNALS];
	bool memory_opened; /* memory_fd is /proc/PID/mem; see task_memory.c */
	int memory_fd;
	/* Returns how many bytes at an address can be read without waiting for the server of a file
	 * system; NULL: all can. */
	size_t (*present)(const struct task *task, uint64_t address, size_t size);
	/* of an instruction that loads from (%rsp); 0: none is known; see touch.h */
	uint64_t touch_pc;
	uint64_t syscall_pc; /* of a syscall instruction; 0: none is known; see remote.h */
	struct breakpoint {
		uint64_t pc;
		uint8_t original;
	} breakpoints[16]; /* of --from, in its memory */
	unsigned n_breakpoints;
	bool armed;   /* the breakpoints are in its memory now */
	uint64_t brk; /* end of the heap as brk() gave it last, 0: not known */
};

/* Set in the number of a system call that int 0x80 makes, with i386's numbers and registers. */
#define SYSCALL_INT80 (UINT64_C(1) << 32)

enum { SYSCALL_RSEQ = 334, SYSCALL_BYTES = 2 };

/* The system call that a task is in. */
struct syscall_state {
	bool inside;
	bool recorded;    /* its SYSCALL event is in the trace, its result is not */
	bool held;        /* interrupted: the result depends on the next stop */
	uint64_t next_pc; /* behind its instruction */
	int64_t held_result;
	bool answered; /* the recorder answers it in the kernel's place, with `answer` */
	int64_t answer;
	bool unmade;     /* must be made again, or by a task that is released */
	bool untraced;   /* had CLONE_UNTRACED, see ptrace/untraced_clone.h */
	uint64_t number; /* or-ed with SYSCALL_INT80 for int 0x80 */
	uint64_t args[6];
	bool action_unread;          /* action has yet to be read, after the call */
	struct signal_action action; /* only for rt_sigaction: the new action */
};

/* How a task is confined by seccomp, see confinement.h. */
struct confinement {
	bool strict;  /* in strict mode, which the kernel has yet to get */
	bool sealed;  /* has filters or strict mode that only CAP_SYS_ADMIN can suspend */
	long filters; /* number of filters that are known; -1: the kernel does not report it */
	/* The call that the task is about to make, or is in. */
	uint64_t at, size; /* the filter that the kernel gets; at 0: none */
	bool seals;   /* the call confines the task by a filter that the recorder does not see */
	bool answers; /* the call sets strict mode, and the recorder answers it */
};

/* Where a task may make system calls, see dispatch.h. */
struct dispatch {
	uint64_t mode; /* 0: anywhere */
	uint64_t selector, offset, length;
	bool selected; /* the selector has the recorder's value; `was` has the program's */
	uint8_t was;
};

/* CPU time that a thread has used. */
struct cpu_seconds {
	double user, all; /* in user mode; in user mode and the kernel */
};

/* A load that the task makes for the recorder, see touch.h. */
struct touch {
	bool on;
	struct user_regs_struct regs; /* the program's */
	uint64_t refused_pc;          /* pc whose code cannot be loaded */
};

struct task {
	struct task *next; /* in a ring */
	struct session *session;
	struct process *process; /* NULL: stopped before its parent's event named it */
	pid_t tid;
	enum task_state state;
	uint32_t thread; /* index in the trace */
	struct tf_stream *stream;
	struct user_regs_struct regs; /* valid while stopped */
	uint64_t fs_base, gs_base;    /* as the trace last has them */
	struct syscall_state syscall;
	bool time_forbidden;  /* rdtsc faults, see prctl(PR_SET_TSC) */
	bool cpuid_forbidden; /* cpuid faults, see arch_prctl(ARCH_SET_CPUID) */
	bool waits_for_child; /* in vfork or the like, until PTRACE_EVENT_VFORK_DONE */
	bool noted;           /* waitpid has reported its end out of turn, with noted_status */
	int noted_status;
	uint64_t skipped;  /* instructions executed but not recorded */
	bool words_untold; /* these instructions may have loaded control words */
	bool native;       /* has run natively, so that the kernel may know an rseq area */
	struct rseq_area {
		uint64_t address;
		uint32_t size, signature;
	} rseq; /* the area that the recorder unregistered; size 0: none */
	struct confinement confinement;
	struct dispatch dispatch;
	struct touch touch;
	/* a remote call that the task is still in, see remote.h; NULL: none */
	struct remote_call *late;
	bool begun;      /* has run before, or has stopped for the first time */
	bool stop_again; /* a group stop waits until a signal of the recorder has been served */

	int signal;       /* delivered when the task is resumed; 0: none */
	bool delivering;  /* resuming enters the signal's handler */
	bool signal_left; /* the task has left the signal-delivery stop, see signals_send_again */
	siginfo_t info;   /* of `signal` */
	struct own_state {
		bool blocked;  /* the program blocks the signal */
		bool unmasked; /* the kernel does not block it, because the recorder raised it */
		bool held;     /* one for the program is held until that ends; it is in info */
		siginfo_t info;
	} own[OWN_SIGNALS];

	struct signal_rate {       /* see signal_rate.h */
		double arrived;    /* when the last signal arrived */
		double last;       /* when its handler was entered, or returned */
		double run;        /* seconds until the next signal may arrive */
		uint64_t row;      /* number of signals, each right behind the one before */
		uint64_t progress; /* the task's progress when it began to run */
		bool is_high;
		uint64_t blocked; /* signals that the recorder blocks for the task; 0: none */
	} rate;

	struct x87_state { /* on processors that lose the pointers, see x87_state.h */
		struct x87_pointers now, next; /* before and behind the instruction */
		uint64_t operand;              /* the instruction's operand address */
	} x87;

	uint64_t progress;         /* grows whenever an instruction of the program has retired */
	struct stillness {         /* the state at the last look, see watchdog.h */
		uint64_t progress; /* the task's progress then */
		uint64_t resumes, signals;
		int signal;             /* the last signal */
		bool measured;          /* cpu is known */
		struct cpu_seconds cpu; /* used by then */
		bool suspected;         /* appears to make no progress */
	} still;

	bool pinned; /* may run only on session->cpu; its own mask is in affinity */
	cpu_set_t affinity;
	double helped;       /* time of the last schedule_help */
	unsigned brief_runs; /* consecutive brief runs up to then */

	struct calls *calls; /* calls of named functions that have not returned */
	void *step;          /* owned by the step backend */
	void *translate;     /* owned by the translate backend */
};

struct session {
	const struct record_options *options;
	const struct backend *backend; /* runs the tasks, see backend.h */
	const struct loop *loop;       /* functions of the event loop, see loop.h */
	bool synchronizing;            /* tasks that stop become synchronized, see loop.h */

	struct region region;              /* which part is recorded */
	struct main_process main;          /* the program that the user named */
	struct process_list processes;     /* all processes */
	struct task_ring tasks;            /* all tasks */
	struct code_tables code;           /* blocks, modules, functions */
	struct output *output;             /* the trace */
	struct sampling *sampling;         /* samples of the hardware; NULL: none */
	struct schedule schedule;          /* turns and CPUs */
	struct polling polling;            /* requests of running tasks */
	struct stalls stalls;              /* tasks that wait for others */
	struct watchdog watchdog;          /* lack of progress */
	struct translate_tables translate; /* owned by the translate backend */
	struct processor processor;        /* this machine's */
	struct record_stats stats;         /* where the time went */
	struct session_error error;        /* the first error */
};

/* Sets the session's error unless there is one already; returns -1. */
int session_fail(struct session *session, enum tf_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Hands a warning to options->message. */
void session_warn(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Seconds on CLOCK_MONOTONIC. */
double session_now(void);

#endif
