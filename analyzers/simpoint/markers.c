/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/markers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/simpoint/intervals.h"
#include "analyzers/simpoint/module_addresses.h"
#include "analyzers/simpoint/watched_insns.h"
#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/quantity.h"
#include "traceformat/common/sorted.h"

/* The executions of an address, and its markers: marked[next] is the one that comes next. */
struct watch {
	uint64_t count;
	size_t next, end;
};

struct search {
	struct marker **marked; /* ascending by pc, then by count */
	struct watched_insns insns;
	struct watch *watches; /* by address of insns */
	bool merged;
	uint64_t step; /* of the next instruction of the merged order */
};

static int compare_markers(const void *a, const void *b)
{
	const struct marker *x = *(struct marker *const *)a, *y = *(struct marker *const *)b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

static void count_execution(struct search *s, struct watch *watch, uint64_t ordinal)
{
	watch->count++;
	for (; watch->next < watch->end && s->marked[watch->next]->count == watch->count;
	     watch->next++) {
		s->marked[watch->next]->ordinal = ordinal;
		s->marked[watch->next]->found = true;
	}
}

static void feed(void *opaque, const struct tf_item *item)
{
	struct search *s = opaque;
	uint64_t ordinal = s->merged ? s->step : item->ordinal;

	if (item->kind != TF_ITEM_BLOCKS)
		return;
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];
		const struct watched_block *block = watched_insns_of(&s->insns, exec->block);

		for (size_t k = 0; k < block->insns.count; k++) {
			const struct watched_insn *insn = &block->insns.at[k];

			if (insn->index >= exec->executed)
				break;
			count_execution(s, &s->watches[insn->address], ordinal + insn->index);
		}
		ordinal += exec->executed;
	}
	s->step = ordinal;
}

/* ---- modules ------------------------------------------------------------------------------ */

static bool is_module(const struct marker *marker, const struct tf_module *module)
{
	const uint8_t *id = module->build_id;
	char text[2 * sizeof(module->build_id) + 1] = "";

	for (unsigned i = 0; i < module->build_id_size && i < sizeof(module->build_id); i++)
		sprintf(text + 2 * i, "%02x", id[i]);
	if (*text && marker->build_id && *marker->build_id)
		return !strcmp(text, marker->build_id);
	return !strcmp(base_name(module->path), marker->module);
}

static void resolve(struct tf_reader *reader, const struct module_addresses *addresses,
		    struct marker *marker)
{
	for (uint32_t i = 0; marker->module && i < tf_n_modules(reader); i++) {
		const struct tf_module *module = tf_module(reader, i);
		uint64_t low = module_low_address(addresses, i, UINT64_MAX - 1);

		if (module && low < UINT64_MAX && is_module(marker, module)) {
			marker->pc = low + marker->offset;
			return;
		}
	}
}

void markers_resolve(struct tf_reader *reader, struct marker **markers, size_t n)
{
	struct module_addresses *addresses = module_addresses_of(reader);

	for (size_t i = 0; i < n; i++)
		resolve(reader, addresses, markers[i]);
	module_addresses_free(addresses);
}

/* ---- executions --------------------------------------------------------------------------- */

bool markers_find(struct tf_reader *reader, uint32_t thread, struct marker **markers, size_t n)
{
	struct search s = {
		.marked = checked_array(n, sizeof(*s.marked)),
		.watches = checked_array(n, sizeof(*s.watches)),
		.merged = thread == TF_MERGED,
	};
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	uint64_t *addresses = checked_array(n, sizeof(*addresses));
	size_t n_marked = 0, n_watches = 0;
	bool done;

	for (size_t i = 0; i < n; i++) {
		markers[i]->found = false;
		if (markers[i]->count)
			s.marked[n_marked++] = markers[i];
	}
	qsort(s.marked, n_marked, sizeof(*s.marked), compare_markers);
	for (size_t i = 0; i < n_marked; i++) {
		addresses[i] = s.marked[i]->pc;
		if (!i || addresses[i] != addresses[i - 1])
			s.watches[n_watches++].next = i;
		s.watches[n_watches - 1].end = i + 1;
	}
	watched_insns_init(&s.insns, reader, addresses, n_marked);
	options.thread = thread;
	done = replay_items(reader, &options, feed, &s);
	watched_insns_free(&s.insns);
	free(addresses);
	free(s.marked);
	free(s.watches);
	return done;
}

enum { NOWHERE = UINT16_MAX };

/* Returns true if a symbol of that name begins at a place of a module. */
static bool begins_there(struct tf_reader *reader, uint32_t module, uint64_t offset,
			 const char *name)
{
	size_t count;
	const struct tf_symbol *symbols = tf_symbols(reader, module, &count);
	size_t i = PARTITION_POINT(symbols, symbols ? count : 0, symbol, symbol->value < offset);

	for (; symbols && i < count && symbols[i].value == offset; i++)
		if (!strcmp(symbols[i].name, name))
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

/*
 * Looks through a batch, whose first instruction has *step. Returns true if the call is in it, and
 * sets *step to that of the call, else to the step after the batch.
 */
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
		command_error("no function '%s' is executed in the trace; trace-mix --by=symbol "
			      "lists the functions",
			      name);
	else if (!found)
		command_error("function '%s' is executed only %s %s, not %s", name,
			      format_count(nth - left, times), noun(nth - left, "time", "times"),
			      format_count(nth, wanted));
	*ordinal = step;
	return found;
}
