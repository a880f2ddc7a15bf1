/* SPDX-License-Identifier: MIT */
/*
 * The persistent code cache on disk: what the recordings of programs hand to later recordings.
 *
 * It has no machine code. It has which superblocks a program has executed, and in which order, as
 * positions in its modules (saved_program.h). A later recording translates these superblocks from
 * the code that is in memory then, many at a time and before the program asks for them. So it needs
 * no stop for each, forms no superblock that is replaced by a longer one soon after, and translates
 * nothing that is not reached. Nothing in a file can change what is recorded: a file that is
 * stale, foreign or forged costs time only, and code at other addresses (--aslr) needs no
 * relocation.
 *
 * Systems that store machine code save the translation, too, but have to prove that the code still
 * fits: D. Bruening, V. Kiriansky, "Process-shared and persistent code caches", VEE 2008; V. J.
 * Reddi et al., "Persistent code caching", CGO 2007. As in the latter there is a file for each
 * program, because a program uses its own part of the libraries.
 */
#ifndef SAVED_PROGRAMS_H
#define SAVED_PROGRAMS_H

#include "recorder/core/session.h"
#include "recorder/elf/module.h"
#include "recorder/translate/store/saved_program.h"

/*
 * Returns the known superblocks of the program of the task's process, which may be none.
 * Returns NULL if there is no cache on disk. The program is valid until saved_programs_end().
 */
struct saved_program *saved_programs_of(struct task *task);

/* Returns false if the module has nothing that identifies it. */
bool saved_identity(const struct module *module, struct module_identity *identity);

/* Writes the programs that have executed new superblocks, and frees all programs. */
void saved_programs_end(struct session *session);

#endif
