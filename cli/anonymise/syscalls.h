/* SPDX-License-Identifier: MIT */
/* Kinds of the arguments and results of system calls of x86-64 Linux. */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_PLAIN,
	VALUE_LENGTH, /* of memory, in bytes; it may be the exact size of a file */
	VALUE_POINTER,
	VALUE_PROCESS,
	VALUE_THREAD
};

struct syscall_values {
	uint16_t number;
	uint8_t args[6]; /* enum value_kind */
	uint8_t result;  /* likewise; of a result that is no error */
};

/* Returns what is known about a system call; of most ones nothing is. */
const struct syscall_values *syscall_values(uint64_t number);

/* Returns whether a result is an error number. */
static inline bool is_error_result(int64_t result)
{
	return result < 0 && result >= -4095;
}

#endif
