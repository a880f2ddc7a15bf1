/* SPDX-License-Identifier: MIT */
/*
 * Views of samples: histograms of latencies, groups, events, packets, a database. All samples of a
 * struct ibs_views come from one source: from the model or from hardware.
 */
#ifndef IBS_VIEWS_H
#define IBS_VIEWS_H

#include "analyzers/ibs/packet/events.h"
#include "analyzers/ibs/packet/where.h"
#include "analyzers/ibs/views/database.h"
#include "analyzers/ibs/views/groups.h"
#include "analyzers/ibs/views/samplers.h"
#include "analyzers/ibs/views/summary.h"
#include "cli/common/checked.h"

enum ibs_histogram { IBS_NO_HISTOGRAM, IBS_HISTOGRAM_OF_ALL, IBS_HISTOGRAM_OF_GROUPS };

/* The default latencies of groups. */
#define IBS_USUAL_LATENCY       IBS_TAG_TO_RET
#define IBS_USUAL_FETCH_LATENCY IBS_FETCH_LAT

struct ibs_views_options {
	struct ibs_keys by; /* groups' keys */
	uint64_t top;       /* number of groups that are reported */
	unsigned mangled;   /* 1: C++ names are shown as they are in the trace */
	struct ibs_where where;
	uint8_t latency[IBS_N_KINDS]; /* by kind: enum ibs_field of the groups' latency */
	unsigned events;              /* enum ibs_event_set, or-ed; 0: none */
	unsigned histogram;           /* enum ibs_histogram */
	bool packets;                 /* a table of all packets is reported */
	const char *packet_file;      /* name of a file for packets, or NULL */
	const char *database;         /* name of a new file, or NULL */
};

struct ibs_views {
	const struct ibs_views_options *options;
	struct places places;
	struct ibs_summary summary;
	struct ibs_samplers samplers;
	struct ibs_event_counts events;
	struct ibs_groups groups[IBS_N_KINDS];
	struct ibs_database *database;    /* or NULL */
	struct save_file *packet_file;    /* or NULL */
	ARRAY(struct ibs_packet) packets; /* empty unless they are reported */
	enum ibs_event_set
		own_events;   /* the events of the sampling processor; IBS_ZEN if nobody sets it */
	uint64_t n_left_out;  /* samples for which the condition does not hold */
	uint64_t n_uncertain; /* samples whose object is likely but not certain */
};

/*
 * The reader must be loaded; it and options must outlive the views. partial: samples are of a part
 * of the trace. by_time: samples are placed by time, after all events. Returns 0, or an exit code
 * after a message. Memory that is out ends the process.
 */
int ibs_views_init(struct ibs_views *views, const struct ibs_views_options *options,
		   struct tf_reader *reader, bool partial, bool by_time);
/* Frees the views, also after an init that failed. */
void ibs_views_free(struct ibs_views *views);

/* Takes an event between samples; executions go to places->block. */
static inline void ibs_views_event(struct ibs_views *views, const struct tf_event *event)
{
	places_event(&views->places, event);
}

/* Returns true if samples need their comm and stack, which take time to find. */
static inline bool ibs_views_want_callers(const struct ibs_views *views)
{
	return views->options->by.needs_callers || views->options->where.needs_callers ||
	       views->database;
}

void ibs_views_add(struct ibs_views *views, const struct ibs_sample *sample);

/*
 * Records a fact about all samples, such as their source: in the report, and as a row of the
 * database.
 */
void ibs_views_note(struct ibs_views *views, struct report *report, const char *name,
		    const char *value);

/* Writes the tables, and the rest of the database. Returns 0, or an exit code after a message. */
int ibs_views_report(struct ibs_views *views, struct report *report);

#endif
