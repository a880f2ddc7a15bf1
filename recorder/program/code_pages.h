/* SPDX-License-Identifier: MIT */
/*
 * Caches the code of a space, read several pages at a time: a system call that reads code takes
 * longer than decoding a block. Only pages of stable code (space.h) are kept, until some stable
 * code changes.
 */
#ifndef CODE_PAGES_H
#define CODE_PAGES_H

#include "recorder/core/session.h"

/*
 * Returns the code at an address of the task's space, valid until the next call, and in *available
 * the number of bytes read from there on. Returns NULL if the code is not stable or cannot be
 * read.
 */
const uint8_t *code_pages_at(const struct task *task, uint64_t address, size_t *available);

/* Reads code like task_read_code(), from these pages where possible. */
size_t code_pages_read(const struct task *task, uint64_t address, uint8_t *bytes, size_t size);

#endif
