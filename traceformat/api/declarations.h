/* SPDX-License-Identifier: MIT */
/* The declarations of the interface have C names, and are seen outside of the shared library. */
#ifndef TRACEFORMAT_API_DECLARATIONS_H
#define TRACEFORMAT_API_DECLARATIONS_H

#ifdef __cplusplus
#define TF_BEGIN_DECLARATIONS                              \
	_Pragma("GCC visibility push(default)") extern "C" \
	{
#define TF_END_DECLARATIONS \
	}                   \
	_Pragma("GCC visibility pop")
#else
#define TF_BEGIN_DECLARATIONS _Pragma("GCC visibility push(default)")
#define TF_END_DECLARATIONS   _Pragma("GCC visibility pop")
#endif

#endif
