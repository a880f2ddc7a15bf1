/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions of one trace in another: first by name and module, then by name without the
 * ending of a clone, then by name in any module, then by code, then by similar code, then by calls.
 * Each step looks only at functions that no step before it has matched, and the result does not
 * depend on which of the traces is the first.
 */
#ifndef COMPARE_MATCH_H
#define COMPARE_MATCH_H

#include "cli/compare/result.h"

enum matched_by {
	MATCHED_NOT, /* a function of only one of the traces */
	MATCHED_NAME,
	MATCHED_CLONE,  /* its name, but for the ending of a clone or a version */
	MATCHED_MODULE, /* its name, but in another module */
	MATCHED_CODE,
	MATCHED_SIMILAR,
	MATCHED_CALLS, /* it calls the same functions, and the same functions call it */
};

/* Returns how it was matched, in a word. */
const char *matched_by_word(enum matched_by how);

struct function_pair {
	uint32_t of[2]; /* index in each of the two results, or COMPARE_NONE */
	enum matched_by how;
	double similarity; /* of the code: 1 if equal; NAN if either has no code or too little */
};

struct matching {
	const struct result *results; /* two */
	ARRAY(struct function_pair) pairs;
	uint32_t *pair_of[2]; /* by function of each result */
};

/* Matches the functions of two results, which must outlive the matching. */
void match_functions(struct matching *matching, const struct result *results);
void matching_free(struct matching *matching);

/* Returns the function of a pair: that of the second trace, or else that of the first one. */
const struct compared_function *function_of_pair(const struct matching *matching, uint32_t pair);

/* ---- between match.c, similar.c and neighbours.c ----------------------------------------- */

/*
 * The most pairs of unmatched functions that are looked at, so that the memory for hostile
 * documents is bounded by their size.
 */
size_t most_candidates(const struct matching *matching);

void add_pair(struct matching *matching, uint32_t a, uint32_t b, enum matched_by how);

/* Returns Jaccard's similarity of the shingles of two functions, as sketches estimate it. */
double sketch_similarity(const struct compared_function *a, const struct compared_function *b);

/* Matches functions whose similarity is at least LEAST_SIMILARITY, the most similar ones first. */
#define LEAST_SIMILARITY 0.5
void match_similar(struct matching *matching);

/* Matches functions that share most of their matched neighbors in the call tree. */
void match_neighbours(struct matching *matching);

#endif
