/* SPDX-License-Identifier: MIT */
/* The command line of trace-simpoint: GNU's way of writing options, and SimPoint 3.2's. */
#ifndef SIMPOINT_OPTIONS_H
#define SIMPOINT_OPTIONS_H

#include "analyzers/simpoint/intervals.h"
#include "analyzers/simpoint/search.h"
#include "analyzers/simpoint/selection.h"
#include "analyzers/simpoint/vector_run.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/tracereport.h"

/* A file that SimPoint 3.2 writes or reads, named on the command line. */
/* clang-format off */
enum simpoint_file {
	SAVE_SIMPOINTS, SAVE_WEIGHTS, SAVE_LABELS, SAVE_VECTOR_WEIGHTS, SAVE_INITIAL, SAVE_FINAL,
	SAVE_VECTORS, SAVE_VECTORS_BINARY, SAVE_PROJECTION, SAVE_PROJECTION_BINARY,
	SAVE_REGIONS, SAVE_PC_REGIONS, SAVE_LOOPPOINT, SAVE_JSON, SAVE_SEGMENT_SIZE,
	LOAD_VECTORS, LOAD_VECTORS_BINARY, LOAD_PROJECTION, LOAD_PROJECTION_BINARY, LOAD_INITIAL,
	LOAD_INITIAL_LABELS, LOAD_VECTOR_WEIGHTS,
	N_FILES,
};
/* clang-format on */

/* The program that reads the files of -o. */
enum preset { PRESET_TRACELAB, PRESET_LOOPPOINT, PRESET_NEMU, PRESET_SCARAB, N_PRESETS };

struct simpoint_options {
	char *command;              /* line, as it was given */
	const char *input;          /* .bb file or trace; NULL with LOAD_VECTORS* */
	const char *other;          /* vectors of another run; NULL: none */
	bool compare;               /* only compare the two runs */
	const char *files[N_FILES]; /* NULL: not wanted */
	const char *pc_file;        /* names of blocks; NULL: none */
	const char *prefix;         /* -o; NULL: none */
	unsigned preset;            /* enum preset */

	bool as_simpoint;
	ARRAY(unsigned) ks; /* none: search */
	uint64_t max_k;
	uint64_t n_seeds, iterations; /* UINT64_MAX: no limit */
	uint64_t dim;                 /* 0: no projection */
	bool dim_given;
	enum initial_centres initial;
	bool initial_given, max_k_given;
	double threshold, coverage, resolution;
	bool fixed_length, fixed_length_given, save_all, verbose;
	uint64_t sample_size; /* 0: all */
	uint64_t seed, seed_projection, seed_sample;
	uint64_t n_vectors, n_dims; /* as stated; 0: not */

	enum choice choice;
	bool choice_given;
	double error_limit; /* CHOOSE_ERROR */
	uint64_t budget;    /* CHOOSE_BUDGET: instructions */

	enum select_by select;
	bool select_given;
	uint64_t per_cluster; /* points */
	uint64_t total;       /* of all clusters together; 0: per_cluster counts */
	const char *allocate; /* a result of trace-extrapolate; NULL: none */

	bool mark;           /* intervals are from one parallel region to the next */
	bool distances;      /* their vectors have distances of accesses */
	double least_weight; /* of a cluster of them that has a point */
	bool least_weight_given;
	uint64_t interval; /* instructions; 0: as the file says */
	uint64_t thread;   /* of a trace */
	bool thread_given;
	enum thread_vectors thread_vectors;
	bool thread_vectors_given;
	enum counter counter;
	const char *bbv_options; /* for trace-bbv, of a trace; NULL: none */
	uint64_t warmup_factor;  /* intervals before each point that warm up */
	uint64_t marker_limit;   /* the greatest count of a marker */
	unsigned jobs;
	enum report_format format;
	bool list_intervals; /* in the report */
	bool quiet;
};

/*
 * Parses the command line. Returns EXIT_DONE to go on, after *done was set to false; else the
 * caller ends with the exit code returned; all messages have been printed.
 */
int simpoint_parse(int argc, char **argv, struct simpoint_options *options, bool *done);

#endif
