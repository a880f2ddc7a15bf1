/* SPDX-License-Identifier: MIT */
#ifndef UUID_H
#define UUID_H

#include <stdint.h>

enum { UUID_TEXT = 2 * 16 + 4 + 1 };

/* Writes a trace's UUID to text, in hexadecimal with hyphens (RFC 9562), and returns text. */
const char *uuid_text(const uint8_t uuid[16], char text[UUID_TEXT]);

#endif
