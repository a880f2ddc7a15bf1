/* SPDX-License-Identifier: MIT */
#include "cli/info/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/file_set.h"
#include "cli/common/json_values.h"
#include "cli/common/quantity.h"
#include "cli/common/trace_meta.h"
#include "traceformat/traceformat.h"

enum { MANIFEST_VERSION = 1, TIME_TEXT = 32 };

static const struct report_column columns[] = {
	{ "name", REPORT_STRING, "" },
	{ "bytes", REPORT_U64, "" },
	{ "sha256", REPORT_STRING, "" },
	{ "uuid", REPORT_STRING, "" },
	{ "format", REPORT_STRING, "" },
	{ "instructions", REPORT_U64, "" },
	{ "complete", REPORT_STRING, "" },
	{ "created", REPORT_STRING, "" },
	{ "program", REPORT_STRING, "" },
	{ "command", REPORT_STRING, "" },
	{ "recorder", REPORT_STRING, "" },
	{ "recorder_options", REPORT_STRING, "" },
	{ NULL, 0, NULL },
};

enum { PROGRAM, COMMAND, RECORDER, RECORDER_OPTIONS, N_TEXTS };
static const char *const meta_keys[N_TEXTS] = {
	[PROGRAM] = "exe.path",
	[COMMAND] = "command.argv",
	[RECORDER] = "recorder.version",
	[RECORDER_OPTIONS] = "recorder.options",
};

/* The facts of a file of a set. */
struct file_facts {
	bool is_trace;
	struct tf_info info;
	char *texts[N_TEXTS]; /* NULL: META has none */
};

/* The sums of a set. */
struct sums {
	uint64_t traces, instructions, bytes;
	uint64_t first_ns, last_ns; /* times of creation, 0: not known */
};

/* Writes a time, or "" if it is not known. */
static const char *time_text(uint64_t ns, const char *format, char text[TIME_TEXT])
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm utc;

	if (!ns || !gmtime_r(&seconds, &utc) || !strftime(text, TIME_TEXT, format, &utc))
		*text = 0;
	return text;
}

static void put_other_file(struct report *report, const struct set_file *file)
{
	struct report_cell cells[sizeof(columns) / sizeof(*columns) - 1] = {
		{ .known = true, .string = file->name },
		{ .known = true, .u64 = file->size },
		{ .known = true, .string = file->sha256 },
	};

	report_row_of_cells(report, cells);
}

static void put_trace(struct report *report, const struct set_file *file,
		      const struct file_facts *facts)
{
	const struct tf_info *info = &facts->info;
	char uuid[UUID_TEXT], format[16], created[TIME_TEXT];
	struct report_cell cells[] = {
		{ .known = true, .string = file->name },
		{ .known = true, .u64 = file->size },
		{ .known = true, .string = file->sha256 },
		{ .known = true, .string = uuid_text(info->uuid, uuid) },
		{ .known = true, .string = format },
		{ .known = true, .u64 = info->totals.instructions },
		{ .known = true, .string = info->complete ? "yes" : "no" },
		{ .known = info->created_ns != 0,
		  .string = time_text(info->created_ns, "%Y-%m-%dT%H:%M:%SZ", created) },
		{ 0 },
		{ 0 },
		{ 0 },
		{ 0 },
	};

	sprintf(format, "%u.%u", info->major, info->minor);
	for (unsigned i = 0; i < N_TEXTS; i++)
		cells[8 + i] = (struct report_cell){ .known = facts->texts[i] != NULL,
						     .string = facts->texts[i] };
	report_row_of_cells(report, cells);
}

/* Reads the facts of a file. Returns false after a message. */
static bool read_facts(const struct set_file *file, struct file_facts *facts)
{
	struct tf_reader *reader = NULL;
	struct tf_error error;
	int status;

	facts->is_trace = tf_file_kind(file->path) != TF_FILE_OTHER;
	if (!facts->is_trace)
		return true;
	status = tf_open(file->path, &reader, &error);
	if (status == 0)
		status = tf_get_info(reader, &facts->info, &error);
	for (unsigned i = 0; i < N_TEXTS && status == 0; i++) {
		const char *text = tf_meta(reader, meta_keys[i]);

		facts->texts[i] = text ? checked_copy(text) : NULL;
	}
	if (status < 0)
		command_error("%s", error.text);
	tf_close(reader);
	return status == 0;
}

