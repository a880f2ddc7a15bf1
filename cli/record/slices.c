/* SPDX-License-Identifier: MIT */
#include "cli/record/slices.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/output_trace.h"
#include "cli/common/unfinished.h"
#include "cli/record/summary.h"
#include "traceformat/tracewriter.h"

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

int windows_record(const struct arguments *a, struct record_result *result)
{
	struct tf_error error;
	int status = record_run(&a->options, result, &error);

	if (status < 0)
		command_error("%s", error.text);
	if (a->options.stats)
		summary_put(a, result);
	return status;
}

void slice_remove_old(const char *path)
{
	if (tf_file_kind(path) != TF_FILE_OTHER)
		unlink(path);
}

bool slice_cut(const struct arguments *a, struct tf_reader *windows,
	       const struct window_slice *slice, const char *path, uint64_t *bytes)
{
	struct unfinished *unfinished = unfinished_file(path);
	struct tf_slice cut = {
		.size = sizeof(cut),
		.thread = tf_n_threads(windows) == 1 ? 0 : TF_MERGED,
		.first = slice->first,
		.count = slice->count,
		.warmup = slice->warmup,
		.meta = slice->meta->lines,
		.n_meta = slice->meta->count,
	};
	struct tf_error error;
	struct stat file;
	int status = tf_cut(windows, &cut, path, &error);

	unfinished_end(unfinished);
	if (status < 0) {
		command_error("%s", error.text);
		return false;
	}
	if (stat(path, &file) == 0)
		*bytes += (uint64_t)file.st_size;
	return !a->options.mode || set_trace_mode(path, (mode_t)a->options.mode) == EXIT_DONE;
}
