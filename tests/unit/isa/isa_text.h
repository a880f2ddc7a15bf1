/* SPDX-License-Identifier: MIT */
/*
 * A decoded instruction as text, to compare with the expected one: its class, its kind of end and
 * target, then its memory operands. ~ marks implicit operands, +N is the number of extras.
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

/* Reads bytes written in hexadecimal. Returns their number. */
size_t parse_bytes(const char *hex, uint8_t *bytes);

#endif
