/* SPDX-License-Identifier: MIT */
/*
 * Watched addresses: functions whose calls are events, and the symbols (or marks, see marks.h) of
 * --from and --to. They are looked up in each module when it is first mapped.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "recorder/core/session.h"
#include "recorder/elf/module.h"

/* The meaning of an address when control reaches it. */
struct watch {
	uint64_t value;    /* module offset */
	uint32_t function; /* index of the function that is called, or TF_NONE */
	bool from, to;
	bool any; /* true if the address has any of these meanings */
};

/* Returns the watch at a module's offset; .any is false if there is none. module may be NULL. */
struct watch watch_at(const struct module *module, uint64_t module_offset);

/* Adds a watch to a module; functions_resolve sorts the watches later. Returns 0 or -1. */
int watch_add(struct session *session, struct module *module, const struct watch *watch);

/* Adds the functions to the trace. Returns 0 or -1. */
int functions_new(struct session *session);
void functions_free(struct functions *functions);

/* Looks the names up in a module's symbols and fills in its watches. Returns 0 or -1. */
int functions_resolve(struct session *session, struct module *module,
		      const struct tf_symbol *symbols, size_t count);

/* Warns of the user's names that no module had. */
void functions_warn_missing(struct session *session);

/*
 * Keeps arguments and return address of a task that is about to execute the first instruction of a
 * function. functions_called writes the event once that instruction has executed.
 */
void functions_enter(struct task *task, uint32_t function);
int functions_called(struct task *task);

/*
 * Writes the event of a call at once, from the return address, its place on the stack (rsp), and
 * the arguments at the call.
 */
int functions_call(struct task *task, uint32_t function, uint64_t return_pc, uint64_t rsp,
		   const uint64_t *args);

/* Writes the RETURN events of the calls that end at pc with that rsp; result: rax. */
int functions_return(struct task *task, uint64_t pc, uint64_t rsp, uint64_t result);

/* Writes the RETURN events of the calls that end where the task stands. */
int functions_returned(struct task *task);

/*
 * The first returns the number of the task's calls that have not returned; the second returns
 * where call i would return to.
 */
unsigned functions_pending(const struct task *task);
uint64_t functions_return_pc(const struct task *task, unsigned i);

/* Returns how many arguments of a function are recorded. */
unsigned functions_args(const struct session *session, uint32_t function);

void calls_free(struct task *task);

/* Returns the malloc family, in a static array of *count functions. */
const struct record_function *functions_default(size_t *count);

#endif
