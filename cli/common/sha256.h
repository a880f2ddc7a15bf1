/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4): the hash of a published file, which nobody can give to another file. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64, SHA256_TEXT = 2 * SHA256_BYTES + 1 };

struct sha256 {
	uint32_t state[8];
	uint64_t size; /* bytes so far */
	uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t size);

/* Each ends a hash and writes it: as bytes, or in hexadecimal digits. */
void sha256_digest(struct sha256 *hash, uint8_t digest[SHA256_BYTES]);
void sha256_end(struct sha256 *hash, char text[SHA256_TEXT]);

#endif
