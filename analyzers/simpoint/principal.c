/* SPDX-License-Identifier: MIT */
/*
 * The eigenvectors of the covariance matrix are found by Jacobi's method (Golub, Van Loan: Matrix
 * Computations, 4th edition, section 8.5): rotations make one pair of elements after the other 0.
 */
#include "analyzers/simpoint/principal.h"

#include <math.h>
#include <stdbool.h>

#include "cli/common/checked.h"

/* A symmetric matrix that becomes diagonal, and the product of the rotations. */
struct jacobi {
	unsigned n;
	double *matrix;  /* n * n */
	double *vectors; /* n * n: an eigenvector is a column */
};

enum { SWEEPS = 30 }; /* it converges quadratically; about ten are enough */

/* ---- the covariance matrix ----------------------------------------------------------------- */

static double *mean_of(const struct points *p)
{
	double *mean = checked_array(p->dim, sizeof(*mean)), weight = 0;

	for (size_t i = 0; i < p->n; i++) {
		weight += p->weights[i];
		for (unsigned j = 0; j < p->dim; j++)
			mean[j] += p->weights[i] * point(p, i)[j];
	}
	for (unsigned j = 0; j < p->dim && weight > 0; j++)
		mean[j] /= weight;
	return mean;
}

static void add_covariance(const struct points *p, const double *mean, double *matrix)
{
	double *centred = checked_array(p->dim, sizeof(*centred));

	for (size_t i = 0; i < p->n; i++) {
		for (unsigned j = 0; j < p->dim; j++)
			centred[j] = point(p, i)[j] - mean[j];
		for (unsigned j = 0; j < p->dim; j++)
			for (unsigned k = 0; k < p->dim; k++)
				matrix[(size_t)j * p->dim + k] += p->weights[i] * centred[j] *
								  centred[k];
	}
	free(centred);
}

/* ---- eigenvectors -------------------------------------------------------------------------- */

static void rotate_pair(double *a, double *b, double cosine, double sine)
{
	double old = *a;

	*a = cosine * old - sine * *b;
	*b = sine * old + cosine * *b;
}

/* Rotates rows and columns p and q so that the elements where they cross become 0. */
static void rotate(struct jacobi *j, unsigned p, unsigned q)
{
	size_t n = j->n;
	double *m = j->matrix, element = m[p * n + q];

	if (element == 0)
		return;
	double theta = (m[q * n + q] - m[p * n + p]) / (2 * element);
	double tangent = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
	double cosine = 1 / hypot(tangent, 1), sine = tangent * cosine;

	for (size_t k = 0; k < n; k++)
		rotate_pair(&m[k * n + p], &m[k * n + q], cosine, sine);
	for (size_t k = 0; k < n; k++)
		rotate_pair(&m[p * n + k], &m[q * n + k], cosine, sine);
	for (size_t k = 0; k < n; k++)
		rotate_pair(&j->vectors[k * n + p], &j->vectors[k * n + q], cosine, sine);
}

static double beside_diagonal(const struct jacobi *j)
{
	double sum = 0;

	for (size_t p = 0; p < j->n; p++)
		for (size_t q = p + 1; q < j->n; q++)
			sum += j->matrix[p * j->n + q] * j->matrix[p * j->n + q];
	return sum;
}

static double trace_of(const struct jacobi *j)
{
	double sum = 0;

	for (size_t i = 0; i < j->n; i++)
		sum += j->matrix[i * j->n + i];
	return sum;
}

static void diagonalize(struct jacobi *j)
{
	double enough = 1e-30 * trace_of(j) * trace_of(j);

	for (unsigned i = 0; i < j->n; i++)
		j->vectors[(size_t)i * j->n + i] = 1;
	for (unsigned sweep = 0; sweep < SWEEPS && beside_diagonal(j) > enough; sweep++)
		for (unsigned p = 0; p + 1 < j->n; p++)
			for (unsigned q = p + 1; q < j->n; q++)
				rotate(j, p, q);
}

/* ---- components ---------------------------------------------------------------------------- */

/* Returns the column of the greatest eigenvalue that is not in `taken`. */
static unsigned next_column(const struct jacobi *j, const bool *taken)
{
	unsigned best = j->n;

	for (unsigned i = 0; i < j->n; i++)
		if (!taken[i] && (best == j->n || j->matrix[(size_t)i * j->n + i] >
							  j->matrix[(size_t)best * j->n + best]))
			best = i;
	return best;
}

/* Returns 1 or -1, by which the greatest coefficient of an eigenvector becomes positive. */
static double sign_of(const struct jacobi *j, unsigned column)
{
	double greatest = 0;

	for (size_t i = 0; i < j->n; i++)
		if (fabs(j->vectors[i * j->n + column]) > fabs(greatest) * (1 + 1e-9))
			greatest = j->vectors[i * j->n + column];
	return greatest < 0 ? -1 : 1;
}

static void add_component(const struct points *p, const double *mean, const struct jacobi *j,
			  unsigned column, unsigned component, struct principal *principal)
{
	double *direction = principal->directions + (size_t)component * p->dim;
	double sign = sign_of(j, column);

	for (unsigned d = 0; d < p->dim; d++)
		direction[d] = sign * j->vectors[(size_t)d * j->n + column];
	for (size_t i = 0; i < p->n; i++)
		for (unsigned d = 0; d < p->dim; d++)
			principal->at[i * principal->components + component] += (point(p, i)[d] -
										 mean[d]) *
										direction[d];
}

void principal_project(const struct points *p, unsigned components, struct principal *principal)
{
	size_t elements = (size_t)p->dim * p->dim;
	struct jacobi j = { p->dim, checked_array(elements, sizeof(double)),
			    checked_array(elements, sizeof(double)) };
	double *mean = mean_of(p);
	bool *taken = checked_array(p->dim, sizeof(*taken));

	*principal = (struct principal){
		.components = components,
		.at = checked_array(p->n * components, sizeof(double)),
		.shares = checked_array(components, sizeof(double)),
		.directions = checked_array((size_t)components * p->dim, sizeof(double)),
	};
	add_covariance(p, mean, j.matrix);
	principal->variance = trace_of(&j);
	diagonalize(&j);
	for (unsigned c = 0; c < components && c < p->dim && principal->variance > 0; c++) {
		unsigned column = next_column(&j, taken);
		double variance = j.matrix[(size_t)column * j.n + column];

		taken[column] = true;
		principal->shares[c] = fmax(0, variance / principal->variance);
		add_component(p, mean, &j, column, c, principal);
	}
	free(taken);
	free(mean);
	free(j.matrix);
	free(j.vectors);
}

void principal_free(struct principal *principal)
{
	free(principal->at);
	free(principal->shares);
	free(principal->directions);
}
