/* SPDX-License-Identifier: MIT */
/*
 * Code of a space, read some pages at a time: a system call to read it takes longer than to decode
 * what a block has. Only pages of stable code (space.h) are kept, until some of that changes.
 */
#ifndef CODE_PAGES_H
#define CODE_PAGES_H

#include "recorder/core/session.h"

/* Returns the code at an address of the task's space, and *available, how many bytes from there on
 * have been read. It is valid until the next call. NULL: it is not stable, or cannot be read. */
const uint8_t *code_pages_at(const struct task *task, uint64_t address, size_t *available);

/* As task_read_code(), of the task's space. */
size_t code_pages_read(const struct task *task, uint64_t address, uint8_t *bytes, size_t size);

#endif
