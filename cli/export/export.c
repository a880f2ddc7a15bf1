/* SPDX-License-Identifier: MIT */
#include "cli/export/export.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/memory_watch.h"
#include "cli/common/output_trace.h"
#include "cli/common/trace_input.h"
#include "cli/common/trace_meta.h"
#include "cli/common/unfinished.h"
#include "cli/export/export_checks.h"
#include "cli/export/thread_export.h"

/* An export of a trace. */
struct job {
	struct tf_reader *reader;
	const struct export_request *r;
	uint32_t region; /* or TF_NONE */
	bool addresses;  /* the trace has them */
	void *shared;    /* by all threads */
	struct summaries *summaries;
};

/* ---- a thread ---------------------------------------------------------------------------- */

static bool is_zip(const struct export_request *r)
{
	return r->format->file_name && !r->options.plain;
}

/* Adds what was written for a thread to the result. */
static void add_to_result(struct export_result *result, const struct export_run *e,
			  const char *path)
{
	CHECKED_RESERVE(result->files, result->files.count + 1);
	result->files.at[result->files.count++] = (struct export_file){
		checked_copy(base_name(path)), e->thread, e->instructions, e->records, e->bytes,
	};
	result->instructions += e->instructions;
	result->records += e->records;
	result->bytes += e->bytes;
	for (int i = 0; i < N_LOSSES; i++)
		result->lost[i] += e->lost[i];
}

/*
 * Writes the file of a thread, unless the file would be empty, and adds it to the result.
 * Returns an exit code.
 */
static int write_file(const struct job *job, struct export_run *e, const char *path,
		      struct export_result *result)
{
	int status, written;

	e->out = is_zip(job->r) ? pack_open_zip(path) : pack_open(path);
	if (!e->out)
		return EXIT_FAILED;
	status = write_thread(e, job->r, job->region);
	if (status == EXPORT_UNUSABLE) {
		pack_drop(e->out);
		return EXIT_FAILED;
	}
	e->bytes = pack_size(e->out);
	if (!e->instructions) {
		pack_drop(e->out);
		return status;
	}
	written = pack_end(e->out);
	if (written == EXIT_DONE)
		written = set_trace_mode(path, job->r->mode);
	if (written != EXIT_DONE)
		return written;
	add_to_result(result, e, path);
	return status;
}

static void free_result(struct export_result *result)
{
	for (size_t i = 0; i < result->files.count; i++)
		free(result->files.at[i].name);
	free(result->files.at);
}

static int export_thread(const struct job *job, uint32_t thread, const char *path,
			 struct export_result *result)
{
	const struct export_request *r = job->r;
	const struct tf_thread *record = tf_thread(job->reader, thread);
	struct export_run e = {
		.format = r->format,
		.options = &r->options,
		.reader = job->reader,
		.process = record ? record->process : 0,
		.thread = thread,
		.first = r->first,
		.addresses = r->format->addresses ||
			     (r->format->optional_addresses && job->addresses),
		.parts = job->region != TF_NONE,
		.state = checked_array(1, r->format->state_size),
		.shared = job->shared,
	};
	int status = write_file(job, &e, path, result);

	if (e.format->free)
		e.format->free(&e);
	free(e.state);
	return status;
}

/* ---- files ------------------------------------------------------------------------------- */

static int no_instructions(const struct job *job)
{
	command_error("no thread of %s has instructions in the chosen part", job->r->trace);
	return EXIT_UNSUITABLE;
}

/*
 * Writes a thread to a file of its own, with a note beside it, and counts the file, unless the file
 * would be empty.
 */
static int export_file(const struct job *job, uint32_t thread, const char *path, unsigned *n_files)
{
	const struct export_request *r = job->r;
	char *note = text_format("%s.json", path);
	struct export_result result = { .path = path, .thread = thread };
	int status = check_output_trace(r->trace, path, r->force), told;

	if (status == EXIT_DONE)
		status = check_output_trace(r->trace, note, r->force);
	if (status == EXIT_DONE)
		status = export_thread(job, thread, path, &result);
	*n_files += result.files.count > 0;
	if (result.files.count) { /* also if a part of the trace is damaged */
		told = tell_result(r, &result, note, job->summaries);
		status = told == EXIT_DONE ? status : told;
	}
	free_result(&result);
	free(note);
	return status;
}

