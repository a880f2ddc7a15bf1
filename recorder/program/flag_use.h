/* SPDX-License-Identifier: MIT */
/* The effect of the most frequent instructions on the flags, without decoding them. */
#ifndef FLAG_USE_H
#define FLAG_USE_H

#include <stddef.h>
#include <stdint.h>

enum flag_use {
	FLAGS_UNKNOWN, /* the instruction must be decoded */
	/* reads no flags, does not replace all of them, and control goes on behind it */
	FLAGS_PASSED,
	FLAGS_READ,
	FLAGS_REPLACED, /* as in isa_effects.replaces_flags */
};

/*
 * Returns the effect of an integer instruction without legacy prefixes, from its opcode and ModRM
 * bytes (Intel SDM, volume 2, chapter 2 and appendix A). If fewer than 15 bytes are available, it
 * is unknown. *length receives the length in bytes of a known instruction.
 */
enum flag_use flag_use_of_code(const uint8_t *code, size_t available, unsigned *length);

#endif
