/* SPDX-License-Identifier: MIT */
/*
 * The parts of struct session, struct process and struct task. Only the files and folders that the
 * comment of a part names write to it; others call their functions. record.c initializes parts. The
 * parts stand here because the session is below most of their owners.
 * tests/structure/part_owners.py checks these comments.
 */
#ifndef SESSION_PARTS_H
#define SESSION_PARTS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "recorder/core/options.h"
#include "recorder/core/x87.h"
#include "traceformat/traceformat.h"
#include "traceformat/traceisa.h"

struct task;
struct process;

/* ---- of the session ---- */

/* The phase of the recording, see region.h. */
enum phase {
	/* the program runs natively until --from is reached or the next window begins */
	PHASE_NATIVE,
	/* instructions are counted, not recorded: for --skip, or until the next window */
	PHASE_SKIP,
	PHASE_RECORD,
	PHASE_DONE, /* every task is released as soon as it stops */
};

/*
 * The recorded part of the program, of region.c, intervals.c, points.c and
 * ptrace/region_bounds.c.
 */
struct region {
	enum phase phase;
	/* Encoders take off the budget what they have recorded. */
	_Atomic uint64_t budget;   /* instructions until the phase ends */
	uint64_t whole_budget;     /* the budget when the phase began */
	_Atomic uint64_t excluded; /* instructions executed in this phase that take no budget */
	uint64_t left;    /* instructions that may still be recorded as the window begins */
	unsigned windows; /* windows begun so far; without --every there is one */
	/* begin of the next window, end of this one; 0: not by time */
	double window_begin, window_end;
	bool window_changes; /* it is time for one of them */
	bool in_turns; /* tasks that are counted run in turns until the phase or interval ends */
	double started, ended;   /* when the program began, and its recording ended */
	double deadline;         /* of --time; 0: none */
	const char *ending;      /* why the recording must end as soon as possible; NULL */
	const char *stop_reason; /* why it has ended; NULL: not yet */
};

/*
 * The ring of tasks, of task.c. The current task is also of ptrace/schedule.c and
 * ptrace/region_bounds.c.
 */
struct task_ring {
	struct task *current; /* the task that ran last; NULL: there is no task */
	unsigned count;
	unsigned n_ended; /* tasks whose end waitpid has reported out of turn */
	uint64_t resumes; /* how often a task has been resumed */
};

/* The processes, of ptrace/process.c, ptrace/release.c, ptrace/tracers.c and ptrace/metadata.c. */
struct process_list {
	struct process *first;
	unsigned n_unfollowed; /* processes that will be released */
	unsigned n_execs;      /* programs in the metadata that replaced others by exec */
	bool warned_of_tracer; /* see ptrace/tracers.h */
};

/*
 * The program that is started, or the process that is attached to, of launch/. ptrace/process.c
 * knows when it is executed, and ptrace/event_loop.c when it ends.
 */
struct main_process {
	char *filename; /* NULL: attached */
	pid_t pid;
	int report_fd; /* the child writes here why it could not execute the program */
	bool executed; /* the program has been executed, or was running already */
	bool ended;
	int status; /* as waitpid gives it, once ended */
};

/* Facts about the code that is executed, of program/. */
struct code_tables {
	struct dictionary *dictionary;
	struct modules *modules;
	struct functions *functions;
	struct exclusions *exclusions; /* NULL: nothing is excluded */
	bool from_found, to_found;     /* a module had the symbol of --from, of --to */
};

/* The turns of the tasks, and the CPU that recorder and tasks share, of ptrace/schedule.c. */
struct schedule {
	bool serial;        /* tasks run in user code one at a time, so their order is exact */
	unsigned quantum;   /* blocks that the current task may execute before others have a turn */
	struct task *alone; /* no other task is resumed while this one runs; may be NULL */
	cpu_set_t affinity; /* the recorder's own */
	int cpu;            /* where recorder and tasks run; -1: anywhere */
	bool moved;         /* the recorder runs only there */
	unsigned n_pinned;  /* tasks that run only there */
	double look_for_cpu; /* when to choose the CPU again */
};

