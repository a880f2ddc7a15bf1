/* SPDX-License-Identifier: MIT */
/* META of a joined trace, and whether its parts are of one machine. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/join.h"

static bool equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int join_check_machine(const struct join *j, struct tf_error *error)
{
	/* The vendor decides how code is decoded, so that no option overrides it. */
	static const char *const keys[] = { "host.cpu.vendor", "host.cpu.model", "host.kernel",
					    "host.page-size",  "clock",          "sample.clock" };
	struct tf_reader *first = j->parts[0].r;

	for (size_t i = 1; i < j->n; i++)
		for (size_t k = 0; k < (j->options->unrelated ? 1 : sizeof(keys) / sizeof(*keys));
		     k++) {
			const char *a = tf_meta(first, keys[k]),
				   *b = tf_meta(j->parts[i].r, keys[k]);

			if (!equal(a, b) && (k == 0 || (a && b)))
				return fail(error, TF_E_ARGUMENT,
					    "%s: is of another machine than %s: %s is '%s', not "
					    "'%s'%s",
					    j->parts[i].r->name, first->name, keys[k],
					    b ? b : "not known", a ? a : "not known",
					    k ? "; --unrelated joins them all the same" : "");
		}
	return 0;
}

/* Returns true if the key says what was executed; the first part's value is the whole's. */
static bool is_of_program(const char *key)
{
	static const char *const prefixes[] = { "command.", "exe.", "exec.", "env." };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(key, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static bool same_in_all(const struct join *j, const char *key, const char *value)
{
	for (size_t i = 1; i < j->n; i++)
		if (!equal(tf_meta(j->parts[i].r, key), value))
			return false;
	return true;
}

static int add_number(struct join *j, const char *key, uint64_t value, struct tf_error *error)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return tf_writer_meta(j->w, key, text, error);
}

/* Adds all lines of a part, each under the part's prefix. */
static int add_part(struct join *j, const struct join_part *part, struct tf_error *error)
{
	char prefix[40], uuid[33];
	const char *key, *value;
	int status;

	for (unsigned i = 0; i < 16; i++)
		snprintf(uuid + 2 * i, 3, "%02x", part->r->uuid[i]);
	snprintf(prefix, sizeof(prefix), "part.%zu.", part->argument);
	j->record.size = 0;
	put_bytes(&j->record, prefix, strlen(prefix));
	put_bytes(&j->record, "uuid", sizeof("uuid"));
	status = j->record.failed ? fail_memory(error)
				  : tf_writer_meta(j->w, (const char *)j->record.data, uuid, error);
	for (size_t i = 0; status == 0 && (key = tf_meta_at(part->r, i, &value)); i++) {
		j->record.size = strlen(prefix);
		put_bytes(&j->record, key, strlen(key) + 1);
		status = j->record.failed
				 ? fail_memory(error)
				 : tf_writer_meta(j->w, (const char *)j->record.data, value, error);
	}
	return status;
}

int join_meta(struct join *j, struct tf_error *error)
{
	const char *key, *value;
	int status = 0;

	for (size_t i = 0; status == 0 && (key = tf_meta_at(j->parts[0].r, i, &value)); i++)
		if (strncmp(key, "slice.", 6) && strncmp(key, "part.", 5) &&
		    strncmp(key, "join.", 5) && (is_of_program(key) || same_in_all(j, key, value)))
			status = tf_writer_meta(j->w, key, value, error);
	if (status == 0)
		status = add_number(j, "join.parts", j->n, error);
	for (size_t i = 0; status == 0 && i < j->n; i++)
		status = add_part(j, &j->parts[i], error);
	return status;
}