/*
 * Returns the name of a thread's file, "gzip.1.champsim.xz" for "gzip.champsim.xz". The caller
 * frees it.
 */
static char *thread_path(const char *out, uint32_t thread)
{
	const char *name = base_name(out), *dot = strchr(name, '.');
	size_t stem = dot ? (size_t)(dot - out) : strlen(out);

	return text_format("%.*s.%" PRIu32 "%s", (int)stem, out, thread, out + stem);
}

static uint64_t instructions_of(struct tf_reader *reader, uint32_t thread)
{
	struct tf_totals totals;

	return tf_get_thread_totals(reader, thread, &totals, NULL) == 0 ? totals.instructions : 0;
}

/* Writes a file for each of several threads that has instructions in the chosen part. */
static int export_threads(const struct job *job, unsigned active, unsigned *n_files)
{
	uint32_t n = tf_n_threads(job->reader);
	int status = EXIT_DONE;

	job->summaries->is_array = active > 1 && job->r->report == REPORT_JSON;
	for (uint32_t i = 0; i < n && status == EXIT_DONE; i++) {
		char *path;

		if (!instructions_of(job->reader, i))
			continue;
		path = active > 1 ? thread_path(job->r->out, i) : checked_copy(job->r->out);
		status = export_file(job, i, path, n_files);
		free(path);
	}
	end_summaries(job->summaries);
	return status;
}

/* Writes the chosen thread, or all, to OUT if only one thread has instructions. */
static int export_files(const struct job *job)
{
	uint32_t n = tf_n_threads(job->reader);
	unsigned active = 0, n_files = 0;
	int status;

	for (uint32_t i = 0; i < n; i++)
		active += instructions_of(job->reader, i) > 0;
	status = job->r->thread != UINT64_MAX
			 ? export_file(job, (uint32_t)job->r->thread, job->r->out, &n_files)
			 : export_threads(job, active, &n_files);
	return status == EXIT_DONE && !n_files ? no_instructions(job) : status;
}

/* ---- a folder ---------------------------------------------------------------------------- */

/* Removes the files of an earlier export, which would be taken for threads of this one. */
static int empty_folder(const struct exporter *format, const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int status = EXIT_DONE;

	if (!folder) {
		command_error("cannot read the folder %s: %m", path);
		return EXIT_FAILED;
	}
	while (status == EXIT_DONE && (entry = readdir(folder)))
		if (format->is_file_name(entry->d_name) &&
		    unlinkat(dirfd(folder), entry->d_name, 0) < 0) {
			command_error("cannot remove %s/%s: %m", path, entry->d_name);
			status = EXIT_FAILED;
		}
	closedir(folder);
	return status;
}

/* Sets the mode of a new folder: those who may read its files may find them. */
static int set_folder_mode(const char *path, mode_t mode)
{
	if (chmod(path, mode | S_IRWXU | (mode & 0444) >> 2) == 0)
		return EXIT_DONE;
	command_error("%s: cannot set its mode: %m", path);
	return EXIT_FAILED;
}

/* Makes the folder, and sets *created if there was none. Returns an exit code. */
static int make_folder(const struct export_request *r, const char *path,
		       struct unfinished **created)
{
	if (mkdir(path, 0777) == 0) {
		*created = unfinished_folder(path);
		return set_folder_mode(path, r->mode);
	}
	if (errno == EEXIST && r->force)
		return empty_folder(r->format, path);
	command_error(errno == EEXIST ? "%s exists; use --force to replace its files"
				      : "cannot make the folder %s: %m",
		      path);
	return EXIT_FAILED;
}

