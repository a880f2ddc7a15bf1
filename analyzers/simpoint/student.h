/* SPDX-License-Identifier: MIT */
/* Student's distribution. */
#ifndef STUDENT_H
#define STUDENT_H

/*
 * Returns the t that a variable of this distribution exceeds in absolute value with the probability
 * 1 - confidence. freedom: degrees of freedom, above 0, not necessarily whole; infinite: the normal
 * distribution. confidence: 0 to 1, both excluded. Relative error: below 1e-9.
 */
double student_quantile(double confidence, double freedom);

#endif
