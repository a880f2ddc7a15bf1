/* SPDX-License-Identifier: MIT */
#include "cli/report/saved.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

json_t *saved_result(const char *folder, const char *command, const char *options)
{
	const char *analyzer = command + strlen("trace-");
	char *path = text_format("%s/%s%s.json", folder, analyzer, *options ? ".report" : "");
	json_t *file = json_load_file(path, 0, NULL);
	json_t *result = json_incref(*options ? json_object_get(file, options + 1) : file);

	free(path);
	json_decref(file);
	if (json_is_true(json_object_get(result, "complete")))
		return result;
	json_decref(result);
	return NULL;
}
