/* SPDX-License-Identifier: MIT */
/*
 * A line of META is kept only if its key is known, and if its value is one that our programs write
 * there: others may have written anything.
 */
#include "cli/anonymise/meta.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"

enum value_form { FORM_WORDS, FORM_NUMBER };

static const struct known {
	const char *key;
	enum value_form form;
	const char *words; /* with | between; FORM_WORDS */
} known[] = {
	{ "host.cpu.vendor", FORM_WORDS, "GenuineIntel|AuthenticAMD|HygonGenuine" },
	{ "host.page-size", FORM_NUMBER, NULL },
	{ "addresses", FORM_WORDS, "virtual|none" },
	{ "order", FORM_WORDS,
	  "exact, serialised by the recorder|exact, one thread|approximate, as buffers were full|"
	  "approximate, as the buffers of threads were filled" },
	{ "clock", FORM_WORDS, "monotonic" },
	{ "decoder.version", FORM_NUMBER, NULL },
	{ "slice.thread", FORM_NUMBER, NULL },
	{ "slice.first", FORM_NUMBER, NULL },
	{ "slice.instructions", FORM_NUMBER, NULL },
	{ "slice.warmup", FORM_NUMBER, NULL },
	{ "slice.weight", FORM_NUMBER, NULL },
	{ "slice.multiplier", FORM_NUMBER, NULL },
	{ "slice.cluster", FORM_NUMBER, NULL },
	{ "slice.interval", FORM_NUMBER, NULL },
	{ "slice.interval-size", FORM_NUMBER, NULL },
	{ "slice.parent-instructions", FORM_NUMBER, NULL },
	{ "slice.counter", FORM_WORDS, "exact|exp-bbv" },
};

static bool is_one_of(const char *value, const char *words)
{
	size_t size = strlen(value);

	for (const char *word = words; word; word = strchr(word, '|')) {
		word += *word == '|';
		if (strcspn(word, "|") == size && !memcmp(word, value, size))
			return true;
	}
	return false;
}

/* Returns whether a value is a number, a version, or "all". */
static bool is_number(const char *value)
{
	enum { MOST_DIGITS = 32 };
	size_t digits = strspn(value, "0123456789.+-e");

	return (*value && !value[digits] && digits <= MOST_DIGITS) || !strcmp(value, "all");
}

static bool is_known(const char *key, const char *value)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(key, known[i].key))
			return known[i].form == FORM_NUMBER ? is_number(value)
							    : is_one_of(value, known[i].words);
	return false;
}

bool keeps_meta(const struct kept_meta *kept, const struct levels *levels, const char *key,
		const char *value)
{
	for (unsigned i = 0; i < kept->count; i++)
		if (!strcmp(key, kept->keys[i]))
			return true;
	if (levels->at[SWITCH_SAMPLES] == SAMPLES_KEEP &&
	    ((!strcmp(key, "sample.clock") && is_one_of(value, "monotonic|perf|tsc")) ||
	     (!strcmp(key, "sample.source") && !strcmp(value, "perf_event_open"))))
		return true;
	return is_known(key, value);
}

static char *patterns_text(const struct public_modules *publics)
{
	char *text = checked_copy("");

	for (unsigned i = 0; i < publics->count; i++) {
		char *longer = text_format("%s%s%s", text, *text ? " " : "", publics->patterns[i]);

		free(text);
		text = longer;
	}
	return text;
}

static int write_settings(struct tf_writer *writer, const struct meta_settings *s,
			  struct tf_error *error)
{
	char key[40], word[LEVEL_WORD], number[24], *patterns = patterns_text(s->publics);
	int status = tf_writer_meta(writer, "anonymised.version", "1", error);

	for (unsigned i = 0; i < N_SWITCHES && status == 0; i++) {
		snprintf(key, sizeof(key), "anonymised.%s", switch_names[i]);
		status = tf_writer_meta(writer, key, level_word(i, s->levels.at[i], word), error);
	}
	snprintf(number, sizeof(number), "%" PRIu64, s->granule);
	if (status == 0 && s->levels.at[SWITCH_ADDRESSES] != ADDRESSES_KEEP)
		status = tf_writer_meta(writer, "anonymised.granule", number, error);
	if (status == 0)
		status = tf_writer_meta(writer, "anonymised.public", patterns, error);
	free(patterns);
	return status;
}

int meta_write(struct tf_reader *reader, struct tf_writer *writer, const struct meta_settings *s,
	       struct tf_error *error)
{
	const char *key, *value;
	int status = 0;

	for (size_t i = 0; status == 0 && (key = tf_meta_at(reader, i, &value)); i++) {
		if (!keeps_meta(s->kept, &s->levels, key, value))
			continue;
		if (!strcmp(key, "addresses") && s->levels.at[SWITCH_ADDRESSES] == ADDRESSES_DROP)
			value = "none";
		status = tf_writer_meta(writer, key, value, error);
	}
	return status < 0 ? status : write_settings(writer, s, error);
}

void make_uuid(const struct keys *keys, const uint8_t old[16], const struct meta_settings *s,
	       uint8_t uuid[16])
{
	uint8_t digest[SHA256_BYTES];
	char word[LEVEL_WORD], text[64], *patterns = patterns_text(s->publics);
	struct hmac hmac;

	hmac_begin(&hmac, keys->uuid, sizeof(keys->uuid));
	hmac_add(&hmac, old, 16);
	for (unsigned i = 0; i < N_SWITCHES; i++) {
		int size = snprintf(text, sizeof(text), "%s=%s ", switch_names[i],
				    level_word(i, s->levels.at[i], word));

		hmac_add(&hmac, text, (size_t)size);
	}
	hmac_add(&hmac, text,
		 (size_t)snprintf(text, sizeof(text), "granule=%" PRIu64 " public=", s->granule));
	hmac_add(&hmac, patterns, strlen(patterns));
	hmac_end(&hmac, digest);
	memcpy(uuid, digest, 16);
	free(patterns);
}

const char *known_stop_reason(const char *reason)
{
	static const char *const texts[] = { "exit",  "count",      "to",      "time",
					     "size",  "interrupt",  "points",  "slice",
					     "error", "unfinished", "imported" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(reason, texts[i]))
			return texts[i];
	return "unknown";
}
