/* flags: -O0 -static -lm */
/* SPDX-License-Identifier: MIT */
#include "kernels.h"
