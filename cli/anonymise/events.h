/* SPDX-License-Identifier: MIT */
/* The events of the new trace. */
#ifndef EVENTS_H
#define EVENTS_H

#include "cli/anonymise/dictionary.h"

struct number_map_entry {
	uint64_t key;
	uint32_t number; /* new */
};

struct event_rules {
	const struct dictionary *dictionary;
	const struct levels *levels;
	struct map_lookup lookup;
	uint64_t first_time;  /* ns; UINT64_MAX: there are no times */
	bool keeps_arguments; /* of functions outside of the malloc family */
	bool has_other_table; /* the program calls the system by int 0x80, too */
	HASH_TABLE(struct number_map_entry) pids, tids;
	uint64_t dropped;
	uint64_t cleared; /* arguments and results that became 0 */
};

void event_rules_begin(struct event_rules *rules, const struct dictionary *dictionary,
		       bool keeps_arguments);
void event_rules_free(struct event_rules *rules);

/*
 * Calls emit(opaque, event) for the events that take the place of one: none, one, or several. emit
 * returns 0 or a negative status, which is returned. Error: DAMAGED (the event names a record that
 * does not exist).
 */
int event_rewrite(struct event_rules *rules, const struct tf_event *event,
		  int (*emit)(void *opaque, const struct tf_event *event, struct tf_error *error),
		  void *opaque, struct tf_error *error);

/* Returns the time that is shown in place of one, ns. */
uint64_t shown_time(const struct event_rules *rules, uint64_t time);

/* Returns the wait status that is shown in place of one. */
int32_t shown_wait_status(const struct levels *levels, int32_t status);

#endif
