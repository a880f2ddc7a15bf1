/* SPDX-License-Identifier: MIT */
/* Words of a command line that is shown, and may be copied into a shell. */
#ifndef SHELL_WORD_H
#define SHELL_WORD_H

#include <stdio.h>

/* Writes a word so that a shell reads it as one word: in quotes unless it is plain. */
void put_shell_word(FILE *out, const char *word);

/* Returns what put_shell_word() writes. The caller frees it. */
char *shell_word(const char *word);

#endif
