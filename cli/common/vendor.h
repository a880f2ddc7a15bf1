/* SPDX-License-Identifier: MIT */
/* The vendor of the processor that a trace was recorded on. */
#ifndef VENDOR_H
#define VENDOR_H

#include "traceformat/traceisa.h"

/* Returns the recorded vendor, or Intel for old traces without one. */
static inline enum isa_vendor recorded_vendor(struct tf_reader *reader)
{
	return isa_vendor_of(tf_meta(reader, "host.cpu.vendor"));
}

#endif
