/* SPDX-License-Identifier: MIT */
/*
 * Measures how long the recording thread is in each phase of its work, for record_stats.phases. A
 * phase within another one is not part of the outer one, so the phases add up to the whole. Unless
 * options->stats is set, nothing is measured: reading the CPU clock is a system call.
 */
#ifndef PHASE_TIMES_H
#define PHASE_TIMES_H

#include "recorder/core/session.h"

/* Begins a phase. Returns the phase until then, for phase_times_end(). */
enum record_phase phase_times_begin(struct session *session, enum record_phase phase);

/* Ends the present phase, and goes on with the phase that it interrupted. */
void phase_times_end(struct session *session, enum record_phase before);

#endif
