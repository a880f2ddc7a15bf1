/* SPDX-License-Identifier: MIT */
#include "cli/dump/dump.h"

#include <stdlib.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/samples.h"
#include "cli/common/trace_meta.h"
#include "cli/dump/find.h"
#include "cli/dump/line.h"

static void put_item(struct dump *dump, const struct tf_item *item)
{
	uint64_t ordinal = item->ordinal;

	switch (item->kind) {
	case TF_ITEM_EVENT: dump_event(dump, item->event); break;
	case TF_ITEM_INSNS:
		for (size_t i = 0; i < item->count; i++)
			dump_insn(dump, item->thread, ordinal++, &item->insns[i]);
		break;
	case TF_ITEM_BLOCKS:
		for (size_t i = 0; i < item->count; i++) {
			dump_block(dump, item->thread, ordinal, &item->blocks[i]);
			ordinal += item->blocks[i].executed;
		}
		break;
	case TF_ITEM_PATHS: break;
	}
}

/* Prints all; a damaged chunk is reported and skipped. */
static int put_items(struct dump *dump, struct tf_cursor *cursor)
{
	struct tf_error error;
	struct tf_item item;
	bool any = false;
	int status, result = EXIT_DONE;

	while (!ferror(dump->out) && (status = tf_next(cursor, &item, &error)) != 0) {
		any = true;
		if (status > 0) {
			put_item(dump, &item);
			continue;
		}
		result = EXIT_FAILED;
		command_error("%s", error.text);
		if (status != TF_E_DAMAGED)
			break;
	}
	if (!any && dump->options->from && dump->options->count)
		note_beyond(dump->reader, dump->options->thread, dump->options->from);
	return result;
}

static struct tf_cursor_options selection(const struct dump_options *options)
{
	struct tf_cursor_options where = TF_CURSOR_OPTIONS;

	where.view = options->blocks ? TF_VIEW_BLOCKS : TF_VIEW_INSNS;
	if (options->only_events)
		where.view = TF_VIEW_PATHS;
	else if (!options->blocks)
		where.columns |= TF_ADDRESSES;
	if (options->events)
		where.columns |= TF_EVENTS;
	where.thread = options->thread;
	where.first = options->from;
	where.count = options->count;
	return where;
}

static void put_heads(struct dump *dump)
{
	const struct dump_options *options = dump->options;

	if (options->format == DUMP_CSV)
		puts(options->blocks ? "type,ordinal,thread,pc,block,instructions,outcome,text"
				     : "type,ordinal,thread,pc,bytes,text,mem");
	if (options->format == DUMP_TEXT && options->blocks && !options->only_events)
		dump_block_heads(dump);
}

/* Prints the selected executions and events. Returns an exit code, or -1 with *error. */
static int dump_executions(struct tf_reader *reader, const struct tf_info *info,
			   const struct dump_options *options, struct tf_error *error)
{
	struct tf_cursor_options where = selection(options);
	struct tf_cursor *cursor;
	int result;

	if (tf_cursor_open(reader, &where, &cursor, error) < 0)
		return -1;

	struct dump dump = {
		.options = options,
		.reader = reader,
		.vendor = recorded_vendor(reader),
		.out = stdout,
		.addresses = info->has_addresses,
		.show_thread = info->n_threads > 1 && options->thread == TF_MERGED,
		.lines = checked_array(tf_n_blocks(reader) + (size_t)1, sizeof(*dump.lines)),
		.n_blocks = tf_n_blocks(reader),
	};

	put_heads(&dump);
	result = put_items(&dump, cursor);
	dump_free_lines(&dump);
	free(dump.lines);
	tf_cursor_close(cursor);
	return result;
}

int dump_trace(struct tf_reader *reader, const char *path, struct dump_options *options,
	       struct tf_error *error)
{
	struct tf_info info;
	int result;

	/* Loading may find more damage than opening, so report losses afterwards. */
	if (tf_load(reader, error) < 0 || tf_name_called(reader, error) < 0 ||
	    tf_get_info(reader, &info, error) < 0)
		return -1;
	note_loss(path, &info);
	if (options->thread != TF_MERGED && !check_thread(path, options->thread, info.n_threads))
		return EXIT_UNSUITABLE;
	if (options->samples && !info.n_samples) {
		command_error("%s has no samples", path);
		return info.bytes_lost ? EXIT_FAILED : EXIT_UNSUITABLE;
	}
	if (options->samples)
		return samples_put(stdout, reader, (enum samples_format)options->format,
				   options->thread, error);
	if (has_only_vectors(&info))
		command_warning("%s has only basic block vectors, so there are no instructions to "
				"print; trace-bbv prints vectors",
				path);
	if (options->from_function) {
		result = dump_find_function(reader, path, options, error);
		if (result != EXIT_DONE)
			return result;
	}
	result = dump_executions(reader, &info, options, error);
	return result < 0 || check_readable(path, &info) ? result : EXIT_FAILED;
}
