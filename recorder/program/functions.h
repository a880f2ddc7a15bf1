/* SPDX-License-Identifier: MIT */
/*
 * Addresses that mean something: functions whose calls are events, and the symbols (or marks, see
 * marks.h) of --from and --to. They are looked up in each module when it is first mapped.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "recorder/core/session.h"
#include "recorder/elf/module.h"

/* What reaching an address means. */
struct watch {
	uint64_t value;    /* module offset */
	uint32_t function; /* a call of this function, or TF_NONE */
	bool from, to;
	bool any; /* one of these */
};

/* Returns the watch at a module's offset; .any is false if there is none. module may be NULL. */
struct watch watch_at(const struct module *module, uint64_t module_offset);

/* Adds a watch to a module; functions_resolve, which comes later, puts them in order. Returns 0 or
 * -1. */
int watch_add(struct session *session, struct module *module, const struct watch *watch);

/* Adds the functions to the trace. Returns 0 or -1. */
int functions_new(struct session *session);
void functions_free(struct functions *functions);

/* Looks the names up in a module's symbols and fills in its watches. Returns 0 or -1. */
int functions_resolve(struct session *session, struct module *module,
		      const struct tf_symbol *symbols, size_t count);

/* Warns of names the user gave that no module had. */
void functions_warn_missing(struct session *session);

/*
 * The task is about to execute the first instruction of a function: notes its arguments and
 * return address. functions_called writes the event once that instruction has executed.
 */
void functions_enter(struct task *task, uint32_t function);
int functions_called(struct task *task);

/* The same at once, from what was in registers and on the stack at the call: the return address,
 * where it stood, and the arguments. */
int functions_call(struct task *task, uint32_t function, uint64_t return_pc, uint64_t rsp,
		   const uint64_t *args);

/* Writes the RETURN events of the calls that end at pc with that rsp; result: rax. */
int functions_return(struct task *task, uint64_t pc, uint64_t rsp, uint64_t result);

/* The same where the task now stands. */
int functions_returned(struct task *task);

/* The calls of the task that have not returned: how many, and where number i would return to. */
unsigned functions_pending(const struct task *task);
uint64_t functions_return_pc(const struct task *task, unsigned i);

/* Returns how many arguments of a function are told. */
unsigned functions_args(const struct session *session, uint32_t function);

void calls_free(struct task *task);

/* Returns the malloc family, in a static array of *count functions. */
const struct record_function *functions_default(size_t *count);

#endif
