/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/sha256.h"

#include <string.h>

enum { ROUNDS = 64, LENGTH_AT = SHA256_BLOCK - 8 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t read_big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void write_big_endian(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void expand(const uint8_t *block, uint32_t words[ROUNDS])
{
	for (unsigned i = 0; i < 16; i++)
		words[i] = read_big_endian(block + 4 * (size_t)i);
	for (unsigned i = 16; i < ROUNDS; i++) {
		uint32_t a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
			   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

/* The names are those of FIPS 180-4, 6.2.2. */
static void compress(uint32_t state[8], const uint8_t *block)
{
	uint32_t words[ROUNDS], s[8];

	expand(block, words);
	memcpy(s, state, sizeof(s));
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t a = s[0], e = s[4];
		uint32_t sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
		uint32_t sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
		uint32_t choice = (e & s[5]) ^ (~e & s[6]);
		uint32_t majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
		uint32_t t1 = s[7] + sum1 + choice + round_constants[i] + words[i];

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + sum0 + majority;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += s[i];
}

void sha256_begin(struct sha256 *h)
{
	*h = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
					 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256_add(struct sha256 *h, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < size; i++) {
		h->block[h->size++ % SHA256_BLOCK] = p[i];
		if (h->size % SHA256_BLOCK == 0)
			compress(h->state, h->block);
	}
}

void sha256_end(struct sha256 *h, uint8_t digest[SHA256_SIZE])
{
	static const uint8_t padding[SHA256_BLOCK] = { 0x80 };
	uint64_t bits = h->size * 8;
	size_t used = h->size % SHA256_BLOCK;
	uint8_t length[8];

	sha256_add(h, padding, (used < LENGTH_AT ? LENGTH_AT : LENGTH_AT + SHA256_BLOCK) - used);
	write_big_endian(length, (uint32_t)(bits >> 32));
	write_big_endian(length + 4, (uint32_t)bits);
	sha256_add(h, length, sizeof(length));
	for (unsigned i = 0; i < 8; i++)
		write_big_endian(digest + 4 * (size_t)i, h->state[i]);
}

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
		sha256_end(&h, block);
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

void hmac_end(struct hmac *hmac, uint8_t digest[SHA256_SIZE])
{
	sha256_end(&hmac->inner, digest);
	sha256_add(&hmac->outer, digest, SHA256_SIZE);
	sha256_end(&hmac->outer, digest);
}
