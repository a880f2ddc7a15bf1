/* SPDX-License-Identifier: MIT */
#include "cli/common/loss.h"

#include <inttypes.h>

#include "cli/common/command.h"

void note_loss(const char *path, const struct tf_info *info)
{
	char instructions[COUNT_SIZE], bytes[COUNT_SIZE];

	if (info->complete)
		return;
	command_note("%s: %s: %" PRIu32 " of %" PRIu32 " sections usable, %s instructions; "
		     "%s bytes lost",
		     path, *info->stop_reason ? "trace is damaged" : "trace was not closed",
		     info->n_sections, info->n_sections + info->n_sections_lost,
		     format_count(info->totals.instructions, instructions),
		     format_count(info->bytes_lost, bytes));
}
