/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104). */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

/* A zeroed struct is not ready: call sha256_begin first. */
struct sha256 {
	uint32_t state[8];
	uint64_t size; /* bytes so far */
	uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t size);
void sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE]);

struct hmac {
	struct sha256 inner, outer;
};

void hmac_begin(struct hmac *hmac, const void *key, size_t key_size);
void hmac_add(struct hmac *hmac, const void *bytes, size_t size);
void hmac_end(struct hmac *hmac, uint8_t digest[SHA256_SIZE]);

#endif
