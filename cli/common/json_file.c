/* SPDX-License-Identifier: MIT */
#include "cli/common/json_file.h"

#include "cli/common/command.h"
#include "cli/common/input_file.h"

json_t *json_file_read(const char *path, const char *kind)
{
	json_error_t error;
	json_t *root;

	if (!expect_file(path, kind, ACCEPT_JSON))
		return NULL;
	root = json_load_file(path, 0, &error);
	if (json_is_object(root))
		return root;
	if (!root && json_error_code(&error) == json_error_cannot_open_file)
		command_error("%s: %m", shown_name(path));
	else
		command_error("%s: is not %s", path, kind);
	json_decref(root);
	return NULL;
}
