/* SPDX-License-Identifier: MIT */
/* The parsers of the options in struct ibs_views_options. The comments give their destinations. */
#ifndef IBS_VIEWS_OPTIONS_H
#define IBS_VIEWS_OPTIONS_H

#include "analyzers/common/analyzer.h"
#include "analyzers/ibs/views/views.h"
#include "cli/common/option_parsers.h"

option_parser ibs_option_where;     /* struct ibs_where */
option_parser ibs_option_by;        /* struct ibs_keys */
option_parser ibs_option_latency;   /* uint8_t[IBS_N_KINDS] */
option_parser ibs_option_histogram; /* unsigned: enum ibs_histogram */
option_parser ibs_option_packets;   /* struct ibs_views_options */
option_parser ibs_option_events;    /* unsigned: enum ibs_event_set */

#endif
