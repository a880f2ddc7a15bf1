/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/events.h"

#include <stdio.h>
#include <string.h>

#include "cli/anonymise/page_set.h"
#include "cli/anonymise/syscalls.h"
#include "cli/common/checked.h"

enum { MICROSECOND = 1000, EXIT_STATUS_1 = 0x100 };

/*
 * Returns whether a block ends with int 0x80, whose numbers are those of another table. It may if
 * the instruction is not known.
 */
static bool calls_by_other_table(const struct tf_block *block)
{
	const uint8_t *end = block->code + block->code_size;

	if (block->kinds && block->end == TF_END_SYSCALL) {
		const char *iclass = block->kinds[block->n_insns - 1]->iclass;

		return !*iclass || !strcmp(iclass, "INT");
	}
	return block->end == TF_END_SYSCALL && block->code_size >= 2 && end[-2] == 0xcd;
}

void event_rules_begin(struct event_rules *r, const struct dictionary *d, bool keeps_arguments)
{
	*r = (struct event_rules){
		.dictionary = d,
		.levels = d->levels,
		.first_time = d->use->first_time,
		.keeps_arguments = keeps_arguments,
	};
	map_lookup_begin(&r->lookup, d->map);
	for (uint32_t i = 0; i < tf_n_blocks(d->reader); i++)
		r->has_other_table |= d->layouts[i].block &&
				      calls_by_other_table(d->layouts[i].block);
	for (uint32_t i = 0; i < tf_n_processes(d->reader); i++) {
		uint64_t pid = tf_process(d->reader, i)->pid;

		((struct number_map_entry *)checked(TABLE_PUT(r->pids, pid)))->number = i + 1;
	}
	for (uint32_t i = 0; i < tf_n_threads(d->reader); i++) {
		uint64_t tid = tf_thread(d->reader, i)->tid;

		((struct number_map_entry *)checked(TABLE_PUT(r->tids, tid)))->number = i + 1;
	}
}

void event_rules_free(struct event_rules *r)
{
	TABLE_FREE(r->pids);
	TABLE_FREE(r->tids);
}

int32_t shown_wait_status(const struct levels *levels, int32_t status)
{
	if (levels->at[SWITCH_EVENTS] < EVENTS_KINDS || status == -1)
		return status;
	return status ? EXIT_STATUS_1 : 0;
}

/*
 * The first time becomes 1 us, as 0 stands for a time that is not known. Thus a relative time stays
 * as it is if it is made relative again.
 */
uint64_t shown_time(const struct event_rules *r, uint64_t time)
{
	switch (r->levels->at[SWITCH_TIMES]) {
	case TIMES_KEEP: return time;
	case TIMES_RELATIVE:
		return time < r->first_time
			       ? 0
			       : (time - r->first_time) / MICROSECOND * MICROSECOND + MICROSECOND;
	default: return 0;
	}
}

/* ---- system calls ------------------------------------------------------------------------ */

static bool keeps_all(const struct event_rules *r)
{
	return r->levels->at[SWITCH_EVENTS] == EVENTS_KEEP && r->dictionary->map->identity;
}

static uint64_t new_number(const struct event_rules *r, uint64_t value, bool is_thread)
{
	const struct number_map_entry *entry = is_thread ? TABLE_FIND(r->tids, value)
							 : TABLE_FIND(r->pids, value);

	return entry ? entry->number : 0;
}

/* Returns the number of a process or thread, or the negative number of a group of processes. */
static uint64_t new_process(const struct event_rules *r, uint64_t value, bool is_thread)
{
	int32_t number = (int32_t)value;

	if (number == 0 || number == -1)
		return value;
	return number > 0 ? new_number(r, (uint32_t)number, is_thread)
			  : -new_number(r, -(uint64_t)(int64_t)number, is_thread);
}

/* The mappings also have lengths in whole pages. */
static uint64_t shown_length(const struct event_rules *r, uint64_t length)
{
	return r->levels->at[SWITCH_EVENTS] == EVENTS_KEEP ? length : length + -length % PAGE;
}

static uint64_t new_value(struct event_rules *r, uint8_t kind, uint64_t value)
{
	switch ((enum value_kind)kind) {
	case VALUE_PLAIN: return value;
	case VALUE_LENGTH: return shown_length(r, value);
	case VALUE_POINTER: return map_address(&r->lookup, value);
	case VALUE_PROCESS:
	case VALUE_THREAD:
		if (keeps_all(r))
			return new_process(r, value, kind == VALUE_THREAD);
		break;
	case VALUE_UNKNOWN:
		if (keeps_all(r))
			return value;
		break;
	}
	r->cleared += value != 0;
	return 0;
}

