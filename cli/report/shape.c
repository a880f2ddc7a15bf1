/* SPDX-License-Identifier: MIT */
#include "cli/report/shape.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/common/json_values.h"
#include "cli/common/checked.h"

enum { MOST_THREADS = 50 };

static void rename_member(json_t *object, const char *from, const char *to)
{
	json_t *value = json_object_get(object, from);

	if (!value)
		return;
	json_member(object, to, json_incref(value));
	json_object_del(object, from);
}

/* Returns a new thread, for the first function of a path; NULL if this is [other paths]. */
static json_t *thread_of(const json_t *row)
{
	const char *label = json_read_text(row, "function");
	uint64_t number;
	json_t *thread;

	if (!label || sscanf(label, "[thread %" SCNu64 "]", &number) != 1)
		return NULL;
	thread = checked(json_object());
	json_member(thread, "thread", json_number(number));
	json_member(thread, "call_paths", checked(json_array()));
	return thread;
}

/*
 * Adds a row of a tree of all threads, in which a thread stands for the first function. Returns the
 * thread, or NULL. thread: of the row before.
 */
static json_t *add_row(json_t *threads, json_t *thread, json_t *row)
{
	uint64_t depth = 0;

	json_read_number(row, "depth", &depth);
	if (depth == 1) {
		thread = thread_of(row);
		if (thread)
			json_element(threads, thread);
		return thread;
	}
	if (!thread || !depth)
		return thread;
	json_member(row, "depth", json_number(depth - 1));
	if (depth == 2)
		json_member(row, "caller", json_number(0));
	json_element(json_object_get(thread, "call_paths"), json_incref(row));
	return thread;
}

static json_t *paths_of_threads(const json_t *rows)
{
	json_t *threads = checked(json_array()), *thread = NULL, *row;
	size_t i;

	json_array_foreach ((json_t *)rows, i, row)
		thread = add_row(threads, thread, row);
	while (json_array_size(threads) > MOST_THREADS)
		json_array_remove(threads, json_array_size(threads) - 1);
	return threads;
}

void shape_results(json_t *results)
{
	json_t *calls = json_object_get(results, "calls");
	const json_t *by_thread = json_object_get(results, "calls_by_thread");

	rename_member(json_object_get(results, "stackdist"), "caches", "miss_ratio_curve");
	if (calls && by_thread)
		json_member(calls, "threads",
			    paths_of_threads(json_object_get(by_thread, "call_paths")));
	json_object_del(results, "calls_by_thread");
}
