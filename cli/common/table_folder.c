/* SPDX-License-Identifier: MIT */
#include "cli/common/table_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/report_tables.h"
#include "cli/common/save_file.h"

bool names_folder(const char *path)
{
	size_t length = path ? strlen(path) : 0;
	struct stat status;

	return length &&
	       (path[length - 1] == '/' || (!stat(path, &status) && S_ISDIR(status.st_mode)));
}

int make_folder(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return 0;
	command_error("%s: %m", path);
	return EXIT_FAILED;
}

int save_tables(const struct report *report, const char *folder)
{
	int status = 0;

	for (size_t i = 0; i < report_count_tables(report) && !status; i++) {
		char *path = text_format("%s/%s.csv", folder, report_table_name(report, i));
		struct save_file *file = save_file_begin(path);

		status = EXIT_FAILED;
		if (file) {
			report_write_table(report, i, save_file_stream(file));
			status = save_file_end(file);
		}
		free(path);
	}
	return status;
}

int refuse_folder(const char *path)
{
	return command_usage_error("--output=%s: a folder receives tables only with --format=csv",
				   path);
}
