/* SPDX-License-Identifier: MIT */
/*
 * What the recorder knows of the processes it watches.
 *
 *	session ──> processes ──> address spaces (one may be shared after vfork)
 *	   └──────> tasks, one a traced thread, each with a stream in the trace
 *
 * A task is either stopped, and then its registers are in task->regs, or it runs and will stop.
 * Functions that can fail return 0 or -1, with the reason in session->error; the session then
 * lets every program go on natively and reports it at the end.
 */
#ifndef SESSION_H
#define SESSION_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/user.h>

#include "recorder/core/options.h"
#include "recorder/core/x87.h"
#include "traceformat/traceformat.h"
#include "traceformat/traceisa.h"
#include "traceformat/tracewriter.h"

/* What is being done with the program: see region.h. */
enum phase {
	PHASE_NATIVE, /* running natively until --from is reached, or the next window begins */
	PHASE_SKIP,   /* followed but not recorded, for --skip, or until the next window */
	PHASE_RECORD,
	PHASE_DONE, /* every task is let go as soon as it stops */
};

enum task_state {
	TASK_NEW,       /* known, but has not stopped yet */
	TASK_READY,     /* stopped; may be resumed */
	TASK_RUNNING,   /* resumed in user code */
	TASK_ENTERING,  /* resumed at a system call; stops as it enters it */
	TASK_KERNEL,    /* in a system call; stops when that is over, which may be never */
	TASK_LISTENING, /* in a group stop, waiting for SIGCONT */
	TASK_DYING,     /* vanished under our hands; its end is yet to be reported */
};

/* The kernel's struct sigaction. */
struct signal_action {
	uint64_t handler, flags, restorer, mask;
};

/* Signals that we raise in the program ourselves, see traps.h. */
enum own_signal { OWN_TRAP, OWN_FAULT, OWN_ALIGNMENT, OWN_SIGNALS };

struct task;

struct process {
	struct process *next;
	struct session *session;
	uint32_t index; /* in the trace */
	pid_t pid;
	unsigned n_tasks;
	bool unfollowed;    /* it is let go as soon as it stops; not in the trace */
	bool goes;          /* it is let go, as another program traces it; tracers.h */
	bool claims_tracer; /* it has asked the recorder to trace it */
	struct space *space;
	char executing[256]; /* what it has asked the kernel to execute; empty: not known */
	bool native;         /* it has run natively: its C library may rely on rseq */
	bool confined;       /* by seccomp, since it runs; see confinement.h */
	struct own_action {
		struct signal_action set; /* by the program */
		bool lost; /* the kernel has reset it, since we have raised the signal */
	} own[OWN_SIGNALS];
	bool memory_opened; /* memory_fd is /proc/PID/mem; see task_memory.c */
	int memory_fd;
	/* Returns how many bytes at an address can be read without waiting for the server of a file
	 * system; NULL: all can. */
	size_t (*present)(const struct task *task, uint64_t address, size_t size);
	uint64_t
		touch_pc; /* of an instruction that loads from (%rsp), 0 if none is known; touch.h */
	uint64_t syscall_pc; /* of some syscall instruction, 0 if none is known; remote.h */
	struct breakpoint {
		uint64_t pc;
		uint8_t original;
	} breakpoints[16]; /* of --from, in its memory */
	unsigned n_breakpoints;
	bool armed;   /* they are there now */
	uint64_t brk; /* end of the heap as brk() gave it last, 0: not known */
};

/* Set in the number of a system call that int 0x80 makes, with i386's numbers and registers. */
#define SYSCALL_INT80 (UINT64_C(1) << 32)

enum { SYSCALL_RSEQ = 334, SYSCALL_BYTES = 2 };

/* The system call a task is in. */
struct syscall_state {
	bool inside;
	bool recorded;    /* its SYSCALL event is in the trace, its result is not */
	bool held;        /* it was interrupted: the result depends on what follows */
	uint64_t next_pc; /* behind its instruction */
	int64_t held_result;
	bool answered; /* the kernel does not get it; this is its result: */
	int64_t answer;
	bool unmade;     /* it is to be made again, or by a task that is let go */
	bool untraced;   /* it has had CLONE_UNTRACED, see ptrace/untraced_clone.h */
	uint64_t number; /* or-ed with SYSCALL_INT80 for int 0x80 */
	uint64_t args[6];
	bool action_unread;          /* action is yet to be read, behind the call */
	struct signal_action action; /* rt_sigaction alone: what is to be set */
};