static void rewrite_syscall(struct event_rules *r, struct tf_event *event)
{
	const struct syscall_values *values = syscall_values(event->syscall.number);
	bool cleared = r->levels->at[SWITCH_EVENTS] == EVENTS_KINDS ||
		       (r->has_other_table && !keeps_all(r));

	for (unsigned i = 0; i < 6; i++) {
		uint64_t *arg = &event->syscall.args[i];

		if (!cleared) {
			*arg = new_value(r, values->args[i], *arg);
			continue;
		}
		r->cleared += *arg != 0;
		*arg = 0;
	}
	event->syscall.time_ns = shown_time(r, event->syscall.time_ns);
}

static void rewrite_result(struct event_rules *r, struct tf_event *event)
{
	int64_t *result = &event->syscall_result.result;
	bool is_error = is_error_result(*result);

	if (r->levels->at[SWITCH_EVENTS] == EVENTS_KINDS)
		*result = is_error ? -1 : 0;
	else if (!is_error)
		*result = (int64_t)
			new_value(r,
				  r->has_other_table && !keeps_all(r)
					  ? (uint8_t)VALUE_UNKNOWN
					  : syscall_values(event->syscall_result.number)->result,
				  (uint64_t)*result);
	event->syscall_result.time_ns = shown_time(r, event->syscall_result.time_ns);
}

/* ---- calls ------------------------------------------------------------------------------- */

/* Sets the function's new index. Returns false if the new trace does not have the function. */
static bool rewrite_function(const struct event_rules *r, uint32_t *function)
{
	*function = r->dictionary->new_functions[*function];
	return *function != TF_NONE;
}

static void rewrite_arguments(struct event_rules *r, struct tf_event *event, const char *name)
{
	int pointers = malloc_family_pointers(name);

	if (pointers < 0 && r->levels->at[SWITCH_EVENTS] >= EVENTS_NO_ARGUMENTS) {
		r->cleared += event->call.n_args;
		event->call.n_args = 0;
		return;
	}
	for (unsigned i = 0; i < event->call.n_args; i++) {
		uint64_t *arg = &event->call.args[i];

		if (pointers >= 0 && pointers >> i & 1) {
			*arg = map_address(&r->lookup, *arg);
		} else if (pointers < 0 && !r->keeps_arguments) {
			r->cleared += *arg != 0;
			*arg = 0;
		}
	}
}

static void rewrite_return(struct event_rules *r, struct tf_event *event, const char *name)
{
	uint64_t *result = &event->ret.result;

	if (malloc_family_returns_pointer(name)) {
		*result = map_address(&r->lookup, *result);
	} else if (r->levels->at[SWITCH_EVENTS] != EVENTS_KEEP || !r->keeps_arguments) {
		r->cleared += *result != 0;
		*result = 0;
	}
}

/* ---- other events ------------------------------------------------------------------------ */

/*
 * Keeps what analyzers count by: whether the kernel sent the signal, for a fault, and whether the
 * fault was that of a fetch, at the place of the code.
 */
static void rewrite_signal(struct event_rules *r, struct tf_event *event)
{
	bool fetch = event->signal.address == event->signal.pc;

	if (r->levels->at[SWITCH_EVENTS] == EVENTS_KINDS)
		event->signal.code = event->signal.code > 0;
	event->signal.address = r->levels->at[SWITCH_ADDRESSES] == ADDRESSES_DROP && !fetch
					? 0
					: map_address(&r->lookup, event->signal.address);
	event->signal.pc = map_address(&r->lookup, event->signal.pc);
	event->signal.handler = map_address(&r->lookup, event->signal.handler);
}

static void rewrite_exec(struct event_rules *r, struct tf_event *event)
{
	const struct tf_module module = { .path = event->exec.path };

	event->exec.path = "";
	if (r->levels->at[SWITCH_EVENTS] == EVENTS_KEEP &&
	    r->levels->at[SWITCH_NAMES] != NAMES_DROP)
		event->exec.path = name_module(r->dictionary->names, &module, MODULE_MAIN, 0);
	event->exec.time_ns = shown_time(r, event->exec.time_ns);
}

