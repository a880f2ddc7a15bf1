/* SPDX-License-Identifier: MIT */
/* Declarations for a selection of simulation points, from its input to its results. */
#ifndef SIMPOINTS_H
#define SIMPOINTS_H

#include "analyzers/simpoint/origin.h"
#include "analyzers/simpoint/outputs.h"
#include "analyzers/simpoint/project.h"
#include "analyzers/simpoint/regions.h"
#include "analyzers/simpoint/trace_vectors.h"

struct simpoints {
	struct simpoint_options o;
	struct tf_reader *reader; /* NULL: vectors came from a file */
	char uuid[UUID_TEXT];     /* of the trace */
	struct origin origin;     /* likewise */
	struct bb_rows rows;      /* n 0: points were loaded */
	struct pc_names names;
	struct intervals intervals; /* of a trace */
	uint64_t recorded;          /* instructions of an interval of recorded vectors; 0: none */
	struct projection projection;
	struct points points;
	struct search search;
	struct selection selection;
	uint64_t *
		starts; /* instructions before each interval, and behind the last; NULL: not known */
	uint64_t *filtered;     /* the same without excluded code */
	bool has_markers;       /* recorded vectors have the ends of their intervals */
	struct region *regions; /* by point */
	struct regions_info info;
	uint64_t total;  /* instructions of the thread, behind the last interval too */
	double spread;   /* see rows_spread; NaN: not known */
	double *initial; /* centres loaded */
	int status;      /* exit code */
};

/* Reads the points, or the vectors that they are projections of. Returns false after a message. */
bool simpoints_read(struct simpoints *s);

/* Clusters the points and selects from the clusters. Returns false after a message. */
bool simpoints_cluster(struct simpoints *s);

/* Finds the regions of the selected points. Returns false after a message. */
bool simpoints_locate(struct simpoints *s);

/* Writes all files that the options ask for. Returns an exit code, after a message. */
int simpoints_save(const struct simpoints *s);

/* Writes what was selected. */
void simpoints_report(const struct simpoints *s, FILE *out, enum report_format format);

/* Tells the user if there was little to choose from. */
void simpoints_note_shape(const struct simpoints *s);

#endif
