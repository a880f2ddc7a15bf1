/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "traceformat/common/bytes.h"

/* Without letters that look like digits. */
static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

static void derive(const uint8_t key[KEY_SIZE], const char *purpose, uint8_t derived[SHA256_BYTES])
{
	struct hmac hmac;

	hmac_begin(&hmac, key, KEY_SIZE);
	hmac_add(&hmac, purpose, strlen(purpose));
	hmac_end(&hmac, derived);
}

void keys_derive(const uint8_t key[KEY_SIZE], struct keys *keys)
{
	derive(key, "tracelab anonymise 1 names", keys->names);
	derive(key, "tracelab anonymise 1 order", keys->order);
	derive(key, "tracelab anonymise 1 uuid", keys->uuid);
}

/* Reads a key. Returns an exit code, after a message. */
static int read_key(const char *path, uint8_t key[KEY_SIZE])
{
	uint8_t bytes[KEY_SIZE + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, size = 0;

	if (fd < 0) {
		command_error("%s: cannot open the key: %s", shown_name(path), strerror(errno));
		return EXIT_FAILED;
	}
	while (size < (ssize_t)sizeof(bytes) &&
	       (n = read(fd, bytes + size, sizeof(bytes) - (size_t)size)) > 0)
		size += n;
	if (n < 0)
		command_error("%s: cannot read the key: %s", path, strerror(errno));
	else if (size != KEY_SIZE)
		command_error("%s: a key has %d bytes; make one by head -c%d /dev/urandom", path,
			      KEY_SIZE, KEY_SIZE);
	close(fd);
	memcpy(key, bytes, KEY_SIZE);
	return n < 0 || size != KEY_SIZE ? EXIT_FAILED : EXIT_DONE;
}

static int make_key(uint8_t key[KEY_SIZE])
{
	if (getrandom(key, KEY_SIZE, 0) == KEY_SIZE)
		return EXIT_DONE;
	command_error("cannot make a random key: %s", strerror(errno));
	return EXIT_FAILED;
}

int keys_load(const char *path, struct keys *keys)
{
	uint8_t key[KEY_SIZE];
	int status = path ? read_key(path, key) : make_key(key);

	if (status == EXIT_DONE)
		keys_derive(key, keys);
	explicit_bzero(key, sizeof(key));
	return status;
}

void keys_hash_name(const struct keys *keys, const char *kind, const char *name,
		    char hashed[HASHED_NAME + 1])
{
	uint8_t digest[SHA256_BYTES];
	struct hmac hmac;
	unsigned bits = 0, n = 0;
	uint32_t held = 0;

	hmac_begin(&hmac, keys->names, sizeof(keys->names));
	hmac_add(&hmac, kind, strlen(kind) + 1);
	hmac_add(&hmac, name, strlen(name));
	hmac_end(&hmac, digest);
	for (unsigned i = 0; n < HASHED_NAME; i++) {
		held = held << 8 | digest[i];
		for (bits += 8; bits >= 5 && n < HASHED_NAME; bits -= 5)
			hashed[n++] = alphabet[held >> (bits - 5) & 31];
	}
	hashed[HASHED_NAME] = 0;
}

bool keys_is_hashed_name(const char *text)
{
	return strspn(text, alphabet) == HASHED_NAME && !text[HASHED_NAME];
}

uint64_t keys_order(const struct keys *keys, uint64_t number)
{
	uint8_t bytes[8], digest[SHA256_BYTES];
	struct hmac hmac;

	put_le64(bytes, number);
	hmac_begin(&hmac, keys->order, sizeof(keys->order));
	hmac_add(&hmac, bytes, sizeof(bytes));
	hmac_end(&hmac, digest);
	return __builtin_bswap64(get_le64(digest));
}