static int names_nothing(const struct tf_event *event, struct tf_error *error)
{
	snprintf(error->text, sizeof(error->text),
		 "an event of kind %u names a record that does not exist", event->kind);
	return error->status = TF_E_DAMAGED;
}

/* Returns whether the record that an event names exists. */
static bool names_record(const struct event_rules *r, const struct tf_event *event)
{
	const struct tf_reader *reader = r->dictionary->reader;

	switch (event->kind) {
	case TF_EVENT_MAPPING: return tf_mapping(reader, event->mapping.index);
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END: return tf_region(reader, event->region.index);
	case TF_EVENT_CALL: return tf_function(reader, event->call.function);
	case TF_EVENT_RETURN: return tf_function(reader, event->ret.function);
	default: return true;
	}
}

/* Rewrites an event that keeps being one. Returns false if it is dropped. */
static bool rewrite(struct event_rules *r, struct tf_event *event)
{
	const struct tf_reader *reader = r->dictionary->reader;
	const char *name = NULL;

	if (event->kind == TF_EVENT_CALL)
		name = tf_function(reader, event->call.function)->name;
	else if (event->kind == TF_EVENT_RETURN)
		name = tf_function(reader, event->ret.function)->name;
	switch (event->kind) {
	case TF_EVENT_SYSCALL: rewrite_syscall(r, event); return true;
	case TF_EVENT_SYSCALL_RESULT: rewrite_result(r, event); return true;
	case TF_EVENT_SIGNAL: rewrite_signal(r, event); return true;
	case TF_EVENT_SIGRETURN:
		event->sigreturn.pc = map_address(&r->lookup, event->sigreturn.pc);
		return true;
	case TF_EVENT_THREAD_START:
		event->thread_start.time_ns = shown_time(r, event->thread_start.time_ns);
		return true;
	case TF_EVENT_THREAD_EXIT:
		if (r->levels->at[SWITCH_EVENTS] == EVENTS_KINDS)
			event->thread_exit.status = event->thread_exit.status != 0;
		event->thread_exit.time_ns = shown_time(r, event->thread_exit.time_ns);
		return true;
	case TF_EVENT_PROCESS_START:
		event->process_start.time_ns = shown_time(r, event->process_start.time_ns);
		return true;
	case TF_EVENT_PROCESS_EXIT:
		event->process_exit.wait_status =
			shown_wait_status(r->levels, event->process_exit.wait_status);
		event->process_exit.time_ns = shown_time(r, event->process_exit.time_ns);
		return true;
	case TF_EVENT_EXEC: rewrite_exec(r, event); return true;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END:
		event->region.index = r->dictionary->new_regions[event->region.index];
		return true;
	case TF_EVENT_CALL:
		rewrite_arguments(r, event, name);
		return rewrite_function(r, &event->call.function);
	case TF_EVENT_RETURN:
		rewrite_return(r, event, name);
		return rewrite_function(r, &event->ret.function);
	case TF_EVENT_CONTROL_WORD: return event->control_word.which <= TF_MXCSR;
	case TF_EVENT_GAP:
		if (event->gap.reason < TF_GAP_SKIPPED || event->gap.reason > TF_GAP_FAULT)
			event->gap.reason = TF_GAP_FAULT;
		return true;
	case TF_EVENT_TIME:
		event->time.time_ns = shown_time(r, event->time.time_ns);
		return r->levels->at[SWITCH_TIMES] != TIMES_DROP;
	case TF_EVENT_SEGMENT_BASE:
		event->segment_base.base = map_address(&r->lookup, event->segment_base.base);
		return true;
	default: return false; /* of a later version: what it tells is not known */
	}
}

int event_rewrite(struct event_rules *r, const struct tf_event *event,
		  int (*emit)(void *opaque, const struct tf_event *event, struct tf_error *error),
		  void *opaque, struct tf_error *error)
{
	struct tf_event new = *event;
	int status = 0;

	if (!names_record(r, event))
		return names_nothing(event, error);
	if (event->kind == TF_EVENT_MAPPING) {
		struct new_mappings mappings = r->dictionary->new_mappings[event->mapping.index];

		r->dropped += !mappings.count;
		for (uint32_t i = 0; i < mappings.count && status == 0; i++) {
			new.mapping.index = mappings.first + i;
			status = emit(opaque, &new, error);
		}
		return status;
	}
	if (rewrite(r, &new))
		return emit(opaque, &new, error);
	r->dropped++;
	return 0;
}