/* How a task is confined by seccomp, see confinement.h. */
struct confinement {
	bool strict;  /* in strict mode, which the kernel is yet to be told, */
	bool sealed;  /* or which takes CAP_SYS_ADMIN to suspend, as may its filters */
	long filters; /* of those, as many are known; -1: the kernel does not tell */
	/* Of the call that it is about to make, or in: */
	uint64_t at, size; /* the filter as the kernel gets it; at 0: none */
	bool seals;        /* it confines the task unseen */
	bool answers;      /* it sets strict mode, and the kernel does not get it */
};

/* Where a task may make system calls, see dispatch.h. */
struct dispatch {
	uint64_t mode; /* 0: anywhere */
	uint64_t selector, offset, length;
	bool selected; /* the selector is ours for the moment; the program's: */
	uint8_t was;
};

/* CPU time that a thread has used. */
struct cpu_seconds {
	double user, all; /* in user mode; in the kernel as well */
};

/* A load that the task makes for the recorder, see touch.h. */
struct touch {
	bool on;
	struct user_regs_struct regs; /* the program's */
	uint64_t refused_pc;          /* what the program executes there cannot be loaded */
};

struct task {
	struct task *next; /* in a ring */
	struct session *session;
	struct process *process; /* NULL: it stopped before its parent told of it */
	pid_t tid;
	enum task_state state;
	uint32_t thread; /* index in the trace */
	struct tf_stream *stream;
	struct user_regs_struct regs; /* valid while stopped */
	uint64_t fs_base, gs_base;    /* as last told to the trace */
	struct syscall_state syscall;
	bool time_forbidden;  /* rdtsc faults, see prctl(PR_SET_TSC) */
	bool cpuid_forbidden; /* cpuid faults, see arch_prctl(ARCH_SET_CPUID) */
	bool waits_for_child; /* in vfork or the like, until PTRACE_EVENT_VFORK_DONE */
	bool noted;           /* waitpid has told of it out of turn: */
	int noted_status;
	uint64_t skipped;  /* instructions followed but not recorded */
	bool words_untold; /* they may have loaded control words */
	bool native;       /* it has run natively, so the kernel may know an rseq area */
	struct rseq_area {
		uint64_t address;
		uint32_t size, signature;
	} rseq; /* that it has forgotten for us; size 0: none */
	struct confinement confinement;
	struct dispatch dispatch;
	struct touch touch;
	struct remote_call *late; /* that it is still in, see remote.h; NULL: none */
	bool begun;               /* it has run before, or has stopped for the first time */
	bool stop_again;          /* a group stop waits until a signal of its own has been seen */

	int signal;       /* to be delivered when it is resumed, 0 for none */
	bool delivering;  /* its handler is entered by then */
	bool signal_left; /* it has left the stop before that signal, see signals_send_again */
	siginfo_t info;   /* of that signal */
	struct own_state {
		bool blocked;  /* the program blocks it */
		bool unmasked; /* but the kernel does not, since we have raised it */
		bool held;     /* one for the program waits for that to end; info tells of it */
		siginfo_t info;
	} own[OWN_SIGNALS];

	struct signal_rate {       /* see signal_rate.h */
		double arrived;    /* when the last signal has, */
		double last;       /* and when its handler was entered, or has returned */
		double run;        /* seconds until the next one may */
		uint64_t row;      /* signals, each right behind the one before */
		uint64_t progress; /* the task's, when it began to run */
		bool is_high;
		uint64_t blocked; /* signals that we block for it, 0: none */
	} rate;

	struct x87_state { /* on processors that lose the pointers, see x87_state.h */
		struct x87_pointers now, next; /* before and behind the instruction */
		uint64_t operand;              /* of the instruction */
	} x87;

	uint64_t progress;         /* grows whenever an instruction of the program has retired */
	struct stillness {         /* what has happened since, see watchdog.h */
		uint64_t progress; /* when it was looked at last */
		uint64_t resumes, signals;
		int signal;             /* the last one of these */
		bool measured;          /* cpu is known */
		struct cpu_seconds cpu; /* before */
		bool suspected;         /* it makes no progress, as far as is known */
	} still;

