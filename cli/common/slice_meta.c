/* SPDX-License-Identifier: MIT */
#include "cli/common/slice_meta.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void slice_meta_add(struct slice_meta *meta, const char *key, const char *format, ...)
{
	char *text = meta->texts[meta->count];
	va_list values;

	assert(meta->count < SLICE_META_LINES);
	va_start(values, format);
	vsnprintf(text, SLICE_META_TEXT, format, values);
	va_end(values);
	meta->lines[meta->count++] = (struct tf_meta_line){ key, text };
}

void slice_meta_add_point(struct slice_meta *meta, const struct slice_point *point)
{
	slice_meta_add(meta, "slice.cluster", "%" PRIu64, point->cluster);
	if (point->interval != UINT64_MAX)
		slice_meta_add(meta, "slice.interval", "%" PRIu64, point->interval);
	if (point->interval_size)
		slice_meta_add(meta, "slice.interval-size", "%" PRIu64, point->interval_size);
	slice_meta_add(meta, "slice.counter", "%s", point->exact ? "exact" : "exp-bbv");
	if (!isnan(point->weight))
		slice_meta_add(meta, "slice.weight", "%.17g", point->weight);
	if (!isnan(point->multiplier))
		slice_meta_add(meta, "slice.multiplier", "%.17g", point->multiplier);
}
