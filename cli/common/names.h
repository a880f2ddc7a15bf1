/* SPDX-License-Identifier: MIT */
/* Names of Linux x86-64 numbers. Each returns a constant string, or NULL for an unknown number. */
#ifndef NAMES_H
#define NAMES_H

#include <stdint.h>

/* "write" for 1: the 64-bit table, also for calls made through int 0x80. */
const char *syscall_name(uint64_t number);

/* "SIGSEGV" for 11; NULL for real-time signals. */
const char *signal_name(uint32_t number);

#endif
