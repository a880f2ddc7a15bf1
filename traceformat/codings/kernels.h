/* SPDX-License-Identifier: MIT */
/* The inner loops of encoding that have variants for instruction sets, chosen once by the CPU. */
#ifndef KERNELS_H
#define KERNELS_H

#include "traceformat/common/bytes.h"

/*
 * The planes of residuals (residuals.h), and the bits of a residual before those of the last plane.
 */
enum { RESIDUAL_PLANES = 4, RESIDUAL_REST_SHIFT = 21 };

/* Bytes, or differences, behind what a kernel has to write, that it may write too. */
enum { SPAN_SLACK = 8 };

struct slot_encoder;
struct slot_record;

struct kernels {
	const char *name;
	/*
	 * Encodes records into hits, with room for them, and differences, with room for all slots
	 * and SPAN_SLACK more. Returns the number of differences.
	 */
	size_t (*encode_slots)(struct slot_encoder *encoder, const struct slot_record *records,
			       unsigned n, uint64_t *differences);
	/*
	 * Does what residuals_put does; the planes have room for SPAN_SLACK bytes more than they
	 * can take.
	 */
	void (*put_residuals)(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
			      size_t n);
};

/* Returns the fastest kernels that this CPU can run. */
const struct kernels *kernels(void);

/*
 * Returns variant i, or NULL if there is none or this CPU cannot run it. *more is false after the
 * last variant.
 */
const struct kernels *kernels_variant(unsigned i, bool *more);

size_t encode_slots_scalar(struct slot_encoder *encoder, const struct slot_record *records,
			   unsigned n, uint64_t *differences);
void put_residuals_scalar(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
			  size_t n);
size_t encode_slots_avx2(struct slot_encoder *encoder, const struct slot_record *records,
			 unsigned n, uint64_t *differences);
void put_residuals_avx2(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
			size_t n);
size_t encode_slots_avx512(struct slot_encoder *encoder, const struct slot_record *records,
			   unsigned n, uint64_t *differences);
void put_residuals_avx512(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
			  size_t n);

#endif
