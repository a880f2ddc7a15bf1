/* SPDX-License-Identifier: MIT */
/* Into how many planes differences are taken apart (residuals.h), and the bits before the last one. */
#ifndef MISS_PLANES_H
#define MISS_PLANES_H

enum { MISS_PLANES = 4, MISS_REST_SHIFT = 21 };

#endif
