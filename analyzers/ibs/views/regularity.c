/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/regularity.h"

#include <math.h>

/*
 * A sampler is locked if its share of repeats exceeds the expected share by both of these limits.
 */
#define LEAST_EXCESS 0.05
#define LEAST_ERRORS 6

/* If shares differ by less than this, the one with the shortest lag is reported. */
#define NEARLY 0.02

void ibs_repeats_add(struct ibs_repeats *r, uint64_t pc)
{
	for (unsigned lag = 1; lag <= IBS_MOST_LAG && lag <= r->samples; lag++)
		r->same[lag - 1] += r->recent[(r->samples - lag) % IBS_MOST_LAG] == pc;
	r->recent[r->samples++ % IBS_MOST_LAG] = pc;
}

void ibs_regularity_add(struct ibs_regularity *r, uint64_t pc, uint64_t interval)
{
	ibs_repeats_add(&r->samples, pc);
	r->sum += (double)interval;
	r->sum_of_squares += (double)interval * (double)interval;
}

double ibs_regularity_effective(const struct ibs_regularity *r)
{
	return r->sum_of_squares ? r->sum * r->sum / r->sum_of_squares : NAN;
}

static uint64_t n_pairs(const struct ibs_repeats *r, unsigned lag)
{
	return r->samples > lag ? r->samples - lag : 0;
}

/* Returns the share of repeats at a lag, or NAN if no two samples are that far apart. */
static double share(const struct ibs_repeats *r, unsigned lag)
{
	return (double)r->same[lag - 1] / (double)n_pairs(r, lag);
}

/* Returns the mean share of the lags that are not multiples of `lag`, or NAN if there are none. */
static double mean_of_other_lags(const struct ibs_repeats *r, unsigned lag)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned other = 1; other <= IBS_MOST_LAG; other++)
		if (other % lag && n_pairs(r, other)) {
			sum += share(r, other);
			n++;
		}
	return sum / n;
}

/* Returns true if a share of n pairs is far above the expected share, which m pairs gave. */
static bool is_far_above(double share, uint64_t n, double expected, uint64_t m)
{
	double common = (share * (double)n + expected * (double)m) / (double)(n + m);
	double error = sqrt(common * (1 - common) * (1 / (double)n + 1 / (double)m));

	return share - expected > fmax(LEAST_EXCESS, LEAST_ERRORS * error);
}

static struct ibs_locking at_lag(const struct ibs_regularity *r, unsigned lag)
{
	struct ibs_locking l = { .lag = lag, .share = share(&r->samples, lag) };
	uint64_t n = n_pairs(&r->samples, lag), m = n_pairs(&r->reference, lag);

	l.expected = r->reference.samples ? share(&r->reference, lag)
					  : mean_of_other_lags(&r->samples, lag);
	l.locked = is_far_above(l.share, n, l.expected, m ? m : n);
	return l;
}

/* Returns by how much the share of repeats at a lag exceeds the reference. */
static double excess(const struct ibs_regularity *r, unsigned lag)
{
	return share(&r->samples, lag) - (r->reference.samples ? share(&r->reference, lag) : 0);
}

struct ibs_locking ibs_regularity_locking(const struct ibs_regularity *r)
{
	unsigned n_lags = 0, lag = 1;
	double most = -1;

	while (n_lags < IBS_MOST_LAG && n_pairs(&r->samples, n_lags + 1))
		most = fmax(most, excess(r, ++n_lags));
	if (!n_lags)
		return (struct ibs_locking){ .share = NAN, .expected = NAN };
	while (lag < n_lags && !(excess(r, lag) >= most - NEARLY))
		lag++;
	return at_lag(r, lag);
}
