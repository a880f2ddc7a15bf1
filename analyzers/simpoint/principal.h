/* SPDX-License-Identifier: MIT */
/*
 * Principal components (Jolliffe: Principal Component Analysis, 2nd edition, 2002): the directions
 * in which weighted points vary most, for a picture of points of many dimensions.
 */
#ifndef PRINCIPAL_H
#define PRINCIPAL_H

#include "analyzers/simpoint/points.h"

enum { PRINCIPAL_COMPONENTS = 3 }; /* of a picture */

struct principal {
	unsigned components;
	double *at;         /* n * components, point after point */
	double *shares;     /* of the variance, from 0 to 1, in descending order */
	double *directions; /* components * dim: the eigenvectors, of length 1 */
	double variance;    /* the sum of all of them, weighted as the points are */
};

/*
 * Projects points, less their mean, to their first principal components. Missing components, if
 * points have fewer dimensions, are 0. The greatest coefficient of a component is positive, so that
 * the same points have the same picture. Ends the process if memory is out.
 */
void principal_project(const struct points *points, unsigned components,
		       struct principal *principal);
void principal_free(struct principal *principal);

#endif
