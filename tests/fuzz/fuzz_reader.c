/* SPDX-License-Identifier: MIT */
/*
 * Opens the input as a trace and uses every function of a reader. Besides crashes, hangs and
 * sanitizer reports, these are faults: views that disagree, batches that contradict themselves, and
 * a repaired trace that does not verify.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/require.h"
#include "traceformat/tracewriter.h"

enum {
	MAX_CALLS = 2000,         /* of tf_next, for one cursor */
	MAX_INSTRUCTIONS = 30000, /* of a trace that is decoded as a whole */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* makes sure that values are read */

static void use_text(const char *text)
{
	sink += text ? strlen(text) : 0;
}

static void use_block(const struct tf_block *b)
{
	for (unsigned i = 0; i < b->code_size; i++)
		sink += b->code[i];
	for (unsigned i = 0; i < b->n_insns; i++)
		REQUIRE(b->insns[i].offset + b->insns[i].length <= b->code_size);
	for (unsigned i = 0; i < b->n_operands; i++)
		REQUIRE(b->operands[i].insn < b->n_insns && b->operands[i].extra <= b->n_values);
}

static void use_path(const struct tf_reader *r, const struct tf_path *p)
{
	struct tf_exit_info info;

	for (unsigned i = 0; i < p->n_blocks; i++)
		REQUIRE(tf_block(r, p->blocks[i]));
	for (unsigned i = 0; p->recipes && i < p->n_values; i++)
		sink += p->recipes[i].slot;
	for (unsigned i = 0; i <= p->n_exits; i++)
		REQUIRE(tf_exit(r, p->first_exit + i, &info) && info.path == p);
}

static void use_dictionary(struct tf_reader *r)
{
	size_t count;

	for (uint32_t i = 0; i < tf_n_blocks(r); i++)
		if (tf_block(r, i))
			use_block(tf_block(r, i));
	for (uint32_t i = 0; i < tf_n_paths(r); i++)
		if (tf_path(r, i))
			use_path(r, tf_path(r, i));
	for (uint32_t i = 0; i < 100; i++) {
		const struct tf_symbol *s = tf_symbols(r, i, &count);

		for (size_t k = 0; k < count; k++) {
			use_text(s[k].name);
			sink += (uintptr_t)tf_symbol(r, i, s[k].value + 1);
		}
		use_text(tf_module(r, i) ? tf_module(r, i)->path : NULL);
		use_text(tf_mapping(r, i) ? tf_mapping(r, i)->name : NULL);
		use_text(tf_function(r, i) ? tf_function(r, i)->name : NULL);
		use_text(tf_region(r, i) ? tf_region(r, i)->name : NULL);
		sink += tf_process(r, i) ? tf_process(r, i)->pid : 0;
		sink += tf_thread(r, i) ? tf_thread(r, i)->tid : 0;
	}
}

static void use_column(void *opaque, unsigned id, unsigned coding, uint64_t stored, uint64_t raw)
{
	(void)opaque;
	use_text(tf_column_name(id));
	sink += coding + stored + raw;
}

/* Returns the number of instructions that the chunks claim. */
static uint64_t use_sections(struct tf_reader *r)
{
	struct tf_section_info info;
	uint64_t sum = 0;

	for (uint32_t i = 0; tf_section(r, i, &info); i++) {
		use_text(tf_section_kind_name(info.kind));
		tf_section_columns(r, i, use_column, NULL, NULL);
		sum = info.instructions > UINT64_MAX - sum ? UINT64_MAX : sum + info.instructions;
	}
	return sum;
}

static void use_values(const struct tf_block *b, const uint64_t *values, unsigned executed)
{
	struct tf_accesses it;

	for (unsigned i = 0; i < b->n_operands && b->operands[i].insn < executed; i++) {
		sink += tf_access_count(&b->operands[i], values);
		tf_accesses_begin(&it, &b->operands[i], b, values);
		for (unsigned k = 0; k < 70 && tf_accesses_next(&it); k++)
			sink += it.address;
	}
}

