/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/symbol_place.h"

#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/quantity.h"

enum { NOWHERE = UINT16_MAX };

/* Whether a symbol of that name begins at a place of a module. */
static bool begins_there(struct tf_reader *reader, uint32_t module, uint64_t offset,
			 const char *name)
{
	size_t count;
	const struct tf_symbol *symbols = tf_symbols(reader, module, &count);
	size_t low = 0, high = symbols ? count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].value < offset)
			low = middle + 1;
		else
			high = middle;
	}
	for (; symbols && low < count && symbols[low].value == offset; low++)
		if (!strcmp(symbols[low].name, name))
			return true;
	return false;
}

/*
 * Returns, by block, which of its instructions begins the function; UINT16_MAX if none does. *any:
 * whether any block has such an instruction.
 */
static uint16_t *find_entries(struct tf_reader *reader, const char *name, bool *any)
{
	uint32_t n = tf_n_blocks(reader);
	uint16_t *entries = checked_array(n, sizeof(*entries));

	*any = false;
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = tf_block(reader, id);

		entries[id] = NOWHERE;
		for (uint16_t i = 0; block && i < block->n_insns; i++)
			if (begins_there(reader, block->module,
					 block->module_offset + block->insns[i].offset, name)) {
				entries[id] = i;
				*any = true;
			}
	}
	return entries;
}

/* Looks through a batch; true where the nth is. *step: of its first instruction, then behind it. */
static bool look_through(const struct tf_item *item, const uint16_t *entries, uint64_t *left,
			 uint64_t *step)
{
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];
		uint16_t entry = entries[exec->block->id];

		if (entry < exec->executed && --*left == 0) {
			*step += entry;
			return true;
		}
		*step += exec->executed;
	}
	return false;
}

bool symbol_find(struct tf_reader *reader, uint32_t thread, const char *name, uint64_t nth,
		 uint64_t *ordinal)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	uint64_t step = 0, left = nth;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;
	bool any, found = false;
	uint16_t *entries = find_entries(reader, name, &any);
	char times[COUNT_SIZE], wanted[COUNT_SIZE];
	int status;

	options.thread = thread;
	status = any ? tf_cursor_open(reader, &options, &cursor, &error) : 0;
	if (any && status == 0) {
		while (!found && (status = tf_next(cursor, &item, &error)) > 0)
			found = item.kind == TF_ITEM_BLOCKS &&
				look_through(&item, entries, &left, &step);
		tf_cursor_close(cursor);
	}
	free(entries);
	if (status < 0)
		command_error("%s", error.text);
	else if (!any)
		command_error("no function '%s' is executed", name);
	else if (!found)
		command_error("'%s' is executed %s %s, not %s", name,
			      format_count(nth - left, times), noun(nth - left, "time", "times"),
			      format_count(nth, wanted));
	*ordinal = step;
	return found;
}