	bool pinned; /* may run on session->cpu alone; its own mask is in affinity */
	cpu_set_t affinity;
	double helped;       /* when it has last been helped on, see schedule_help */
	unsigned brief_runs; /* up to there, one behind the other */

	struct calls *calls; /* of named functions, not yet returned */
	void *step;          /* the step backend's own, */
	void *translate;     /* and the translate backend's */
};

/* Where XSAVE keeps the state components, by number: offset and size in bytes. */
enum { VECTOR_COMPONENTS = 18 };
struct vector_layout {
	uint64_t xcr0;
	unsigned offset[VECTOR_COMPONENTS], size[VECTOR_COMPONENTS];
};

struct session {
	const struct record_options *options;
	const struct backend *backend;
	const struct loop *loop;
	enum isa_vendor vendor; /* of the processors here */
	struct output *output;
	struct dictionary *dictionary;
	struct modules *modules;
	struct functions *functions;
	struct sampling *sampling; /* NULL: nothing is sampled */
	struct encoder *encoder;   /* the translate backend's, NULL: none */
	struct persistent_cache
		*persistent_cache; /* its caches, see translate/cache/persistent_cache.h */
	struct path_ids *path_ids; /* translate/records/path_ids.h; NULL: none yet */

	enum phase phase;
	bool serial;          /* tasks run in user code one at a time, so their order is exact */
	struct task *current; /* the ring of tasks, entered at the one that ran last */
	unsigned n_tasks;
	bool synchronizing; /* tasks that stop are to be synchronized, see synchronize_others */
	struct process *processes;
	unsigned n_unfollowed;           /* processes to be let go */
	bool told_of_tracer;             /* a warning, see tracers.h */
	unsigned quantum;                /* blocks it may still execute before others have a turn */
	uint64_t budget;                 /* instructions until the phase ends, */
	uint64_t whole_budget;           /* of so many when it began */
	uint64_t left;                   /* that may be recorded in all, as the window begins */
	unsigned windows;                /* begun by now; without --every there is one */
	double window_begin, window_end; /* of the next one, of this one; 0: not by time */
	bool window_changes;             /* it is time for one of both */
	bool program_runs;               /* the first program has been executed */
	unsigned n_programs;             /* noted of those that took the place of others */
	bool from_found, to_found;       /* some module has had the symbol of --from, of --to */

	char *program;    /* where it was found */
	pid_t main_pid;   /* the program, or the process attached to */
	int report_fd;    /* where the child says why it could not execute the program */
	unsigned n_noted; /* tasks that waitpid has told of out of turn */
	bool main_ended;
	int main_status;             /* as waitpid gives it, once main_ended */
	double started, ended;       /* seconds, CLOCK_MONOTONIC */
	double next_flush, deadline; /* 0: none */
	double call_seconds;         /* that a call of remote.h may take; 0: any */
	struct watchdog {
		double limit;         /* seconds without progress that end the recording */
		double looked, quiet; /* when it looked last; seconds without progress by then */
	} watchdog;
	const char *over; /* why the recording is to end as soon as it can; NULL */
	const char *stop_reason;
	uint64_t steps;
	struct record_stats stats;

	struct stalls {     /* see stalls.h */
		bool found; /* a program may provide memory or files to others */
		double look_again;
	} stalls;

	int cpu;             /* recorder and tasks run there; -1: anywhere */
	bool moved;          /* the recorder runs there alone */
	unsigned n_pinned;   /* tasks that do */
	int tick_us;         /* between two ticks of the schedule */
	double look_for_cpu; /* when to look where that should be */
	struct polling {
		double until; /* the recorder polls tasks, see polling.h, */
		bool told;    /* and tasks that run have been told so */
		bool failed;  /* to serve one, with the session's error */
		double paused_until, pause;
		unsigned served;
	} polling;
	cpu_set_t affinity; /* the recorder's own */

	bool transactions; /* the processor has some, see ptrace/transactions.h */
	struct vector_layout vectors;
	struct isa_registers registers; /* scratch */

	pthread_mutex_t error_lock;
	bool failed;
	struct tf_error error; /* the first one */
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
