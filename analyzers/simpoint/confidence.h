/* SPDX-License-Identifier: MIT */
/*
 * Confidence intervals of estimates from a stratified sample (Cochran, Sampling Techniques, 1977,
 * chapters 5 and 6).
 *
 * With M_h the size of stratum h, of which n_h intervals were drawn, the estimate is the combined
 * ratio R = sum of M_h mean_h(x) / sum of M_h mean_h(y), which suits intervals of different
 * lengths. With z = x - R y and s_h its standard deviation in the stratum, the variance of R is
 *
 *	sum of g_h / (sum of M_h mean_h(y))^2,	g_h = M_h^2 (1 - n_h / M_h) s_h^2 / n_h
 *
 * and its degrees of freedom are (sum of g_h)^2 / sum of g_h^2 / (n_h - 1) (Satterthwaite,
 * Biometrics Bulletin 2, 1946). Strata with one interval of several are collapsed in pairs of
 * neighbors, one of them in a group of three if their number is odd: a group of m strata, whose
 * totals M_h z are t, adds m / (m - 1) times the squared deviations of t from their mean, which
 * is too large if strata differ, and has m - 1 degrees of freedom.
 */
#ifndef CONFIDENCE_H
#define CONFIDENCE_H

#include "analyzers/simpoint/strata.h"

/* The ways in which the variance is estimated. */
enum confidence_kind {
	CONFIDENCE_NONE,       /* not at all: intervals were not drawn, or only one was */
	CONFIDENCE_STRATIFIED, /* by several intervals of each stratum */
	CONFIDENCE_COLLAPSED,  /* some strata are collapsed */
};

enum confidence_kind confidence_kind(const struct strata *strata);

struct confidence {
	double value;
	double low, high; /* NaN: not known, like what follows */
	double effective; /* the number of intervals drawn without strata that would do as well */
	double needed; /* the number of intervals, drawn without strata, whose estimate is off by at
			  most the precision: n / (1 + n / M) with n = (z V / precision)^2, where V
			  is the ratio of z's standard deviation in the program to the mean of x, and
			  M counts all intervals (SMARTS, Wunderlich et al., ISCA 2003) */
};

struct confidence_options {
	double confidence; /* 0 to 1, both excluded */
	double precision;  /* relative, above 0 */
};

/*
 * Computes the estimate sum x / sum y. x, y: by point. by_weight: strata count by their weight
 * instead of by their intervals, for means. If y is 0 everywhere, all is NaN.
 */
struct confidence confidence_of(const struct strata *strata, const double *x, const double *y,
				bool by_weight, const struct confidence_options *options);

/* Sets the standard deviation of z in each stratum and its mean of x; NaN: not known. */
void confidence_spreads(const struct strata *strata, const double *x, const double *y,
			double *spreads, double *means);

#endif
