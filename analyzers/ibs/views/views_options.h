/* SPDX-License-Identifier: MIT */
/* Parsers of options that struct ibs_views_options holds, see command_option. */
#ifndef IBS_VIEWS_OPTIONS_H
#define IBS_VIEWS_OPTIONS_H

#include "analyzers/common/analyzer.h"
#include "analyzers/ibs/views/views.h"

const char *ibs_option_where(const struct command_option *, void *destination,
			     const char *text); /* struct ibs_where */
const char *ibs_option_by(const struct command_option *, void *destination,
			  const char *text); /* struct ibs_keys */
const char *ibs_option_latency(const struct command_option *, void *destination,
			       const char *text); /* uint8_t[IBS_N_KINDS] */
const char *ibs_option_histogram(const struct command_option *, void *destination,
				 const char *text); /* unsigned: enum ibs_histogram */
const char *ibs_option_packets(const struct command_option *, void *destination,
			       const char *text); /* struct ibs_views_options */
const char *ibs_option_events(const struct command_option *, void *destination,
			      const char *text); /* unsigned: enum ibs_event_set */

#endif
