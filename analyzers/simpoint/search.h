/* SPDX-License-Identifier: MIT */
/*
 * Choosing the number of clusters: several numbers are tried, each from several seeds, each
 * clustering is scored by the Bayesian information criterion (BIC; Pelleg and Moore: X-means,
 * ICML 2000), and one number is chosen by a criterion.
 */
#ifndef SEARCH_H
#define SEARCH_H

#include "analyzers/simpoint/kmeans.h"
#include "cli/common/checked.h"

/* Criteria of choice. */
enum choice {
	CHOOSE_BIC, /* the smallest number whose best score comes near enough to the best of all */
	CHOOSE_ERROR,  /* the smallest number with a mean error of at most error_limit */
	CHOOSE_ELBOW,  /* the number at which the logarithm of the mean squared distance, drawn
			  over the number, is farthest below the line from its first to its last
			  value */
	CHOOSE_BUDGET, /* the largest number of at most `budget` */
	N_CHOICES,
};

struct search_options {
	const unsigned *ks; /* numbers of clusters to try; NULL: search up to max_k */
	size_t n_ks;
	unsigned max_k;
	unsigned n_seeds; /* clusterings for each number */
	enum initial_centres initial;
	const double *centres; /* NULL, or where to begin: ks[0] * dim, n_ks and n_seeds are 1 */
	unsigned iterations;   /* at most */
	double threshold;      /* of the span from the worst score to the best, 0 .. 1 */
	double noise;          /* variance in each dimension that means nothing; 0: none */
	uint32_t seed;
	size_t sample_size; /* cluster so many points, by chance; 0: all */
	uint32_t sample_seed;
	bool as_simpoint; /* kmeans.h */
	unsigned jobs;

	enum choice choice;
	bool grid;          /* try numbers of a fixed ratio and then more near the chosen one */
	double error_limit; /* CHOOSE_ERROR */
	unsigned budget;    /* CHOOSE_BUDGET */

	/*
	 * Clusters points of another kind, from c->seed,
	 * with room for all of c's arrays and no labels yet: sets all that kmeans_iterate and
	 * kmeans_label do. NULL: the points of search_run are clustered.
	 */
	void (*cluster)(const void *opaque, struct clustering *c);
	/* Returns the mean error of a clustering, 0 to 1; NULL: it is not known. */
	double (*error)(const void *opaque, const struct clustering *c);
	const void *cluster_opaque, *error_opaque; /* their first arguments */
};

/* The clusterings with one number of clusters. */
struct run {
	unsigned k;                /* as asked for */
	struct clustering *trials; /* n_seeds */
	unsigned best;             /* that with the highest score, the first of several */
	double error;              /* of the best; NaN: not known */
};

struct search {
	ARRAY(struct run) runs; /* in the order in which they were made */
	unsigned n_seeds;
	size_t chosen;
	size_t choices[N_CHOICES]; /* the run that each criterion chooses; SIZE_MAX: none */
};

/*
 * Searches: tries 1, max_k, half of it, and then by bisection the smallest number that is near
 * enough to the best so far; or numbers of a fixed ratio; or else all numbers given. Trial t of run
 * r begins with seed seed
 * + r * n_seeds + 2 * t, all of them modulo 2^32. In a search, the first trial of a run begins
 *   instead with the centres of the next larger run, merged by ward.h, unless --init or SimPoint's
 *   way asks for others. Scores take in all points, even of a sample's clusters. A perfect
 *   clustering has an infinite score; it is then the smallest perfect one that is chosen.
 */
void search_run(const struct points *points, const struct search_options *options,
		struct search *search);
void search_free(struct search *search);

static inline const struct clustering *search_best(const struct search *s, size_t run)
{
	return &s->runs.at[run].trials[s->runs.at[run].best];
}

/* Points that a score is computed of. */
struct scored {
	size_t n;
	unsigned dim;
	const double *weights;
	double represents; /* so many points, of which these are a part */
};

/*
 * The score of a clustering with labels: for (a part of) n points of d dimensions and weights w
 * of sum W, in k clusters of weights p, with s2 = (sum of w * squared distance / mean w) / (d n),
 *
 *	n (-d/2 (ln(2 pi v) + s2 / v) - ln W + sum of w/W ln p(label))
 *		- ((k - 1) + k d + 1) / 2 ln n
 *
 * where v is s2, but at least the noise: clusters cannot be distinguished better than that.
 * distances: squared.
 */
double bic_score(const struct scored *points, const struct clustering *clustering,
		 const double *distances, double noise);

#endif
