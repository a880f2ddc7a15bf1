/* SPDX-License-Identifier: MIT */
#include "cli/common/plan_marker.h"

#include "cli/common/json_values.h"

bool plan_marker_read(const json_t *object, struct plan_marker *marker)
{
	*marker = (struct plan_marker){ 0 };
	if (json_is_null(object))
		return true;
	marker->module = json_read_text(object, "module");
	marker->build_id = json_read_text(object, "build_id");
	if (marker->build_id && !*marker->build_id)
		marker->build_id = NULL;
	return json_read_address(object, "pc", &marker->pc) &&
	       (!marker->module || json_read_address(object, "offset", &marker->offset)) &&
	       json_read_number(object, "count", &marker->count) && marker->count;
}
