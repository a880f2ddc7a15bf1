/* SPDX-License-Identifier: MIT */
/*
 * The facts of a test program's instructions, which its blocks share and which live until it ends.
 */
#ifndef ALL_FACTS_H
#define ALL_FACTS_H

#include <stdlib.h>

#include "recorder/program/facts.h"

static struct facts *the_facts;

/* Frees the facts. Leak checkers do not search the pages that hold pointers to them. */
static void free_all_facts(void)
{
	facts_free(the_facts);
}

static inline struct facts *all_facts(void)
{
	if (!the_facts) {
		the_facts = facts_new();
		atexit(free_all_facts);
	}
	return the_facts;
}

#endif