/* How the recorder polls tasks that run, of ptrace/polling.c. */
struct polling {
	unsigned cpus;   /* number of CPUs that the recorder may use */
	unsigned online; /* number of CPUs of the machine as polling began */
	int load;        /* /proc/loadavg; -1: not open */
	double until;    /* the recorder polls tasks until then */
	bool announced;  /* running tasks know that the recorder polls */
	bool failed;     /* serving a request has failed, with the session's error */
	double paused_until, pause;
	unsigned served;
	bool busy; /* more threads could run than there are CPUs */
	double look_again;
};

/* Tasks that wait for other tasks, of ptrace/schedule.c. */
struct stalls {
	bool found; /* a program may provide memory or files to others */
	double look_again;
};

/* How long the recorder waits for progress, of ptrace/watchdog.c. */
struct watchdog {
	double limit;         /* seconds without progress that end the recording */
	double call_limit;    /* seconds that a call of ptrace/remote.h may take; 0: any */
	double looked, quiet; /* time of the last look; seconds without progress by then */
};

/* Where XSAVE keeps the state components, by number: offset and size in bytes. */
enum { VECTOR_COMPONENTS = 18 };
struct vector_layout {
	uint64_t xcr0;
	unsigned offset[VECTOR_COMPONENTS], size[VECTOR_COMPONENTS];
};

/* The processor of this machine, of ptrace/cpu_model.c. */
struct processor {
	enum isa_vendor vendor;
	bool transactions;            /* see ptrace/cpu_model.h */
	struct vector_layout vectors; /* see ptrace/extended_state.h */
};

/* The tables of the translate backend for all tasks, of translate/. */
struct translate_tables {
	struct encoder *encoder;                   /* NULL: none yet */
	struct persistent_cache *persistent_cache; /* the first one; NULL: none */
	struct path_ids *path_ids;                 /* NULL: none yet */
	struct saved_programs *saved;              /* NULL: none yet */
	struct block_prefetch *prefetch;           /* NULL: none yet */
};

/* The present phase of the recording thread's work, of phase_times.c. */
struct phase_times {
	enum record_phase now;
	bool begun;          /* the first phase has begun */
	double elapsed, cpu; /* clocks of the thread when the present phase began */
};

/* The first error, of session.c. */
struct session_error {
	pthread_mutex_t lock; /* guards the members below */
	bool is_set;
	struct tf_error first;
};

/* ---- of a process ---- */

/* The kernel's struct sigaction. */
struct signal_action {
	uint64_t handler, flags, restorer, mask;
};

/* Signals that the recorder raises in the program, see ptrace/traps.h. */
enum own_signal { OWN_TRAP, OWN_FAULT, OWN_ALIGNMENT, OWN_SIGNALS };

/* The action of such a signal, of ptrace/traps.c and ptrace/remote.c. */
struct trap_action {
	struct signal_action set; /* as the program set it */
	bool lost; /* the kernel may have another one: it has reset the action, or a thread has */
};

/* A signal that a program has sent itself with the si_code of a fault. */
struct sent_signal {
	siginfo_t info;
	bool to_process; /* not to one of its threads */
};

/* The sent signals of a process that may be pending, of ptrace/raised_signals.c. */
struct sent_signals {
	struct sent_signal at[8]; /* the oldest first */
	unsigned count;
};

/*
 * How a process begins and ends, of ptrace/process.c, ptrace/tracers.c, ptrace/signals.c and
 * ptrace/region_bounds.c.
 */
struct process_life {
	bool unfollowed;     /* not in the trace; released as soon as it stops */
	bool leaving;        /* being released, as another program traces it; see tracers.h */
	bool claims_tracer;  /* the process asked to be traced by the recorder */
	bool native;         /* has run natively, so that its C library may rely on rseq */
	char exec_name[256]; /* the file name of its execve; empty: not known */
};

/*
 * Access to the memory of a process, of task_memory.c. ptrace/process.c copies it at a fork, and
 * program/space.c sets `present`.
 */
