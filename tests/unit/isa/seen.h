/* SPDX-License-Identifier: MIT */
/* Which encodings have been tried. */
#ifndef SEEN_H
#define SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/traceisa.h"

/* FNV-1a of the instruction's mnemonic and of what is known of it. */
uint64_t encoding_hash(const uint8_t *code, enum isa_vendor vendor, const void *facts, size_t size);

/* False the first time. */
bool seen_before(uint64_t hash);

#endif
