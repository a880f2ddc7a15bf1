/* SPDX-License-Identifier: MIT */
#include "cli/common/sha256.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64, WORDS = 8 };

/* The fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t constants[ROUNDS] = {
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

/* Fills the message schedule of a block (FIPS 180-4, 6.2.2). */
static void schedule(const uint8_t *block, uint32_t w[ROUNDS])
{
	for (unsigned t = 0; t < 16; t++) {
		memcpy(&w[t], block + 4 * t, 4);
		w[t] = be32toh(w[t]);
	}
	for (unsigned t = 16; t < ROUNDS; t++) {
		uint32_t a = w[t - 15], b = w[t - 2];

		w[t] = w[t - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[t - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void add_block(uint32_t state[WORDS], const uint8_t *block)
{
	uint32_t w[ROUNDS], s[WORDS];

	schedule(block, w);
	memcpy(s, state, sizeof(s));
	for (unsigned t = 0; t < ROUNDS; t++) {
		uint32_t a = s[0], e = s[4];
		uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			      ((e & s[5]) ^ (~e & s[6])) + constants[t] + w[t];
		uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[0] = t1 + t2;
		s[4] += t1;
	}
	for (unsigned i = 0; i < WORDS; i++)
		state[i] += s[i];
}

void sha256_begin(struct sha256 *h)
{
	/* The fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3). */
	static const uint32_t initial[WORDS] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
						 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(h->state, initial, sizeof(initial));
	h->size = 0;
}

void sha256_add(struct sha256 *h, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (size) {
		size_t used = h->size % SHA256_BLOCK, n = SHA256_BLOCK - used;

		if (n > size)
			n = size;
		if (n == SHA256_BLOCK) {
			add_block(h->state, from);
		} else {
			memcpy(h->block + used, from, n);
			if (used + n == SHA256_BLOCK)
				add_block(h->state, h->block);
		}
		h->size += n;
		from += n;
		size -= n;
	}
}

void sha256_digest(struct sha256 *h, uint8_t digest[SHA256_BYTES])
{
	static const uint8_t padding[SHA256_BLOCK] = { 0x80 };
	uint64_t bits = htobe64(h->size * 8);
	size_t used = h->size % SHA256_BLOCK;

	sha256_add(h, padding, (used < 56 ? 56 : 56 + SHA256_BLOCK) - used);
	sha256_add(h, &bits, sizeof(bits));
	for (unsigned i = 0; i < WORDS; i++) {
		uint32_t word = htobe32(h->state[i]);

		memcpy(digest + sizeof(word) * i, &word, sizeof(word));
	}
}

void sha256_end(struct sha256 *h, char text[SHA256_TEXT])
{
	uint8_t digest[SHA256_BYTES];

	sha256_digest(h, digest);
	for (unsigned i = 0; i < SHA256_BYTES; i++)
		sprintf(text + 2 * (size_t)i, "%02x", digest[i]);
}