struct process_memory {
	bool opened; /* fd is /proc/PID/mem */
	int fd;
	/* Returns how many bytes at an address can be read without waiting for the server of a file
	 * system; NULL: all can. */
	size_t (*present)(const struct task *task, uint64_t address, size_t size);
};

/*
 * Instructions that tasks execute for the recorder, of ptrace/remote.c and ptrace/touch.c; 0: none
 * is known.
 */
struct remote_places {
	uint64_t syscall_pc; /* a syscall instruction */
	uint64_t load_pc;    /* an instruction that loads from (%rsp) */
};

/* The breakpoints of --from, of ptrace/breakpoints.c. */
struct breakpoints {
	struct breakpoint {
		uint64_t pc;
		uint8_t original;
	} places[16];
	unsigned count;
	bool armed; /* the breakpoints are in the process's memory now */
};

/* ---- of a task ---- */

/* The task as the trace has it, of output.c, region.c and ptrace/extended_state.c. */
struct task_trace {
	uint32_t thread; /* index in the trace */
	struct tf_stream *stream;
	uint64_t fs_base, gs_base; /* as the trace last has them */
	uint64_t skipped;          /* instructions executed but not recorded */
	bool lacks_words;          /* these instructions may have loaded control words */
};

/*
 * How a task begins and ends, of ptrace/process.c, ptrace/event_loop.c, ptrace/region_bounds.c and,
 * for an end that waitpid has reported out of turn, task.c.
 */
struct task_life {
	bool begun;           /* has run before, or has stopped for the first time */
	bool native;          /* has run natively, so that the kernel may know an rseq area */
	bool waits_for_child; /* in vfork or the like, until PTRACE_EVENT_VFORK_DONE */
	bool stop_again; /* a group stop waits until a signal of the recorder has been served */
	bool ended;      /* waitpid has reported the task's end out of turn, with end_status */
	int end_status;
};

/* Set in the number of a system call that int 0x80 makes, with i386's numbers and registers. */
#define SYSCALL_INT80 (UINT64_C(1) << 32)

enum { SYSCALL_RSEQ = 334, SYSCALL_BYTES = 2 };

/*
 * The system call that a task is in, of ptrace/syscalls.c, ptrace/altered_syscalls.c,
 * ptrace/plain_fork.c, ptrace/event_loop.c and ptrace/region_bounds.c.
 */
struct syscall_state {
	bool inside;
	bool recorded; /* its SYSCALL event is in the trace, its result is not */
	bool held;     /* interrupted: the result depends on the next stop */
	/*
	 * interrupted only by the recorder: its instruction has been counted and will execute
	 * again
	 */
	bool counted;
	uint64_t next_pc; /* behind its instruction */
	int64_t held_result;
	bool answered; /* the recorder answers it in the kernel's place, with `answer` */
	int64_t answer;
	bool unmade;     /* must be made again, or by a task that is released */
	bool untraced;   /* had CLONE_UNTRACED, see ptrace/altered_syscalls.h */
	bool plain_fork; /* its child begins untraced, see ptrace/plain_fork.h */
	uint64_t number; /* or-ed with SYSCALL_INT80 for int 0x80 */
	uint64_t args[6];
};

/* How a task is confined by seccomp, of ptrace/confinement.c. */
struct confinement {
	bool strict;  /* in strict mode, which the kernel has yet to get */
	bool sealed;  /* has filters or strict mode that only CAP_SYS_ADMIN can suspend */
	long filters; /* number of filters that are known; -1: the kernel does not report it */
	/* The call that the task is about to make, or is in. */
	uint64_t at, size; /* the filter that the kernel gets; at 0: none */
	bool seals;   /* the call confines the task by a filter that the recorder does not see */
	bool answers; /* the call sets strict mode, and the recorder answers it */
};

/* Where a task may make system calls, of ptrace/dispatch.c. */
struct dispatch {
	uint64_t mode; /* 0: anywhere */
	uint64_t selector, offset, length;
	bool selected; /* the selector has the recorder's value; `was` has the program's */
	uint8_t was;
};

