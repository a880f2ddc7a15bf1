/* SPDX-License-Identifier: MIT */
/*
 * Rewrites a seccomp filter so that it allows the recorder's system calls: a prologue compares the
 * upper half of the instruction pointer with a value that no program can have there.
 */
#ifndef FILTER_PROGRAM_H
#define FILTER_PROGRAM_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The instruction pointer that a rewritten filter allows. The address is not canonical, so that no
 * instruction can execute there.
 */
#define FILTER_PROGRAM_PC UINT64_C(0x7472616365000000)

enum { FILTER_PROLOGUE = 4 }; /* length of the prologue, in instructions */

/*
 * Writes the prologue and the filter of n instructions to out, which has room for BPF_MAXINSNS. A
 * filter that becomes too long is shortened where that changes no result. Returns the number of
 * instructions, or 0 if the filter remains too long.
 */
size_t filter_program_open(const struct sock_filter *filter, size_t n, struct sock_filter *out);

#endif
