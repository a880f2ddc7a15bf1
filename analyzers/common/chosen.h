/* SPDX-License-Identifier: MIT */
/* The parts of a program that --process and --function choose. */
#ifndef CHOSEN_H
#define CHOSEN_H

#include "analyzers/common/analyzer.h"

/*
 * Finds the threads that are not of the process with this number of the kernel; *left_out, by
 * thread, is to be freed. Returns 0, or EXIT_UNSUITABLE after a message if there is no such
 * process.
 */
int threads_of_others(const struct analysis *run, uint64_t pid, bool **left_out);

/*
 * Finds the threads that are not of the process with this index, or that another choice leaves
 * out (`chosen`, by thread; NULL: none); *left_out is to be freed unless 0 is returned. Returns
 * the number of the other threads.
 */
uint32_t threads_but_those_of(const struct analysis *run, uint32_t process, const bool *chosen,
			      bool **left_out);

/*
 * Marks the blocks that are not of the function in *excluded, by block, which is allocated if it
 * is NULL. The name is one of the symbol table, or one of C++, with or without its parameters. A
 * block belongs to the function of its first instruction. Returns 0, or EXIT_UNSUITABLE after a
 * message if there is no such code.
 */
int exclude_other_functions(const struct analysis *run, const char *name, bool **excluded);

#endif
