/* SPDX-License-Identifier: MIT */
/*
 * The parts of struct session, struct process and struct task. Each part belongs to the unit that
 * its comment names: other units call that unit's functions. The parts stand here because the
 * session is below most of their owners.
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

/* Which part of the program is recorded, of region.c and region_bounds.c. */
struct region {
	enum phase phase;
	uint64_t budget;       /* instructions until the phase ends */
	uint64_t whole_budget; /* the budget when the phase began */
	uint64_t left;         /* instructions that may still be recorded as the window begins */
	unsigned windows;      /* windows begun so far; without --every there is one */
	/* begin of the next window, end of this one; 0: not by time */
	double window_begin, window_end;
	bool window_changes;     /* it is time for one of them */
	double started, ended;   /* when the program began, and its recording ended */
	double deadline;         /* of --time; 0: none */
	const char *ending;      /* why the recording must end as soon as possible; NULL */
	const char *stop_reason; /* why it has ended; NULL: not yet */
};

/* The ring of tasks, of task.c. */
struct task_ring {
	struct task *current; /* the task that ran last; NULL: there is no task */
	unsigned count;
	unsigned n_ended; /* tasks whose end waitpid has reported out of turn */
	uint64_t resumes; /* how often a task has been resumed */
};

/* The processes, of ptrace/process.c. */
struct process_list {
	struct process *first;
	unsigned n_unfollowed; /* processes that will be released */
	unsigned n_execs;      /* programs in the metadata that replaced others by exec */
	bool warned_of_tracer; /* see ptrace/tracers.h */
};

/* The program that is started, or the process that is attached to, of launch/. */
struct main_process {
	char *filename; /* NULL: attached */
	pid_t pid;
	int report_fd; /* the child writes here why it could not execute the program */
	bool executed; /* the program has been executed, or was running already */
	bool ended;
	int status; /* as waitpid gives it, once ended */
};

/* What is known of the code that is executed, of program/. */
struct code_tables {
	struct dictionary *dictionary;
	struct modules *modules;
	struct functions *functions;
	bool from_found, to_found; /* a module had the symbol of --from, of --to */
};

/* Whose turn it is, and the CPU that recorder and tasks share, of ptrace/schedule.c. */
struct schedule {
	bool serial;        /* tasks run in user code one at a time, so their order is exact */
	unsigned quantum;   /* blocks that the current task may execute before others have a turn */
	cpu_set_t affinity; /* the recorder's own */
	int cpu;            /* where recorder and tasks run; -1: anywhere */
	bool moved;         /* the recorder runs only there */
	unsigned n_pinned;  /* tasks that run only there */
	double look_for_cpu; /* when to choose the CPU again */
};

/* How the recorder polls tasks that run, of ptrace/polling.c. */
struct polling {
	unsigned cpus;  /* number of CPUs that the recorder may use */
	double until;   /* the recorder polls tasks until then */
	bool announced; /* running tasks know that the recorder polls */
	bool failed;    /* serving a request has failed, with the session's error */
	double paused_until, pause;
	unsigned served;
};

/* Tasks that wait for other tasks, of ptrace/stalls.c. */
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

/* This machine's processor. */
struct processor {
	enum isa_vendor vendor;
	bool transactions;            /* see ptrace/cpu_model.h */
	struct vector_layout vectors; /* see ptrace/vectors.h */
};

/* What the translate backend keeps for all tasks. */
struct translate_tables {
	struct encoder *encoder;                   /* NULL: none yet */
	struct persistent_cache *persistent_cache; /* the first one; NULL: none */
	struct path_ids *path_ids;                 /* NULL: none yet */
};

/* The first error, of session.c. */
struct session_error {
	pthread_mutex_t lock; /* guards the members below */
	bool is_set;
	struct tf_error first;
};

#endif