/* Writes a file for each thread that has instructions. Returns an exit code. */
static int fill_folder(const struct job *job, struct export_result *result)
{
	const struct export_request *r = job->r;
	uint32_t n = tf_n_threads(job->reader);
	int status = EXIT_DONE;

	for (uint32_t i = 0; i < n; i++) {
		size_t before = result->files.count;
		char *name, *path;
		int written;

		if ((r->thread != UINT64_MAX && r->thread != i) || !instructions_of(job->reader, i))
			continue;
		name = r->format->file_name(job->reader, job->shared, i, &r->options);
		path = text_format("%s/%s", result->path, name);
		written = export_thread(job, i, path, result);
		free(path);
		free(name);
		if (written != EXIT_DONE)
			status = written;
		if (written != EXIT_DONE && result->files.count == before)
			return status;
	}
	return status;
}

/* Writes the files that all threads share. Returns an exit code. */
static int finish_folder(const struct job *job, const char *path)
{
	const struct export_folder folder = {
		.path = path,
		.reader = job->reader,
		.options = &job->r->options,
		.mode = job->r->mode,
	};

	return job->r->format->finish(&folder, job->shared);
}

/* Fills a folder and writes the note beside it. Returns an exit code. */
static int export_to_folder(const struct job *job, struct export_result *result, const char *note)
{
	struct unfinished *created = NULL;
	int status = make_folder(job->r, result->path, &created), told;

	if (status != EXIT_DONE) {
		unfinished_drop(created);
		return status;
	}
	status = fill_folder(job, result);
	if (status == EXIT_DONE && result->files.count && job->r->format->finish)
		status = finish_folder(job, result->path);
	if (status == EXIT_DONE && !result->files.count)
		status = no_instructions(job);
	if (!result->files.count) {
		unfinished_drop(created);
		return status;
	}
	unfinished_end(created);
	told = tell_result(job->r, result, note, job->summaries);
	return told == EXIT_DONE ? status : told;
}

static int export_folder(const struct job *job)
{
	const char *out = job->r->out;
	size_t length = strlen(out);
	struct export_result result = { 0 };
	char *path, *note;
	int status;

	while (length > 1 && out[length - 1] == '/')
		length--;
	path = text_format("%.*s", (int)length, out);
	note = text_format("%s.json", path);
	result.path = path;
	status = check_output_trace(job->r->trace, note, job->r->force);
	if (status == EXIT_DONE)
		status = export_to_folder(job, &result, note);
	free_result(&result);
	free(path);
	free(note);
	return status;
}

/* ---- the trace --------------------------------------------------------------------------- */

static int run_job(struct job *job)
{
	const struct exporter *format = job->r->format;
	int status;

	export_check_suffix(job->r);
	if (format->prepare)
		job->shared = format->prepare(job->reader);
	if (format->prepare && !job->shared)
		return EXIT_FAILED;
	status = format->file_name ? export_folder(job) : export_files(job);
	if (format->release)
		format->release(job->shared);
	return status;
}

int export_trace(const struct export_request *r)
{
	struct summaries summaries = { 0 };
	struct job job = { .r = r, .summaries = &summaries };
	struct tf_error error;
	struct tf_info info;
	char uuid[UUID_TEXT];
	int result;

	memory_watch_input(r->trace);
	if (open_trace_input(r->trace, TRACE_WHOLE, &job.reader, &error) < 0 ||
	    tf_load(job.reader, &error) < 0 || tf_get_info(job.reader, &info, &error) < 0) {
		command_error("%s", error.text);
		tf_close(job.reader);
		return EXIT_FAILED;
	}
	job.addresses = info.has_addresses;
	summaries.uuid = uuid_text(info.uuid, uuid);
	result = export_check_trace(&info, r);
	if (result == EXIT_DONE)
		result = export_find_region(job.reader, r, &job.region);
	if (result == EXIT_DONE)
		result = run_job(&job);
	tf_close(job.reader);
	return result == EXIT_DONE && info.bytes_lost ? EXIT_FAILED : result;
}
