/* SPDX-License-Identifier: MIT */
/* The note beside a file or folder, and the summary. */
#include "cli/common/base_name.h"
#include "cli/common/command.h"
#include "cli/common/output_trace.h"
#include "cli/common/save_file.h"
#include "cli/common/trace_meta.h"
#include "cli/export/thread_export.h"

static void add_files(struct report *report, const struct export_result *result)
{
	static const struct report_column columns[] = {
		{ "file", REPORT_STRING, "" },
		{ "thread", REPORT_ID, "" },
		{ "instructions", REPORT_U64, "" },
		{ "records", REPORT_U64, "" },
		{ "uncompressed_bytes", REPORT_U64, "" },
		{ 0 },
	};

	report_table(report, "files", columns);
	for (size_t i = 0; i < result->files.count; i++) {
		const struct export_file *f = &result->files.at[i];

		report_row(report, f->name, f->thread, f->instructions, f->records, f->bytes);
	}
}

static struct report *begin_report(const struct export_request *r, const char *uuid,
				   const struct export_result *result, const char *path, FILE *out,
				   enum report_format form)
{
	bool folder = r->format->file_name;
	struct report *report = report_begin(out, form);

	report_string(report, folder ? "folder" : "file", path);
	report_string(report, "to", r->format->name);
	report_string(report, "trace_uuid", uuid);
	if (!folder)
		report_id(report, "thread", result->thread);
	if (r->region)
		report_string(report, "region", r->region);
	report_u64(report, "first", "", r->first);
	report_u64(report, "instructions", "", result->instructions);
	report_u64(report, "records", "", result->records);
	report_u64(report, "uncompressed_bytes", "", result->bytes);
	for (int i = 0; i < N_LOSSES; i++)
		if (result->lost[i]) {
			report_u64(report, loss_name(i), "", result->lost[i]);
			report_define(report, loss_name(i), loss_meaning(i));
		}
	if (folder)
		add_files(report, result);
	return report;
}

static void print_summary(const struct export_request *r, const struct export_result *result,
			  struct summaries *summaries)
{
	if (r->quiet)
		return;
	if (summaries->is_array)
		fputs(summaries->count ? ",\n" : "[\n", stdout);
	summaries->count++;
	report_end(begin_report(r, summaries->uuid, result, result->path, stdout, r->report));
}

void end_summaries(const struct summaries *summaries)
{
	if (summaries->is_array && summaries->count)
		fputs("]\n", stdout);
}

int tell_result(const struct export_request *r, const struct export_result *result,
		const char *note, struct summaries *summaries)
{
	struct save_file *file = save_file_begin(note);
	int status;

	if (!file)
		return EXIT_FAILED;
	report_end(begin_report(r, summaries->uuid, result, base_name(result->path),
				save_file_stream(file), REPORT_JSON));
	status = save_file_end(file);
	if (status == EXIT_DONE)
		status = set_trace_mode(note, r->mode);
	if (status == EXIT_DONE)
		print_summary(r, result, summaries);
	return status;
}
