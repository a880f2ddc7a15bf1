/* SPDX-License-Identifier: MIT */
/* Declarations that the parts of compare share. */
#ifndef COMPARE_H
#define COMPARE_H

#include "traceformat/traceformat.h"

/* A trace under comparison, and the position up to which its current thread has been compared. */
struct side {
	const char *name;
	struct tf_reader *reader;
	struct tf_info info;
	uint32_t *first_insn; /* by block: where its instructions begin in facts */
	uint64_t *facts;      /* by static instruction: hash of all that is static */
	struct tf_cursor *cursor;
	struct tf_item item;
	size_t at; /* in the item; item.count: the next one is due */
};

extern struct tf_error read_error;

/* End the program because the traces cannot be compared; must() only if the status is an error. */
void __attribute__((noreturn, format(printf, 1, 2))) give_up(const char *format, ...);
void must(int status);

/* Returns the ordinal of the instruction that is compared. */
uint64_t here(const struct side *s);

/* Prints the item at which the comparison stands, or that the thread has ended. */
void print_place(const struct side *s, bool at_end);

/* Prints the thread's last instructions before the ordinal. */
void print_context(const struct side *s, uint32_t thread, uint64_t ordinal);

/* Compares the events at which both sides stand. */
bool same_event(const struct side *a, const struct side *b);

#endif
