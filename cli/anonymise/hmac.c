/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/hmac.h"

#include <string.h>

/* Begins a hash with the key's block, each byte of which is combined with the pad. */
static void begin_padded(struct sha256 *h, const uint8_t key[SHA256_BLOCK], uint8_t pad)
{
	uint8_t block[SHA256_BLOCK];

	for (unsigned i = 0; i < SHA256_BLOCK; i++)
		block[i] = key[i] ^ pad;
	sha256_begin(h);
	sha256_add(h, block, sizeof(block));
}

void hmac_begin(struct hmac *hmac, const void *key, size_t key_size)
{
	uint8_t block[SHA256_BLOCK] = { 0 };

	if (key_size > sizeof(block)) {
		struct sha256 h;

		sha256_begin(&h);
		sha256_add(&h, key, key_size);
		sha256_digest(&h, block);
	} else {
		memcpy(block, key, key_size);
	}
	begin_padded(&hmac->inner, block, 0x36);
	begin_padded(&hmac->outer, block, 0x5c);
}

void hmac_add(struct hmac *hmac, const void *bytes, size_t size)
{
	sha256_add(&hmac->inner, bytes, size);
}

void hmac_end(struct hmac *hmac, uint8_t digest[SHA256_BYTES])
{
	sha256_digest(&hmac->inner, digest);
	sha256_add(&hmac->outer, digest, SHA256_BYTES);
	sha256_digest(&hmac->outer, digest);
}
