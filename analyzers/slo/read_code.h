/* SPDX-License-Identifier: MIT */
/* Finds the static side of a trace. */
#ifndef SLO_READ_CODE_H
#define SLO_READ_CODE_H

#include "analyzers/slo/code.h"

/*
 * Reads a loaded trace, with up to so many jobs: once through for its indirect jumps, calls and
 * returns, and once more if any of them lands. Returns 0, or a negative status with *error filled;
 * free it in both cases. Memory that is out ends the process.
 */
int slo_code_init(struct slo_code *code, struct tf_reader *reader, unsigned jobs,
		  struct tf_error *error);
void slo_code_free(struct slo_code *code);

#endif
