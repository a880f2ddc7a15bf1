/* SPDX-License-Identifier: MIT */
/* Where the blocks of a test program keep what is known of their instructions, until it ends. */
#ifndef ALL_FACTS_H
#define ALL_FACTS_H

#include <stdlib.h>

#include "recorder/program/facts.h"

static struct facts *the_facts;

/* Leak checkers do not look into its pages for what it has allocated. */
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
