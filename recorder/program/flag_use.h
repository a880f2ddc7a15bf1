/* SPDX-License-Identifier: MIT */
/* What the most frequent instructions do to the flags, told without decoding them. */
#ifndef FLAG_USE_H
#define FLAG_USE_H

#include <stddef.h>
#include <stdint.h>

enum flag_use {
	FLAGS_UNKNOWN, /* it is to be decoded */
	FLAGS_PASSED, /* it neither reads nor replaces all of them, and control goes on behind it */
	FLAGS_READ,
	FLAGS_REPLACED, /* as in isa_effects.replaces_flags */
};

/*
 * Of the integer instructions without legacy prefixes, from their opcode and ModRM bytes (Intel
 * SDM, volume 2, chapter 2 and appendix A). With less than 15 bytes available, all are unknown.
 * *length: of one that is known, in bytes.
 */
enum flag_use flag_use_of_code(const uint8_t *code, size_t available, unsigned *length);

#endif
