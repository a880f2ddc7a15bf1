/* SPDX-License-Identifier: MIT */
/*
 * A decoded instruction as text, to compare with what is expected: class, how it ends and its
 * target, then its memory operands; ~ marks implicit ones, +N the number of extras.
 */
#ifndef ISA_TEXT_H
#define ISA_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "traceformat/traceisa.h"

struct text {
	char s[512];
	size_t length;
};

struct text describe(const struct isa_insn *insn);

/* Bytes written in hexadecimal; returns how many. */
size_t parse_bytes(const char *hex, uint8_t *bytes);

#endif
