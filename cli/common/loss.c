/* SPDX-License-Identifier: MIT */
#include "cli/common/loss.h"

#include <inttypes.h>

#include "cli/common/command.h"
#include "cli/common/quantity.h"

static void note_restored(const char *path, const struct tf_info *info)
{
	char count[COUNT_SIZE];

	if (info->n_sections_restored)
		command_note("%s: %s %s damaged, and %s; trace-repair makes it whole", path,
			     format_count(info->n_sections_restored, count),
			     noun(info->n_sections_restored, "section is", "sections are"),
			     noun(info->n_sections_restored, "was read from its copy",
				  "were read from their copies"));
}

static void note_contradiction(const char *path, const struct tf_info *info)
{
	char found[COUNT_SIZE], stated[COUNT_SIZE];

	if (info->stated_instructions != info->found_instructions || !info->missing_instructions)
		command_warning(
			"%s: trace contradicts itself: its chunks have %s instructions, its end "
			"says %s",
			path, format_count(info->found_instructions, found),
			format_count(info->stated_instructions, stated));
	else
		command_warning(
			"%s: trace contradicts itself: %s instructions are missing before or "
			"between its chunks, though no section is",
			path, format_count(info->missing_instructions, found));
}

void note_loss(const char *path, const struct tf_info *info)
{
	uint64_t n_sections = (uint64_t)info->n_sections + info->n_sections_lost;
	char usable[COUNT_SIZE], all[COUNT_SIZE], instructions[COUNT_SIZE], bytes[COUNT_SIZE];

	note_restored(path, info);
	if (!info->consistent)
		note_contradiction(path, info);
	if (info->complete || (!info->consistent && !info->n_sections_lost && !info->bytes_lost))
		return;
	command_note("%s: %s: %s of %s %s usable, %s %s; %s %s lost", path,
		     info->closed ? "trace is damaged" : "trace was not closed",
		     format_count(info->n_sections, usable), format_count(n_sections, all),
		     noun(n_sections, "section", "sections"),
		     format_count(info->totals.instructions, instructions),
		     noun(info->totals.instructions, "instruction", "instructions"),
		     format_count(info->bytes_lost, bytes),
		     noun(info->bytes_lost, "byte", "bytes"));
}

void note_opaque(const char *path, const struct tf_info *info)
{
	char opaque[COUNT_SIZE], all[COUNT_SIZE];

	command_warning("%s: the data accesses of %s of %s instructions are not known (opaque "
			"instructions) and are missing from the result",
			path, format_count(info->totals.opaque, opaque),
			format_count(info->totals.instructions, all));
}

void note_repetitions(const char *path, const struct tf_info *info)
{
	static const uint64_t minutes = UINT64_C(1) << 32; /* take 10 to 50 ns each */
	char repetitions[COUNT_SIZE];

	if (info->totals.repetitions >= minutes)
		command_warning("%s: %s repetitions of string instructions, which are taken one by "
				"one, may take long",
				path, format_count(info->totals.repetitions, repetitions));
}

bool check_readable(const char *path, const struct tf_info *info)
{
	if (!info->consistent)
		return false;
	if (!info->bytes_lost || info->totals.instructions || info->n_samples)
		return true;
	command_error("%s: not one instruction can be read", path);
	return false;
}

bool has_only_vectors(const struct tf_info *info)
{
	return info->n_vectors && !info->totals.instructions;
}

bool check_recorded(const char *path, const struct tf_info *info)
{
	if (info->totals.instructions || info->n_samples || info->n_vectors || info->bytes_lost)
		return true;
	command_error("%s: nothing was recorded: the trace has no instruction and no sample", path);
	return false;
}

bool check_thread(const char *path, uint64_t thread, uint32_t n_threads)
{
	if (thread < n_threads)
		return true;
	if (n_threads > 1)
		command_error("%s has no thread %" PRIu64 ": its threads are 0 to %" PRIu32, path,
			      thread, n_threads - 1);
	else if (n_threads)
		command_error("%s has no thread %" PRIu64 ": its only thread is 0", path, thread);
	else
		command_error("%s has no threads", path);
	return false;
}

bool check_thread_record(const char *path, const struct tf_reader *reader, uint32_t thread)
{
	if (tf_thread(reader, thread))
		return true;
	command_error("%s: the record of thread %" PRIu32 " is lost; choose another thread", path,
		      thread);
	return false;
}

void note_beyond(struct tf_reader *reader, uint32_t thread, uint64_t from)
{
	char wanted[COUNT_SIZE], there[COUNT_SIZE];
	struct tf_totals totals = { 0 };
	struct tf_info info;

	if (thread != TF_MERGED)
		tf_get_thread_totals(reader, thread, &totals, NULL);
	else if (tf_get_info(reader, &info, NULL) == 0)
		totals = info.totals;
	command_warning("nothing was executed from instruction %s on; there %s %s",
			format_count(from, wanted), noun(totals.instructions, "is", "are"),
			format_count(totals.instructions, there));
}
