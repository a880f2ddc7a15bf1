/* SPDX-License-Identifier: MIT */
/* Whose processor a trace was recorded on. */
#ifndef VENDOR_H
#define VENDOR_H

#include "traceformat/traceisa.h"

/* Traces of before it was recorded are Intel's. */
static inline enum isa_vendor recorded_vendor(struct tf_reader *reader)
{
	return isa_vendor_of(tf_meta(reader, "host.cpu.vendor"));
}

#endif
