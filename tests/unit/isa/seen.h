/* SPDX-License-Identifier: MIT */
/* The encodings that have been tried. */
#ifndef SEEN_H
#define SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/traceisa.h"

/* Returns the FNV-1a hash of the instruction's mnemonic and facts. */
uint64_t encoding_hash(const uint8_t *code, enum isa_vendor vendor, const void *facts, size_t size);

/*
 * Returns whether an instruction of that length with the same first four bytes was given before.
 * Two different instructions may share one of its 2^24 bits.
 */
bool begins_as_before(const uint8_t *code, size_t length);

/* Returns whether the hash was seen before, and remembers it. */
bool seen_before(uint64_t hash);

#endif
