/* SPDX-License-Identifier: MIT */
/* Reports how far modes of sampling are from the executions, and from time. */
#ifndef IBS_MODES_H
#define IBS_MODES_H

#include "analyzers/ibs/model/code.h"
#include "analyzers/ibs/model/profiles.h"
#include "analyzers/ibs/views/keys.h"

/*
 * Table "modes": a row for each mode and randomization, of distances (ibs_distance) by instruction,
 * in %; and if all keys are about code, "modes_by_KEYS", where samples of another instruction of
 * the same line, or function, are right.
 */
void ibs_modes_report(const struct ibs_profiles *profiles, const struct ibs_code *code,
		      const struct ibs_keys *keys, struct ibs_places *places,
		      struct report *report);

#endif
