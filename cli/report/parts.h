/* SPDX-License-Identifier: MIT */
/*
 * The parts of a report: which command computes each, and where its result stands in the document.
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

enum part_form {
	PART_OF_TRACE,
	PART_ALONE,       /* which shares no pass with others of its command */
	PART_OF_ORDER,    /* as this if the trace has several threads, whose order matters */
	PART_OF_MACHINE,  /* the command has --machine=NAME */
	PART_OF_THREADS,  /* only for a trace of several threads */
	PART_WITH_SOURCE, /* see slo_page.h */
	PART_OF_PAIR,     /* a comparison with another trace */
	PART_BY_INTERVAL, /* a result for each interval of the program, see phases.h */
};

struct report_part {
	const char *name;    /* of its command, note and failure in the document */
	const char *group;   /* as --only names it; several parts may be of one group */
	const char *command; /* of ours */
	const char *options; /* words, divided by blanks */
	const char
		*result; /* "mix", or "mica.ilp" for a member of a member; of intervals "phases" */
	const char *table; /* NULL: the whole document is the result; else only this table */
	const char *kind;  /* "exact", "modelled" or "sampled" */
	const char *note;  /* a sentence on the exactness */
	enum part_form form;
};

extern const struct report_part report_parts[];
extern const size_t n_report_parts;

/* Returns whether a list of groups, divided by commas, has this group; NULL has all. */
bool group_is_listed(const char *list, const char *group);

/* Returns a group of the list that does not exist, as a copy, or NULL. The caller frees it. */
char *unknown_group(const char *list);

/* Returns the names of all groups, divided by ", ". The caller frees it. */
char *all_groups(void);

/* Returns a list of the groups that are not in a list. The caller frees it. */
char *groups_without(const char *list);

#endif
