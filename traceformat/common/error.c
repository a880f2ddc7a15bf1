/* SPDX-License-Identifier: MIT */
#include "traceformat/common/error.h"

#include <stdarg.h>
#include <stdio.h>

int fail_at(struct tf_error *error, enum tf_status status, uint64_t offset, uint32_t section,
	    const char *format, ...)
{
	va_list args;

	if (!error)
		return status;
	error->status = status;
	error->offset = offset;
	error->section = section;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return status;
}

const char *tf_status_name(enum tf_status status)
{
	switch (status) {
	case TF_OK: return "ok";
	case TF_E_IO: return "input/output";
	case TF_E_MEMORY: return "out of memory";
	case TF_E_FOREIGN: return "not a trace";
	case TF_E_VERSION: return "newer version";
	case TF_E_DAMAGED: return "damaged";
	case TF_E_TRUNCATED: return "truncated";
	case TF_E_ARGUMENT: return "bad argument";
	}
	return "unknown";
}

const char *tf_version(void)
{
	return "libtraceformat " TRACELAB_VERSION;
}
