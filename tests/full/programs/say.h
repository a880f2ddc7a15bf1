/* SPDX-License-Identifier: MIT */
/* Output for the programs in this folder. Each line is written at once, so that no child
 * inherits an unwritten one. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...)
{
	char line[512];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (write(1, line, (size_t)size) < 0)
		_exit(99);
}
