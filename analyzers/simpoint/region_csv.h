/* SPDX-License-Identifier: MIT */
/* Region files of PinPoints, and of SDE's and LoopPoint's pcregions scripts. */
#ifndef REGION_CSV_H
#define REGION_CSV_H

#include "analyzers/simpoint/regions.h"

/* Writes PinPoints' CSV with instruction counts. Returns an exit code, after a message. */
int region_csv_write(const char *path, const struct regions_info *info,
		     const struct selection *selection, const struct region *regions);

/*
 * Writes pcregions' CSV, whose bounds are an address and the number of its executions. No field
 * has a blank, comma or bar, none is empty, and no line has 2,000 bytes, which its readers rely on.
 * Returns an exit code, after a message.
 */
int pcregions_csv_write(const char *path, const struct regions_info *info,
			const struct selection *selection, const struct region *regions);

#endif