static void use_event(const struct tf_event *e)
{
	for (size_t i = 0; i < e->payload_size; i++)
		sink += e->payload[i];
	if (e->kind == TF_EVENT_EXEC)
		use_text(e->exec.path);
	REQUIRE(e->kind != TF_EVENT_CALL || e->call.n_args <= TF_MAX_CALL_ARGS);
}

static void use_item(const struct tf_item *item)
{
	uint64_t sum = 0;

	if (item->kind == TF_ITEM_EVENT) {
		use_event(item->event);
		return;
	}
	REQUIRE(item->count);
	for (size_t i = 0; i < item->count; i++) {
		if (item->kind == TF_ITEM_PATHS) {
			sum += item->paths[i].executed;
		} else if (item->kind == TF_ITEM_BLOCKS) {
			const struct tf_block_exec *e = &item->blocks[i];

			REQUIRE(e->executed >= 1 && e->executed <= e->block->n_insns);
			sum += e->executed;
			if (e->values)
				use_values(e->block, e->values, e->executed);
		} else {
			const struct tf_insn_exec *e = &item->insns[i];

			REQUIRE(e->pc == e->block->pc + e->block->insns[e->index].offset);
			sum++;
			if (e->values)
				use_values(e->block, e->values, e->index + 1u);
		}
	}
	REQUIRE(sum == item->instructions);
}

/* Reads the values of a batch of TF_VIEW_PATHS. */
static void use_path_values(struct tf_reader *r, const struct tf_item *item)
{
	size_t n_values = 0;
	struct tf_exit_info exit;

	for (size_t i = 0; i < item->count; i++) {
		REQUIRE(tf_exit(r, item->paths[i].exit, &exit));
		n_values += exit.n_values;
	}
	REQUIRE(n_values <= item->n_values);
	for (size_t i = 0; i < n_values; i++)
		sink += item->values[i];
}

struct walk {
	uint64_t instructions, events, calls, errors;
};

static struct walk walk(struct tf_reader *r, const struct tf_cursor_options *options)
{
	struct tf_cursor *cursor;
	struct walk walk = { 0 };
	struct tf_error error;
	struct tf_item item;
	int status;

	if (tf_cursor_open(r, options, &cursor, &error) < 0)
		return walk;
	for (; walk.calls < MAX_CALLS && (status = tf_next(cursor, &item, &error)) != 0;
	     walk.calls++) {
		if (status < 0) {
			REQUIRE(memchr(error.text, 0, sizeof(error.text)));
			walk.errors++;
			continue;
		}
		use_item(&item);
		if (item.kind == TF_ITEM_PATHS && options->columns & TF_ADDRESSES)
			use_path_values(r, &item);
		walk.instructions += item.instructions;
		walk.events += item.kind == TF_ITEM_EVENT;
	}
	tf_cursor_close(cursor);
	return walk;
}

static void walk_views(struct tf_reader *r, uint32_t thread)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct walk blocks, insns;

	options.thread = thread;
	options.columns = TF_ADDRESSES | TF_EVENTS;
	blocks = walk(r, &options);
	options.view = TF_VIEW_INSNS;
	insns = walk(r, &options);
	if (blocks.calls < MAX_CALLS && insns.calls < MAX_CALLS && !blocks.errors)
		REQUIRE(!insns.errors && blocks.events == insns.events &&
			blocks.instructions == insns.instructions);
	options.view = TF_VIEW_PATHS;
	walk(r, &options);
	options.columns = 0;
	walk(r, &options);
	options.first = insns.instructions / 2;
	options.count = 10;
	options.view = TF_VIEW_INSNS;
	options.columns = TF_ADDRESSES | TF_EVENTS;
	walk(r, &options);
}

