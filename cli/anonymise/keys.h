/* SPDX-License-Identifier: MIT */
/* The key of an anonymized trace, and the keyed hashes that replace names. */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/anonymise/hmac.h"

enum { KEY_SIZE = 32, HASHED_NAME = 16 };

struct keys {
	/* HMAC-SHA-256(key, "tracelab anonymise 1 names"), and so on. */
	uint8_t names[SHA256_BYTES], order[SHA256_BYTES], uuid[SHA256_BYTES];
};

/* Derives the keys from the user's. */
void keys_derive(const uint8_t key[KEY_SIZE], struct keys *keys);

/*
 * Reads a key of KEY_SIZE bytes from a file, or makes a random one if path is NULL. Returns an exit
 * code, after a message.
 */
int keys_load(const char *path, struct keys *keys);

/*
 * Hashes a name of a kind ("module", "function", "region", "thread"): the first 80 bits of
 * HMAC-SHA-256(names, kind, 0, name) in base 32.
 */
void keys_hash_name(const struct keys *keys, const char *kind, const char *name,
		    char hashed[HASHED_NAME + 1]);

/* Returns whether a text has the form of a hashed name. */
bool keys_is_hashed_name(const char *text);

/* Returns a number by which things are put in an order that only the key tells. */
uint64_t keys_order(const struct keys *keys, uint64_t number);

#endif
