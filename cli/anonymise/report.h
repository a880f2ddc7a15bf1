/* SPDX-License-Identifier: MIT */
/* Reports the parts of a trace that were dropped, renamed and kept. */
#ifndef ANONYMISE_REPORT_H
#define ANONYMISE_REPORT_H

#include "cli/anonymise/events.h"
#include "cli/anonymise/request.h"

/* The facts of the report. */
struct outcome {
	struct tf_reader *reader;
	const struct dictionary *dictionary;
	const struct event_rules *rules;
	const struct meta_settings *settings;
	const struct tf_info *before;
	uint64_t bytes; /* of the new trace; 0: not known */
};

void report_outcome(const struct request *request, const struct outcome *outcome);

#endif
