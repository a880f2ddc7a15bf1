/* SPDX-License-Identifier: MIT */
/* The plan: the report in JSON, with what trace-record and trace-cut need to find the points. */
#ifndef PLAN_JSON_H
#define PLAN_JSON_H

#include "analyzers/simpoint/simpoints.h"

/*
 * Writes the plan of located points. Beside the members of the report it has:
 *
 *	"profile"       UUID of the trace of vectors, if the points were chosen from one, and
 *			"boundary"; after a comparison "compared_with", "markers", "markers_failed"
 *	"threads"       their number; "instructions", "filtered": of all intervals
 *	"points"        each with "filtered_start", "filtered_end", "multiplier", and the markers
 *			"first" and "behind" of its bounds: null at the program's begin and end,
 *			absent if not known; "warmup": { "first", "start", "filtered_start",
 *			"intervals" }; of vectors "start_hash" and "end_hash", see struct
 *			tf_interval
 *
 * A marker has "module" (its file without folder), "path", "build_id", "offset" (from the lowest
 * address that the module is mapped at), "pc", "count", of vectors "tier", and after a comparison
 * "proven". The bound is immediately before execution number "count" (from 1) of that instruction:
 * of vectors and of parallel regions over all threads, else in "thread".
 */
void plan_json_write(const struct simpoints *s, FILE *out);

#endif
