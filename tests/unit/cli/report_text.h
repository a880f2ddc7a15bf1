/* SPDX-License-Identifier: MIT */
/* Reports that are written to memory. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "cli/common/tracereport.h"
#include "tests/unit/run_suite.h"

static char *output; /* the text, once the stream is closed or flushed */
static size_t output_size;
static FILE *out;

static inline struct report *begin(enum report_format format)
{
	out = open_memstream(&output, &output_size);
	ck_assert_ptr_nonnull(out);
	return report_begin(out, format);
}

static inline void end(struct report *report)
{
	report_end(report);
	fclose(out);
}

/* Checks the text of a report that has ended. */
static inline void assert_output(const char *expected)
{
	ck_assert_str_eq(output, expected);
	free(output);
}

#endif
