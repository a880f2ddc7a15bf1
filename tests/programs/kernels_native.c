/* flags: -O3 -march=native -ffast-math -static -lm */
/* SPDX-License-Identifier: MIT */
#include "kernels.h"
