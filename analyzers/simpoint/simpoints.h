/* SPDX-License-Identifier: MIT */
/* Declarations for a selection of simulation points, from its input to its results. */
#ifndef SIMPOINTS_H
#define SIMPOINTS_H

#include "analyzers/simpoint/float_search.h"
#include "analyzers/simpoint/origin.h"
#include "analyzers/simpoint/outputs.h"
#include "analyzers/simpoint/parallel_regions.h"
#include "analyzers/simpoint/project.h"
#include "analyzers/simpoint/proven_markers.h"
#include "analyzers/simpoint/regions.h"
#include "analyzers/simpoint/run_batches.h"
#include "analyzers/simpoint/trace_vectors.h"

/* Many points, of which a sample is clustered first. */
struct many_points {
	struct float_points points; /* those that differ */
	uint32_t *stands;           /* by interval: the point of it; NULL: points are few */
	size_t *first;              /* by point: the first interval that it stands for */
	struct float_sample sample;
	size_t *places; /* of the sample's points: in points */
};

struct simpoints {
	struct simpoint_options o;
	struct tf_reader *reader; /* NULL: vectors came from a file */
	char uuid[UUID_TEXT];     /* of the trace */
	struct origin origin;     /* likewise */
	struct bb_rows rows;      /* n 0: points were loaded */
	struct pc_names names;
	struct intervals intervals; /* of a trace */
	uint64_t recorded;          /* instructions of an interval of recorded vectors; 0: none */
	struct vector_run *run; /* its vectors; rows has those of some intervals, and the sums of
				       all. NULL: rows has all */
	struct run_cache cache; /* of its intervals */
	bool all_threads;       /* the vectors are of all threads */
	struct many_points many;
	struct projection projection;
	struct points points;
	struct search search;
	struct clustering whole; /* the chosen one, with labels of all intervals */
	double *distances;       /* of many points: of all intervals from its centers */
	struct selection selection;
	double *shares;         /* of blocks in all intervals, see rows_shares; NULL: not known */
	struct quality quality; /* if shares are known */
	uint64_t *starts;       /* instructions before intervals, and behind the last; or NULL */
	uint64_t *filtered;     /* the same without excluded code */
	struct parallel_regions parallel; /* n 0: intervals are not from one to the next */
	bool has_markers;                 /* recorded vectors have the ends of their intervals */
	struct region *regions;           /* by point */
	struct regions_info info;
	struct tf_reader *other; /* another run, that the markers are compared with; NULL: none */
	struct proven_markers proven;
	uint64_t total;  /* instructions of the thread, behind the last interval too */
	double spread;   /* see rows_spread; NaN: not known */
	double *initial; /* centers loaded */
	int status;      /* exit code */
};

/* Compares the input with the other run instead. Returns an exit code, after a message. */
int simpoints_compare(struct simpoints *s);

/* Reads the points, or the vectors that they are projections of. Returns false after a message. */
bool simpoints_read(struct simpoints *s);

/*
 * Reads a vector run, each interval of which is `each` recorded ones. Returns false after a
 * message.
 */
bool simpoints_read_run(struct simpoints *s, uint64_t each);

/* Reads the slices from one parallel region to the next. Returns false after a message. */
bool simpoints_read_parallel(struct simpoints *s);

/* Drops the points of clusters that hardly count, as BarrierPoint does. */
void simpoints_drop_small(struct simpoints *s);

/* Sets the markers of regions that parallel regions bound. */
void simpoints_mark_parallel(struct simpoints *s);

/*
 * Reads the vectors of a run again: computes the spread, and keeps those of the sample's intervals.
 */
bool simpoints_run_spread(struct simpoints *s);

/*
 * Keeps the vectors of the selected points, with names of their blocks, and sets the mean distance
 * of the intervals from their points.
 */
bool simpoints_run_quality(struct simpoints *s);

/* Makes the points of a file many points. */
void simpoints_take_many(struct simpoints *s);

/* Merges the many points and draws the sample. */
void simpoints_sample(struct simpoints *s);

/* Returns the variance of the sample, the mean over its dimensions. */
double simpoints_sample_variance(const struct simpoints *s);

/* Sets whole and distances from the clustering of the sample. */
void simpoints_refine(struct simpoints *s);
void many_points_free(struct many_points *many);

/* Clusters the points and selects from the clusters. Returns false after a message. */
bool simpoints_cluster(struct simpoints *s);

/* Selects points from a clustering with labels of all intervals. Returns false after a message. */
bool simpoints_select(const struct simpoints *s, const struct clustering *clustering,
		      struct selection *selection);

/* Returns the number of recorded intervals that are one of ours. */
static inline uint64_t recorded_in_one(const struct simpoints *s)
{
	uint64_t each = s->rows.interval_size / s->recorded;

	return each ? each : 1;
}

/*
 * Moves points to intervals whose markers another run has proven, if there is one. Returns false
 * after a message.
 */
bool simpoints_prove(struct simpoints *s);

/* Finds the regions of the selected points. Returns false after a message. */
bool simpoints_locate(struct simpoints *s);

/* Writes all files that the options ask for. Returns an exit code, after a message. */
int simpoints_save(const struct simpoints *s);

/* Returns a report of the points that were selected, which report_end() writes to `out`. */
struct report *simpoints_report(const struct simpoints *s, FILE *out, enum report_format format);

/* Tells the user if there was little to choose from. */
void simpoints_note_shape(const struct simpoints *s);

#endif
