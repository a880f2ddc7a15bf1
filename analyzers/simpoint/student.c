/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/student.h"

#include <math.h>

/*
 * The continued fraction of the incomplete beta function (Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 26.5.8), by Lentz's method.
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300, enough = 1e-15;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < enough)
			break;
	}
	return h;
}

/* The regularized incomplete beta function; y: 1 - x, which may be more exact than x is. */
static double incomplete_beta(double a, double b, double x, double y)
{
	double factor;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return factor * beta_fraction(a, b, x) / a;
	return 1 - factor * beta_fraction(b, a, y) / b;
}

/* Returns the probability of a greater absolute value than t. */
static double outside(double t, double freedom)
{
	double all = freedom + t * t;

	if (freedom > 1e7)
		return erfc(t / M_SQRT2);
	return incomplete_beta(freedom / 2, 0.5, freedom / all, t * t / all);
}

double student_quantile(double confidence, double freedom)
{
	double low = 0, high = 1;

	while (outside(high, freedom) > 1 - confidence && high < 1e300)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		if (outside(middle, freedom) > 1 - confidence)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