/* Adds what a file has to the sums of the set. */
static void sum_file(const struct set_file *file, const struct file_facts *facts, struct sums *sums)
{
	uint64_t created = facts->info.created_ns;

	sums->bytes += file->size;
	if (!facts->is_trace)
		return;
	sums->traces++;
	sums->instructions += facts->info.totals.instructions;
	if (created && (!sums->first_ns || created < sums->first_ns))
		sums->first_ns = created;
	if (created > sums->last_ns)
		sums->last_ns = created;
}

/* Reports a sentence by which an article can name the set. */
static void put_citation(struct report *report, const struct sums *sums, const char *hash)
{
	char text[512], first[TIME_TEXT], last[TIME_TEXT], traces[COUNT_SIZE], insns[COUNT_SIZE];
	bool dated = *time_text(sums->first_ns, "%Y-%m-%d", first);

	time_text(sums->last_ns, "%Y-%m-%d", last);
	snprintf(text, sizeof(text),
		 "Set of %s execution trace%s of %s instructions%s%s%s%s, in the format of "
		 "tracelab, SHA-256 %s",
		 format_count(sums->traces, traces), sums->traces == 1 ? "" : "s",
		 format_count(sums->instructions, insns), dated ? ", recorded " : "",
		 dated ? first : "", dated && strcmp(first, last) ? " to " : "",
		 dated && strcmp(first, last) ? last : "", hash);
	report_string(report, "citation", text);
}

/* JSON has only UTF-8; a name that is not would be another one for the receiver. */
static bool check_names(const struct file_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		json_t *name = json_string(set->at[i].name);

		if (!name || strchr(set->at[i].name, '\n')) {
			command_error("%s: its name is not UTF-8, or has a line break; rename the "
				      "file",
				      set->at[i].path);
			json_decref(name);
			return false;
		}
		json_decref(name);
	}
	return true;
}

static bool collect(struct file_set *set, char **paths, int n)
{
	struct stat first;
	bool good = true;

	if (n == 1 && stat(paths[0], &first) == 0 && S_ISDIR(first.st_mode))
		good = file_set_add_folder(set, paths[0], NULL);
	else
		for (int i = 0; i < n && good; i++)
			good = file_set_add_file(set, paths[i]);
	if (good && !set->count) {
		command_error("%s: has no files", paths[0]);
		good = false;
	}
	good = good && file_set_sort(set) && check_names(set);
	for (size_t i = 0; i < set->count && good; i++)
		good = file_set_hash(&set->at[i]);
	return good;
}

static void free_facts(struct file_facts *facts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < N_TEXTS; k++)
			free(facts[i].texts[k]);
	free(facts);
}

/* Reads the facts of all files; NULL after a message. */
static struct file_facts *read_all_facts(const struct file_set *set)
{
	struct file_facts *facts = checked_array(set->count, sizeof(*facts));

	for (size_t i = 0; i < set->count; i++)
		if (!read_facts(&set->at[i], &facts[i])) {
			free_facts(facts, i);
			return NULL;
		}
	return facts;
}

static void print(const struct file_set *set, const struct file_facts *facts,
		  enum report_format format)
{
	struct report *report = report_begin(stdout, format);
	struct sums sums = { 0 };
	char hash[SHA256_TEXT];

	for (size_t i = 0; i < set->count; i++)
		sum_file(&set->at[i], &facts[i], &sums);
	file_set_hash_all(set, hash);
	report_u64(report, "manifest_version", "", MANIFEST_VERSION);
	report_string(report, "tracelab", TRACELAB_VERSION);
	report_u64(report, "traces", "", sums.traces);
	report_u64(report, "instructions", "", sums.instructions);
	report_u64(report, "bytes", "", sums.bytes);
	report_string(report, "sha256", hash);
	put_citation(report, &sums, hash);
	report_table(report, "files", columns);
	for (size_t i = 0; i < set->count; i++)
		if (facts[i].is_trace)
			put_trace(report, &set->at[i], &facts[i]);
		else
			put_other_file(report, &set->at[i]);
	report_end(report);
}

int manifest_print(char **paths, int n, enum report_format format)
{
	struct file_set set = { 0 };
	struct file_facts *facts = collect(&set, paths, n) ? read_all_facts(&set) : NULL;

	if (facts) {
		print(&set, facts, format);
		free_facts(facts, set.count);
	}
	file_set_free(&set);
	return facts ? EXIT_DONE : EXIT_FAILED;
}
