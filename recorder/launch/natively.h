/* SPDX-License-Identifier: MIT */
/* Samples a program without recording it, so that the program runs at its own speed. */
#ifndef NATIVELY_H
#define NATIVELY_H

#include "recorder/core/session.h"

/* Runs the program, or watches the process, until it ends or the options' time is over. Returns 0
 * or -1. */
int natively_run(struct session *session);

#endif
