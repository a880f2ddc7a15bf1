/* SPDX-License-Identifier: MIT */
/* Where the blocks of a test program keep what is known of their instructions, until it ends. */
#ifndef ALL_FACTS_H
#define ALL_FACTS_H

#include "recorder/program/facts.h"

static inline struct facts *all_facts(void)
{
	static struct facts *facts;

	if (!facts)
		facts = facts_new();
	return facts;
}

#endif
