/* SPDX-License-Identifier: MIT */
/* HMAC-SHA-256 (RFC 2104): a hash that only those with the key can compute. */
#ifndef HMAC_H
#define HMAC_H

#include "cli/common/sha256.h"

struct hmac {
	struct sha256 inner, outer;
};

void hmac_begin(struct hmac *hmac, const void *key, size_t key_size);
void hmac_add(struct hmac *hmac, const void *bytes, size_t size);
void hmac_end(struct hmac *hmac, uint8_t digest[SHA256_BYTES]);

#endif
