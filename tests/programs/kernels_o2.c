/* flags: -O2 -static -lm */
/* SPDX-License-Identifier: MIT */
#include "kernels.h"
