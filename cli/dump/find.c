/* SPDX-License-Identifier: MIT */
#include "cli/dump/find.h"

#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

static bool is_named(const struct tf_symbol *symbol, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(symbol->name, name, length) &&
	       (!symbol->name[length] || symbol->name[length] == '@');
}

/* Returns the number of the block's instruction with which such a function begins, + 1, or 0. */
static uint16_t beginning_in(const struct tf_reader *reader, const struct tf_block *block,
			     const char *name)
{
	for (unsigned i = 0; block && i < block->n_insns; i++) {
		uint64_t offset = block->module_offset + block->insns[i].offset;
		const struct tf_symbol *symbol = tf_symbol(reader, block->module, offset);

		if (symbol && symbol->value == offset && is_named(symbol, name))
			return (uint16_t)(i + 1);
	}
	return 0;
}

/*
 * Looks for the function in an item. position: that of the item. Returns true, and its position, if
 * the function begins there.
 */
static bool find_in(const struct tf_item *item, const uint16_t *beginnings, uint64_t *position)
{
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];
		uint16_t beginning = beginnings[exec->block->id];

		if (beginning && beginning <= exec->executed) {
			*position += beginning - 1u;
			return true;
		}
		*position += exec->executed;
	}
	return false;
}

/* Finds the function. Returns 1, 0 if it is not executed, or an error. */
static int find(struct tf_reader *reader, const struct dump_options *options,
		const uint16_t *beginnings, uint64_t *position, struct tf_error *error)
{
	struct tf_cursor_options where = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	bool found = false;
	int got;

	where.view = TF_VIEW_BLOCKS;
	where.thread = options->thread;
	got = tf_cursor_open(reader, &where, &cursor, error);
	if (got < 0)
		return got;
	*position = 0;
	while (!found && (got = tf_next(cursor, &item, error)) != 0) {
		if (got < 0 && error->status != TF_E_DAMAGED)
			break;
		if (got > 0 && item.kind == TF_ITEM_BLOCKS)
			found = find_in(&item, beginnings, position);
	}
	tf_cursor_close(cursor);
	return found ? 1 : got < 0 ? got : 0;
}

int dump_find_function(struct tf_reader *reader, const char *path, struct dump_options *options,
		       struct tf_error *error)
{
	uint32_t n_blocks = tf_n_blocks(reader);
	uint16_t *beginnings = checked_array(n_blocks, sizeof(*beginnings));
	bool known = false;
	int got = 0;

	for (uint32_t i = 0; i < n_blocks; i++) {
		beginnings[i] = beginning_in(reader, tf_block(reader, i), options->from_function);
		known |= beginnings[i] != 0;
	}
	if (known)
		got = find(reader, options, beginnings, &options->from, error);
	free(beginnings);
	if (got)
		return got < 0 ? -1 : EXIT_DONE;
	command_error(
		"%s: '%s' is not a number, and no function of this name is entered in the trace; "
		"trace-mix --by=symbol lists the functions",
		path, options->from_function);
	return EXIT_UNSUITABLE;
}
