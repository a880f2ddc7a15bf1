/* SPDX-License-Identifier: MIT */
#include "cli/export/export_checks.h"

#include <string.h>

#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/trace_input.h"
#include "cli/export/formats.h"

int export_check_trace(const struct tf_info *info, const struct export_request *r)
{
	note_loss(r->trace, info);
	if (!check_readable(r->trace, info) || !check_recorded(r->trace, info))
		return EXIT_FAILED;
	if (has_only_vectors(info) || !info->totals.instructions) {
		command_error("%s has no executions of instructions to export; record them by "
			      "trace-record without --vectors",
			      r->trace);
		return EXIT_UNSUITABLE;
	}
	if (r->format->code && info->code_withheld && !r->options.regdeps) {
		command_error("%s withholds its code bytes, which %s needs%s", r->trace,
			      r->format->name, r->format == &drmemtrace ? "; use --regdeps" : "");
		return EXIT_UNSUITABLE;
	}
	if (r->format->addresses && !info->has_addresses) {
		command_error("%s has no addresses, which %s needs; record without --no-addresses",
			      r->trace, r->format->name);
		return EXIT_UNSUITABLE;
	}
	return r->thread == UINT64_MAX || check_thread(r->trace, r->thread, info->n_threads)
		       ? EXIT_DONE
		       : EXIT_UNSUITABLE;
}

int export_find_region(struct tf_reader *reader, const struct export_request *r, uint32_t *index)
{
	const struct tf_region *region;

	*index = TF_NONE;
	for (uint32_t i = 0; r->region && i < tf_n_regions(reader); i++) {
		region = tf_region(reader, i);
		if (region && !strcmp(region->name, r->region)) {
			*index = i;
			return EXIT_DONE;
		}
	}
	if (!r->region)
		return EXIT_DONE;
	region = tf_region(reader, 0);
	if (region)
		command_error("%s has no region '%s'; its first is '%s'", r->trace, r->region,
			      region->name);
	else
		command_error("%s has no regions", r->trace);
	return EXIT_UNSUITABLE;
}

void export_check_suffix(const struct export_request *r)
{
	const char *suffix = pack_suffix(r->out);

	if (r->format->suffixes && !strstr(r->format->suffixes, suffix))
		command_warning(
			"%s: tools for %s do not read %s files; they read plain files and %s",
			shown_name(r->out), r->format->name, suffix, r->format->suffixes);
}
