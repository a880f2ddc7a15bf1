/* SPDX-License-Identifier: MIT */
#include "tests/unit/traceformat/original.h"

#include <xxhash.h>

#include "tests/fuzz/loose_trace.h"

void rest_free(struct rest *rest)
{
	free(rest->insns.at);
	free(rest->events.at);
}

/* Adds an event to the rest. The thread must have it, behind the event added before. */
static void add_event(const struct original *o, const struct tf_event *e, struct rest *rest)
{
	const struct random_stream *s = &o->trace->streams[e->thread];
	uint64_t last = rest->events.count ? rest->events.at[rest->events.count - 1] : UINT64_MAX;
	size_t i = last >> 32 == e->thread && rest->events.count ? (uint32_t)last + 1 : 0;

	while (i < s->events.count && !truth_event_same(e, &s->events.at[i]))
		i++;
	ck_assert_uint_lt(i, s->events.count);
	PUSH(&rest->events, (uint64_t)e->thread << 32 | i);
}

/* Checks the items that a thread's cursor returns, and adds them to the rest. */
static void add_thread(const struct original *o, struct tf_cursor *cursor, uint32_t thread,
		       unsigned columns, struct rest *rest)
{
	const struct truth *truth = &o->insns[thread];
	uint64_t next = 0;
	struct tf_item item;
	int status;

	while ((status = tf_next(cursor, &item, NULL)) != 0) {
		if (status < 0) {
			rest->errors++;
			continue;
		}
		ck_assert_uint_eq(item.thread, thread);
		if (item.kind == TF_ITEM_EVENT && item.event->kind == TF_EVENT_GAP &&
		    item.event->gap.reason == TF_GAP_FAULT) {
			ck_assert_uint_eq(item.ordinal, next);
			next += item.event->gap.instructions;
			rest->gaps++;
			continue;
		}
		if (item.kind == TF_ITEM_EVENT) {
			add_event(o, item.event, rest);
			continue;
		}
		ck_assert_uint_eq(item.ordinal, next);
		for (size_t i = 0; i < item.count; i++, next++) {
			ck_assert_uint_lt(next, truth->items.count);
			ck_assert(truth_same(&truth->items.at[next], &item, i, columns));
			PUSH(&rest->insns, (uint64_t)thread << 32 | next);
		}
	}
}

struct rest rest_read(const struct original *o, struct tf_reader *reader, unsigned columns)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct rest rest = { 0 };

	options.view = TF_VIEW_INSNS;
	options.columns = columns;
	for (uint32_t i = 0; i < o->trace->options.n_threads; i++) {
		struct tf_cursor *cursor;

		options.thread = i;
		if (tf_cursor_open(reader, &options, &cursor, NULL) < 0) {
			ck_assert_ptr_null(tf_thread(reader, i));
			continue;
		}
		add_thread(o, cursor, i, columns, &rest);
		tf_cursor_close(cursor);
	}
	return rest;
}

bool rest_holds(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
	size_t k = 0;

	for (size_t i = 0; i < n_b; i++, k++) {
		while (k < n_a && a[k] != b[i])
			k++;
		if (k == n_a)
			return false;
	}
	return true;
}

static void hash(uint64_t *print, const void *bytes, size_t size)
{
	*print = XXH3_64bits_withSeed(bytes, size, *print);
}

static void hash_text(uint64_t *print, const char *text)
{
	hash(print, text, strlen(text));
}

/* Structures without padding are hashed as a whole. */
uint64_t dictionary_print(struct tf_reader *reader)
{
	const char *key, *value;
	uint64_t print = 0;
	size_t count;

	for (size_t i = 0; (key = tf_meta_at(reader, i, &value)); i++) {
		hash_text(&print, key);
		hash_text(&print, value);
	}
	ck_assert_int_eq(tf_load(reader, NULL), 0);
	for (uint32_t i = 0; tf_module(reader, i); i++) {
		const struct tf_module *m = tf_module(reader, i);
		const struct tf_symbol *s = tf_symbols(reader, i, &count);

		hash_text(&print, m->path);
		hash(&print, m->build_id, sizeof(m->build_id));
		hash(&print, &m->file_size, sizeof(m->file_size));
		for (size_t k = 0; k < count; k++) {
			hash(&print, &s[k].value, 16);
			hash(&print, &s[k].kind, 1);
			hash_text(&print, s[k].name);
		}
	}
	for (uint32_t i = 0; tf_process(reader, i); i++)
		hash(&print, tf_process(reader, i), sizeof(struct tf_process));
	for (uint32_t i = 0; tf_thread(reader, i); i++)
		hash(&print, tf_thread(reader, i), sizeof(struct tf_thread));
	for (uint32_t i = 0; tf_function(reader, i); i++) {
		hash(&print, &tf_function(reader, i)->n_args, 4);
		hash_text(&print, tf_function(reader, i)->name);
	}
	for (uint32_t i = 0; tf_region(reader, i); i++)
		hash_text(&print, tf_region(reader, i)->name);
	for (uint32_t i = 0; tf_mapping(reader, i); i++) {
		hash(&print, tf_mapping(reader, i), offsetof(struct tf_mapping, protection));
		hash_text(&print, tf_mapping(reader, i)->name);
	}
	for (uint32_t i = 0; tf_block(reader, i); i++) {
		hash(&print, &tf_block(reader, i)->pc, 24);
		hash(&print, tf_block(reader, i)->code, tf_block(reader, i)->code_size);
	}
	return print;
}

uint64_t fingerprint_of(struct tf_reader *reader)
{
	struct tf_info info = { 0 };
	uint64_t print = dictionary_print(reader);

	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	hash(&print, &info.totals, sizeof(info.totals));
	hash_text(&print, info.stop_reason);
	hash(&print, &info.wait_status, sizeof(info.wait_status));
	hash(&print, (bool[]){ info.complete, info.has_addresses, info.order_exact }, 3);
	return print;
}

void original_without_copies(struct original *o)
{
	struct loose_trace t = { 0 };
	struct buffer out = { 0 };

	ck_assert(loose_trace_take(&t, o->bytes, o->size, MAX_RAW_SIZE));
	loose_trace_put(&t, &out);
	loose_trace_free(&t);
	free(o->bytes);
	o->bytes = out.data;
	o->size = out.size;
}

struct original original_new(uint64_t seed)
{
	struct random_options options = {
		.seed = seed,
		.n_processes = 1,
		.n_threads = 2,
		.n_modules = 1,
		.n_symbols = 3,
		.n_blocks = 6,
		.n_paths = 5,
		.n_execs = 24,
		.max_insns = 3,
		.events = 20,
		.chunk_instructions = 80,
	};
	struct original o = { .trace = random_trace_new(&options) };
	int fd = file_of_trace(o.trace, true);
	struct tf_reader *reader = open_file(fd);

	o.size = file_size(fd);
	o.bytes = malloc(o.size);
	read_at(fd, o.bytes, o.size, 0);
	o.insns = calloc(2, sizeof(*o.insns));
	for (uint32_t i = 0; i < 2; i++)
		o.insns[i] = truth_thread(o.trace, i, TF_VIEW_INSNS, 0);
	o.print = fingerprint_of(reader);
	tf_close(reader);
	close(fd);
	return o;
}

void original_free(struct original *o)
{
	free(o->insns[0].items.at);
	free(o->insns[1].items.at);
	free(o->insns);
	free(o->bytes);
	random_trace_free(o->trace);
}
