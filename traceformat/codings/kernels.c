/* SPDX-License-Identifier: MIT */
#include "traceformat/codings/kernels.h"

static bool always(void)
{
	return true;
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/* The variants, the fastest one last. */
static const struct {
	struct kernels kernels;
	bool (*runs)(void);
} variants[] = {
	{ { "scalar", encode_slots_scalar, put_residuals_scalar }, always },
	{ { "avx2", encode_slots_avx2, put_residuals_avx2 }, has_avx2 },
	{ { "avx512", encode_slots_avx512, put_residuals_avx512 }, has_avx512 },
};

enum { VARIANTS = sizeof(variants) / sizeof(*variants) };

const struct kernels *kernels_variant(unsigned i, bool *more)
{
	*more = i + 1 < VARIANTS;
	return i < VARIANTS && variants[i].runs() ? &variants[i].kernels : NULL;
}

const struct kernels *kernels(void)
{
	static unsigned chosen; /* number + 1; threads that choose at the same time choose alike */
	unsigned i = __atomic_load_n(&chosen, __ATOMIC_RELAXED);

	if (!i) {
		i = VARIANTS;
		while (!variants[i - 1].runs())
			i--;
		__atomic_store_n(&chosen, i, __ATOMIC_RELAXED);
	}
	return &variants[i - 1].kernels;
}
