/* flags: -Os -no-pie -fcf-protection=none -mindirect-branch=thunk -mfunction-return=thunk -static -lm */
/* SPDX-License-Identifier: MIT */
#include "kernels.h"
