/* SPDX-License-Identifier: MIT */
/*
 * The part of a trace that --part names: I/N, or a source of both numbers, one of the schedulers of
 * clusters. Nothing is guessed, because a scheduler's variables are also set where they do not mean
 * parts: a batch script of Slurm has SLURM_PROCID, and so have all processes of mpirun in it.
 */
#ifndef PART_CHOICE_H
#define PART_CHOICE_H

#include <stdint.h>

enum { MOST_PARTS = 1 << 30 };

struct part_choice {
	uint64_t part, n_parts; /* from 0; n_parts 0: no part is chosen */
};

/*
 * Parses "3/64", or a source, perhaps with a number of parts: "slurm-array", "pbs-array/64".
 * Returns NULL, or the reason why it is refused, valid until the next call.
 */
const char *part_choice_parse(struct part_choice *choice, const char *text);

/*
 * Returns a copy of a file's name in which %p is the part, with as many digits as the last part
 * has. Free it.
 */
char *part_choice_name(const struct part_choice *choice, const char *pattern);

#endif
