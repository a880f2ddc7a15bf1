/* SPDX-License-Identifier: MIT */
/* The meaning of a configuration: which analyses run, how, and which files they write. */
#ifndef MICA_PLAN_H
#define MICA_PLAN_H

#include "analyzers/mica/config.h"
#include "analyzers/mica/itypes.h"

/* Options that MICA does not have. */
struct mica_extensions {
	bool exact_intervals;
	bool warms_up;             /* a warm-up comes before the counted executions */
	bool byte_dependences;     /* ilp: loads wait for stores to their own bytes */
	bool no_avx2;              /* for tests */
	const uint32_t *latencies; /* by static instruction; NULL: all are 1 */
};

struct mica_file {
	char base[32]; /* what its name begins with */
	enum mica_layout layout;
	const struct mica_analysis *analysis;
	struct mica_setup setup;
};

struct mica_plan {
	enum mica_dialect dialect;
	struct mica_config config;
	struct itypes_groups groups;
	unsigned n_files;
	struct mica_file files[MICA_KINDS];
};

/*
 * Makes the plan of a configuration, which the plan then owns. Extensions must outlive it. Returns
 * false after a message if there is a file of itypes groups that cannot be used. Free the plan
 * either way.
 */
bool mica_plan_make(struct mica_plan *plan, const struct mica_config *config,
		    enum mica_dialect dialect, const struct mica_numbers *numbers,
		    const struct mica_extensions *extensions);
void mica_plan_free(struct mica_plan *plan);

/* Returns true if an analysis of the configuration needs data addresses. */
bool mica_needs_addresses(const struct mica_config *config);

#endif
