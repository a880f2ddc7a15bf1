/* SPDX-License-Identifier: MIT */
#include "cli/common/loss.h"

#include <inttypes.h>

#include "cli/common/command.h"

void note_loss(const char *path, const struct tf_info *info)
{
	if (info->complete)
		return;
	command_note("%s: %s: %" PRIu32 " of %" PRIu32 " sections usable, %" PRIu64
		     " instructions; %" PRIu32 " sections (%" PRIu64 " bytes) lost",
		     path, *info->stop_reason ? "trace is damaged" : "trace was not closed",
		     info->n_sections, info->n_sections + info->n_sections_lost,
		     info->totals.instructions, info->n_sections_lost, info->bytes_lost);
}