/*
 * The limits that the program has set for its task by system calls, of ptrace/syscalls.c,
 * ptrace/process.c and translate/trap_dispatch.c.
 */
struct task_limits {
	struct confinement confinement;
	struct dispatch dispatch;
	bool no_rdtsc; /* rdtsc faults, see prctl(PR_SET_TSC) */
	bool no_cpuid; /* cpuid faults, see arch_prctl(ARCH_SET_CPUID) */
};

/* A signal of the enum own_signal, of ptrace/traps.c. */
struct trap_state {
	bool blocked;  /* the program blocks the signal */
	bool unmasked; /* the kernel does not block it, because the recorder raised it */
	/* The program's signals that are held until that ends, as many as the kernel would keep: one
	 * sent to the thread, one sent to the process. */
	bool held[2];
	struct sent_signal kept[2];
};

/* How fast signals arrive, of ptrace/signal_rate.c. */
struct signal_rate {
	double arrived;    /* when the last signal arrived */
	double last;       /* when its handler was entered, or returned */
	double run;        /* seconds until the next signal may arrive */
	uint64_t row;      /* number of signals, each right behind the one before */
	uint64_t progress; /* the task's progress when it began to run */
	bool is_high;
	uint64_t blocked; /* signals that the recorder blocks for the task; 0: none */
};

/*
 * The signals of a task, of ptrace/signals.c, ptrace/traps.c, ptrace/remote.c, ptrace/event_loop.c,
 * ptrace/region_bounds.c and, as the task is resumed, task.c.
 */
struct task_signals {
	int number;      /* delivered when the task is resumed; 0: none */
	bool delivering; /* resuming enters the signal's handler */
	bool raised;     /* an instruction has raised the signal */
	bool left_stop;  /* the task has left the signal-delivery stop, see signals_send_again() */
	bool coming;     /* the task has sent itself the signal again, which comes next */
	siginfo_t info;  /* of the signal */
	bool to_process; /* the signal is known to have been sent to the process */
	struct signal_rate rate;
	struct trap_state traps[OWN_SIGNALS];
	struct signal_action action; /* the new action of an rt_sigaction that the task makes */
	bool action_unread;          /* action must be read again after that call */
	/* The signals that are ignored and caught, if they have been read in the present stop. */
	uint64_t ignored, caught;
	bool sets_read;
};

/* System calls that the task makes for the recorder, of ptrace/remote.c. */
struct task_remote {
	struct remote_call *late; /* a call that the task is still in; NULL: none */
	bool stopped;             /* its process has stopped during the call */
	struct rseq_area {
		uint64_t address;
		uint32_t size, signature;
	} rseq; /* the area that the recorder unregistered; size 0: none */
};

/* A load that the task makes for the recorder, of ptrace/touch.c. */
struct touch {
	bool on;
	struct user_regs_struct regs; /* the program's */
	uint64_t refused_pc;          /* pc whose code cannot be loaded */
};

/* The x87 pointers, on processors that lose them, of ptrace/x87_state.c. */
struct x87_state {
	struct x87_pointers now, next; /* before and behind the instruction */
	uint64_t operand;              /* the instruction's operand address */
};

/* CPU time that a thread has used. */
struct cpu_seconds {
	double user, all; /* in user mode; in user mode and the kernel */
};

/* The signs that a task makes no progress, of ptrace/watchdog.c; task.c counts resumes. */
struct watched {
	uint64_t progress; /* the task's progress at the last look */
	uint64_t resumes, signals;
	int signal;             /* the last signal */
	bool measured;          /* cpu is known */
	struct cpu_seconds cpu; /* used by then */
	bool suspected;         /* appears to make no progress */
};

/* Where a task runs, of ptrace/schedule.c. */
struct task_cpu {
	bool pinned; /* may run only on the recorder's CPU; its own mask is in affinity */
	cpu_set_t affinity;
	double helped;       /* time of the last schedule_help() */
	unsigned brief_runs; /* consecutive brief runs up to then */
};

#endif
