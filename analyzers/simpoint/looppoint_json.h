/* SPDX-License-Identifier: MIT */
/* LoopPoint regions as gem5 reads them (gem5.resources.looppoint, LooppointJsonLoader). */
#ifndef LOOPPOINT_JSON_H
#define LOOPPOINT_JSON_H

#include "analyzers/simpoint/regions.h"

/*
 * Writes all regions to a file, and each to one of its own, whose name has the region's number
 * before ".json": gem5's choice among several regions by their number does not work. Returns an
 * exit code, after a message.
 *
 * Addresses are those of the recorded program; gem5 must load the program at the same ones. gem5
 * counts executions in an int, so regions with a greater count are refused.
 */
int looppoint_json_write(const char *path, const struct selection *selection,
			 const struct region *regions);

#endif