static void walk_vectors(struct tf_reader *r)
{
	struct tf_vectors *vectors;
	struct tf_vector vector;
	struct tf_error error;
	int status;

	if (tf_vectors_open(r, &vectors, &error) < 0)
		return;
	while ((status = tf_vectors_next(vectors, &vector, &error)) != 0)
		for (size_t i = 0; status > 0 && i < vector.n_counts; i++)
			REQUIRE(tf_exit(r, vector.counts[i].exit, &(struct tf_exit_info){ 0 }));
	tf_vectors_close(vectors);
}

static void walk_intervals(struct tf_reader *r, bool counted)
{
	struct tf_intervals *intervals;
	struct tf_interval v;
	struct tf_error error;
	int status;

	if (tf_intervals_open(r, counted, &intervals, &error) < 0)
		return;
	while ((status = tf_intervals_next(intervals, &v, &error)) != 0) {
		if (status < 0 && counted)
			break;
		if (status < 0)
			continue;
		REQUIRE(v.filtered <= v.instructions);
		REQUIRE(v.marker.block == TF_NONE ||
			v.marker.insn < tf_block(r, v.marker.block)->n_insns);
		REQUIRE(v.marker.block == TF_NONE || !counted || v.marker.count);
		REQUIRE(!counted || v.marker.count <= v.instructions + 1);
		for (size_t i = 0; i < v.n_excluded; i++)
			REQUIRE(tf_block(r, v.excluded[i].block));
	}
	tf_intervals_close(intervals);
}

static void walk_samples(struct tf_reader *r)
{
	struct tf_samples *samples;
	struct tf_sample sample;
	struct tf_error error;
	int status;

	if (tf_samples_open(r, &samples, &error) < 0)
		return;
	while ((status = tf_samples_next(samples, &sample, &error)) != 0)
		for (uint64_t i = 0; status > 0 && i < sample.raw_size; i++)
			sink += sample.raw[i];
	tf_samples_close(samples);
}

static void ignore(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	REQUIRE(error->text[0] && error->status < 0);
}

static void show(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	fprintf(stderr, "%s\n", error->text);
}

enum rewriting { REPAIR, REPACK, CUT };

static int rewrite(struct tf_reader *r, enum rewriting how, const char *path,
		   struct tf_error *error)
{
	struct tf_slice slice = {
		.size = sizeof(slice), .thread = TF_MERGED, .first = 3, .count = 50, .warmup = 7
	};

	return how == REPAIR   ? tf_repair(r, path, error)
	       : how == REPACK ? tf_repack(r, path, error)
			       : tf_cut(r, &slice, path, error);
}

/* Rewrites the trace, and verifies the new one. */
static void check_rewritten(struct tf_reader *r, enum rewriting how)
{
	int fd = memfd_create("rewritten", MFD_CLOEXEC);
	struct tf_reader *made;
	struct tf_error error;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && rewrite(r, how, path, &error) >= 0) {
		REQUIRE(tf_open(path, &made, &error) == 0);
		REQUIRE(tf_verify(made, show, NULL, &error) == 0);
		tf_close(made);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tf_reader *r;
	struct tf_error error;
	struct tf_info info;
	const char *key, *value;
	uint64_t instructions;
	int fd = memfd_create("input", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (tf_open_fd(fd, "input", &r, &error) == 0) {
		tf_get_info(r, &info, &error);
		for (size_t i = 0; (key = tf_meta_at(r, i, &value)); i++)
			use_text(value);
		sink += (uintptr_t)tf_meta(r, "command.argv");
		instructions = use_sections(r);
		if (tf_load(r, &error) == 0)
			use_dictionary(r);
		walk_views(r, TF_MERGED);
		walk_views(r, 0);
		REQUIRE(tf_refresh(r, &error) <= 0);
		if (instructions <= MAX_INSTRUCTIONS) {
			walk_samples(r);
			walk_vectors(r);
			walk_intervals(r, false);
			walk_intervals(r, true);
			tf_verify(r, ignore, NULL, &error);
			check_rewritten(r, REPAIR);
			check_rewritten(r, REPACK);
			check_rewritten(r, CUT);
		}
		tf_close(r);
	}
	close(fd);
	return 0;
}
