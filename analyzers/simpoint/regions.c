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
	size_t n = n_clusters(selection);
	bool *used = checked_array(n, sizeof(*used)), several = false;

	for (unsigned i = 0; i < selection->n; i++) {
		several |= used[selection->at[i].cluster];
		used[selection->at[i].cluster] = true;
	}
	if (n < selection->n)
		n = selection->n;
	for (unsigned i = 0; i < selection->n; i++) {
		regions[i].id = (several ? i : selection->at[i].cluster) + 1ul;
		regions[i].warmup_id = regions[i].id + n;
	}
	free(used);
}
