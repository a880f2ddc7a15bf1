/* SPDX-License-Identifier: MIT */
/* Reports how far modes of sampling are from the executions, and from time. */
#ifndef IBS_MODES_H
#define IBS_MODES_H

#include "analyzers/ibs/model/code.h"
#include "analyzers/ibs/model/profiles.h"
#include "analyzers/ibs/views/keys.h"

/*
 * Reports the table "modes": a row for each mode and randomization, with distances (ibs_distance)
 * between profiles by instruction, in %. If all keys are about code, reports also "modes_by_KEYS",
 * with distances between profiles by these keys.
 */
void ibs_modes_report(const struct ibs_profiles *profiles, const struct ibs_code *code,
		      const struct ibs_keys *keys, struct places *places, struct report *report);

#endif
