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

/* Returns whether the hash was seen before, and remembers it. */
bool seen_before(uint64_t hash);

#endif
