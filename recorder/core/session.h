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

struct process {
	struct process *next;
	struct session *session;
	uint32_t index; /* in the trace */
	pid_t pid;
	unsigned n_tasks;

	struct space *space;                     /* its mappings, perhaps shared after vfork */
	uint64_t brk;                            /* end of the heap by brk(); 0: not known */
	struct process_life life;                /* how it begins and ends */
	struct process_memory memory;            /* access to its memory */
	struct trap_action actions[OWN_SIGNALS]; /* of signals that the recorder raises, too */
	struct sent_signals sent;                /* pending signals that look like faults */
	bool confined;                           /* by seccomp, see ptrace/confinement.h */
	struct remote_places remote;             /* where tasks work for the recorder */
	struct breakpoints breakpoints;          /* of --from */
};

struct task {
	struct task *next; /* in a ring */
	struct session *session;
	struct process *process; /* NULL: stopped before its parent's event named it */
	pid_t tid;
	enum task_state state;
	struct user_regs_struct regs; /* valid while stopped */
	uint64_t progress;            /* grows whenever an instruction of the program has retired */

	struct task_trace trace;      /* its stream, and what that lacks */
	struct task_life life;        /* how it begins and ends */
	struct syscall_state syscall; /* the system call that it is in */
	struct task_limits limits;    /* what the program has forbidden it */
	struct task_signals signals;  /* signals for it */
	struct task_remote remote;    /* system calls for the recorder */
	struct touch touch;           /* loads for the recorder */
	struct x87_state x87;         /* pointers that the processor loses */
	struct watched watched;       /* whether it makes progress */
	struct task_cpu cpu;          /* where it runs */
	struct calls *calls;          /* calls of named functions that have not returned */
	void *step;                   /* owned by the step backend */
	void *translate;              /* owned by the translate backend */
};

struct session {
	const struct record_options *options;
	const struct backend *backend; /* runs the tasks, see backend.h */
	const struct loop *loop;       /* functions of the event loop, see loop.h */
	bool synchronizing;            /* tasks that stop become synchronized, see loop.h */

	struct region region;                  /* the part that is recorded */
	struct intervals *intervals;           /* basic block vectors; NULL: none */
	struct vector_summary *vector_summary; /* of these vectors; NULL: none */
	struct loop_heads *loop_heads;         /* where intervals may end; NULL: anywhere */
	struct points *points;                 /* slices to record; NULL: none */
	struct marker_budgets *marker_budgets; /* of their begins; NULL: none */
	struct main_process main;              /* the program that the user named */
	struct process_list processes;         /* all processes */
	struct task_ring tasks;                /* all tasks */
	struct code_tables code;               /* blocks, modules, functions */
	struct output *output;                 /* the trace */
	struct sampling *sampling;             /* samples of the hardware; NULL: none */
	struct schedule schedule;              /* turns and CPUs */
	struct polling polling;                /* requests of running tasks */
	struct stalls stalls;                  /* tasks that wait for others */
	struct watchdog watchdog;              /* lack of progress */
	struct translate_tables translate;     /* owned by the translate backend */
	struct processor processor;            /* this machine's */
	struct record_stats stats;             /* time and counts */
	struct phase_times phase_times;        /* the clock of stats.phases */
	struct session_error error;            /* the first error */
};

/* Visits each task of the session once, from the current one on. The body must not remove tasks. */
#define FOR_EACH_TASK(s, t)                          \
	for (struct task *t = (s)->tasks.current; t; \
	     t = t->next == (s)->tasks.current ? NULL : t->next)

/* Sets the session's error unless there is one already; returns -1. */
int session_fail(struct session *session, enum tf_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Hands a warning to options->message. */
void session_warn(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Seconds on CLOCK_MONOTONIC. */
double session_now(void);

/* Nanoseconds on CLOCK_MONOTONIC, as events have them. */
uint64_t session_now_ns(void);

#endif
