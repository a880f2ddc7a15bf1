/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/regions.h"

#include <math.h>

#include "cli/common/checked.h"

/* Returns 1 + the greatest number of a cluster. */
static size_t n_clusters(const struct selection *selection)
{
	size_t n = 0;

	for (unsigned i = 0; i < selection->n; i++)
		if (selection->at[i].cluster >= n)
			n = selection->at[i].cluster + 1ul;
	return n;
}

void regions_multiply(const struct selection *selection, struct region *regions)
{
	uint64_t *recorded = checked_array(n_clusters(selection), sizeof(*recorded));

	for (unsigned i = 0; i < selection->n; i++)
		recorded[selection->at[i].cluster] += regions[i].end.filtered -
						      regions[i].start.filtered;
	for (unsigned i = 0; i < selection->n; i++) {
		uint64_t length = recorded[selection->at[i].cluster];

		regions[i].multiplier = length ? (double)regions[i].cluster_filtered /
							 (double)length
					       : NAN;
	}
	free(recorded);
}

void regions_number(const struct selection *selection, struct region *regions)
{
	uint64_t greatest = 0;

	for (unsigned i = 0; i < selection->n; i++)
		if (selection->at[i].number > greatest)
			greatest = selection->at[i].number;
	for (unsigned i = 0; i < selection->n; i++) {
		regions[i].id = selection->at[i].number + UINT64_C(1);
		regions[i].warmup_id = regions[i].id + greatest + 1;
	}
}
