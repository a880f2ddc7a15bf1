/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/syscalls.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/names.h"

enum { MOST_ERROR = 4095 }; /* results from -MOST_ERROR to -1 are errors */

void call_syscalls_init(struct call_syscalls *s, uint32_t n_threads)
{
	*s = (struct call_syscalls){ .n_threads = n_threads };
	s->entries = checked_array(n_threads, sizeof(*s->entries));
	s->firsts = checked_array(n_threads, sizeof(*s->firsts));
	for (uint32_t i = 0; i < n_threads; i++)
		s->entries[i].call = CALL_NONE;
}

void call_syscalls_free(struct call_syscalls *s)
{
	free(s->entries);
	free(s->firsts);
	TABLE_FREE(s->calls);
}

/* ---- counting ---------------------------------------------------------------------------- */

static void begin(struct call_syscalls *s, uint32_t node, const struct tf_event *event)
{
	struct call_syscall *call = checked(TABLE_PUT(s->calls, { event->syscall.number, node }));

	call->calls++;
	s->firsts[event->thread].seen = true;
	s->entries[event->thread] = (struct call_syscall_entry){
		.call = (uint32_t)(call - s->calls.at),
		.number = event->syscall.number,
		.time_ns = event->syscall.time_ns,
	};
}

static void end(struct call_syscalls *s, uint32_t thread, uint64_t number, int64_t result,
		uint64_t now)
{
	struct call_syscall_entry *entry = &s->entries[thread];
	struct call_syscall_first *first = &s->firsts[thread];

	if (!first->seen)
		*first = (struct call_syscall_first){ true, true, number, now, result };
	if (entry->call != CALL_NONE && entry->number == number) {
		struct call_syscall *call = &s->calls.at[entry->call];

		call->errors += result < 0 && result >= -MOST_ERROR;
		if (entry->time_ns && now > entry->time_ns)
			call->elapsed_ns += now - entry->time_ns;
	}
	entry->call = CALL_NONE;
}

void call_syscalls_event(struct call_syscalls *s, uint32_t node, const struct tf_event *event)
{
	if (event->kind == TF_EVENT_SYSCALL)
		begin(s, node, event);
	else if (event->kind == TF_EVENT_SYSCALL_RESULT)
		end(s, event->thread, event->syscall_result.number, event->syscall_result.result,
		    event->syscall_result.time_ns);
}

/* ---- merging ----------------------------------------------------------------------------- */

static void add(struct call_syscall *sum, const struct call_syscall *call)
{
	sum->calls += call->calls;
	sum->errors += call->errors;
	sum->elapsed_ns += call->elapsed_ns;
}

/* Goes on to the end of a later part of a thread. numbers: of its calls, here. */
static void follow(struct call_syscalls *s, uint32_t thread, const struct call_syscalls *later,
		   const uint32_t *numbers)
{
	const struct call_syscall_first *first = &later->firsts[thread];
	struct call_syscall_entry *entry = &s->entries[thread];

	if (!first->seen)
		return;
	if (first->has_result)
		end(s, thread, first->number, first->result, first->time_ns);
	s->firsts[thread].seen = true;
	*entry = later->entries[thread];
	if (entry->call != CALL_NONE)
		entry->call = numbers[entry->call];
}

void call_syscalls_merge(struct call_syscalls *s, const struct call_syscalls *later,
			 const uint32_t *nodes)
{
	uint32_t *numbers = checked_array(later->calls.count, sizeof(*numbers));

	for (size_t i = 0; i < later->calls.count; i++) {
		const struct call_syscall_key *key = &later->calls.at[i].key;
		struct call_syscall *call = checked(
			TABLE_PUT(s->calls, { key->number, nodes[key->node] }));

		numbers[i] = (uint32_t)(call - s->calls.at);
		add(call, &later->calls.at[i]);
	}
	for (uint32_t i = 0; i < s->n_threads; i++)
		follow(s, i, later, numbers);
	free(numbers);
}

/* ---- reports ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct call_syscall *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	if (x->key.number != y->key.number)
		return x->key.number < y->key.number ? -1 : 1;
	return x->key.node < y->key.node ? -1 : x->key.node > y->key.node;
}

struct name {
	char text[32];
};

/* Returns the name of a system call, or its number as text. */
static struct name name_of(uint64_t number)
{
	const char *known = syscall_name(number);
	struct name name;

	if (known)
		snprintf(name.text, sizeof(name.text), "%s", known);
	else
		snprintf(name.text, sizeof(name.text), "%llu", (unsigned long long)number);
	return name;
}

static void report_calls(const struct call_syscalls *s, struct report *report)
{
	static const struct report_column columns[] = {
		{ "calls", REPORT_U64, "" },
		{ "errors", REPORT_U64, "" },
		{ "elapsed", REPORT_U64, "ns" },
		{ "system_call", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	HASH_TABLE(struct call_syscall) sums = { 0 };

	for (size_t i = 0; i < s->calls.count; i++)
		add(checked(TABLE_PUT(sums, { s->calls.at[i].key.number, 0 })), &s->calls.at[i]);
	if (sums.count)
		qsort(sums.at, sums.count, sizeof(*sums.at), compare);
	report_table(report, "system_calls", columns);
	for (size_t i = 0; i < sums.count; i++)
		report_row(report, sums.at[i].calls, sums.at[i].errors, sums.at[i].elapsed_ns,
			   (const char *)name_of(sums.at[i].key.number).text);
	TABLE_FREE(sums);
}

static void report_paths(const struct call_syscalls *s, const struct call_paths *paths,
			 uint64_t top, struct report *report)
{
	static const struct report_column columns[] = {
		{ "calls", REPORT_U64, "" },        { "errors", REPORT_U64, "" },
		{ "elapsed", REPORT_U64, "ns" },    { "system_call", REPORT_STRING, "" },
		{ "call_path", REPORT_STRING, "" }, { NULL, 0, NULL },
	};
	HASH_TABLE(struct call_syscall) sums = { 0 };

	for (size_t i = 0; i < s->calls.count; i++)
		add(checked(TABLE_PUT(sums, { s->calls.at[i].key.number,
					      paths->path_of_node[s->calls.at[i].key.node] })),
		    &s->calls.at[i]);
	if (sums.count)
		qsort(sums.at, sums.count, sizeof(*sums.at), compare);
	report_table(report, "system_call_paths", columns);
	for (size_t i = 0; i < sums.count && i < top; i++) {
		char *text = call_path_text(paths, (uint32_t)sums.at[i].key.node);

		report_row(report, sums.at[i].calls, sums.at[i].errors, sums.at[i].elapsed_ns,
			   (const char *)name_of(sums.at[i].key.number).text, text);
		free(text);
	}
	TABLE_FREE(sums);
}

void call_syscalls_report(const struct call_syscalls *s, const struct call_paths *paths,
			  uint64_t top, struct report *report)
{
	report_calls(s, report);
	report_paths(s, paths, top, report);
}
