/* SPDX-License-Identifier: MIT */
#include "cli/import/drmemtrace_functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"

enum { LINE_SIZE = 4096 };

/* Takes a line "id,arguments,0xpc,name". Other lines are left out. */
static void take_line(struct drmemtrace_functions *functions, char *line)
{
	char *at, *name = line;
	unsigned long long id = strtoull(line, &at, 0), n_args;
	struct drmemtrace_function *function;

	if (at == line || *at != ',')
		return;
	n_args = strtoull(at + 1, &at, 0);
	for (int commas = 0; name && commas < 3; commas++)
		name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL;
	if (*at != ',' || !name)
		return;
	name[strcspn(name, "\r\n")] = 0;
	function = checked(TABLE_PUT(functions->by_id, id));
	if (function->name)
		return;
	function->n_args = n_args < TF_MAX_CALL_ARGS ? (uint32_t)n_args : TF_MAX_CALL_ARGS;
	function->name = checked_copy(name);
}

void drmemtrace_read_functions(struct drmemtrace_functions *functions, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[LINE_SIZE];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		take_line(functions, line);
	fclose(file);
}

uint32_t drmemtrace_function(struct drmemtrace_functions *functions, struct import_job *job,
			     uint64_t id)
{
	struct drmemtrace_function *known = checked(TABLE_PUT(functions->by_id, id));
	struct tf_function function = { .n_args = known->n_args, .name = known->name };
	struct tf_error error;
	char name[40];

	if (known->index)
		return known->index - 1;
	snprintf(name, sizeof(name), "function-%" PRIu64, id);
	if (!function.name) {
		function.name = name;
		function.n_args = TF_MAX_CALL_ARGS;
	}
	if (!code_check(&job->code,
			tf_writer_add_function(job->code.writer, &function, &known->index, &error),
			&error))
		return TF_NONE;
	return known->index++;
}

void drmemtrace_functions_free(struct drmemtrace_functions *functions)
{
	for (size_t i = 0; i < functions->by_id.count; i++)
		free(functions->by_id.at[i].name);
	TABLE_FREE(functions->by_id);
}
