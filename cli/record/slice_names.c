/* SPDX-License-Identifier: MIT */
#include "cli/record/slice_names.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *slice_prefix(const struct arguments *a)
{
	const char *output = a->options.output, *program = base_name(a->options.argv[0]);
	size_t length = output ? strlen(output) : 0;

	if (!output)
		return checked_copy(program);
	if (length && output[length - 1] == '/') {
		if (mkdir(output, 0777) == 0 || errno == EEXIST)
			return text_format("%s%s", output, program);
		command_error("%s: %m", output);
		return NULL;
	}
	return is_folder(output) ? text_format("%s/%s", output, program) : checked_copy(output);
}

char *windows_name(const char *prefix)
{
	return text_format("%s.windows.trace", prefix);
}

char *slice_name(const char *prefix, uint64_t number)
{
	return text_format("%s.%" PRIu64 ".trace", prefix, number);
}
