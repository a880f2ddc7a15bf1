/* SPDX-License-Identifier: MIT */
/* Imports a folder of drmemtrace, whose files have a thread each, or one such file. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/import/drmemtrace_functions.h"
#include "cli/import/drmemtrace_modules.h"
#include "cli/import/drmemtrace_thread.h"
#include "cli/import/import_formats.h"

struct folder {
	ARRAY(struct drmemtrace_head) files;
	uint64_t size; /* bytes of all files */
};

/* Returns whether a file of a folder has no records. */
static bool is_side_file(const char *name)
{
	static const char *const names[] = { "modules.log",          "funclist.log",
					     "encodings.bin",        "v2p.textproto",
					     "cpu_schedule.bin.zip", "serial_schedule.bin" };

	if (name[0] == '.')
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void add_file(struct folder *folder, char *path, uint64_t size)
{
	CHECKED_RESERVE(folder->files, folder->files.count + 1);
	folder->files.at[folder->files.count++] = (struct drmemtrace_head){ .path = path };
	folder->size += size;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Lists the regular files of a folder. Returns false after a message. */
static bool list_files(struct folder *folder, const char *path)
{
	DIR *entries = opendir(path);
	const struct dirent *entry;

	if (!entries) {
		command_error("%s: %s", shown_name(path), strerror(errno));
		return false;
	}
	while ((entry = readdir(entries))) {
		char *name = text_format("%s/%s", path, entry->d_name);
		struct stat st;

		if (!is_side_file(entry->d_name) && stat(name, &st) == 0 && S_ISREG(st.st_mode))
			add_file(folder, name, (uint64_t)st.st_size);
		else
			free(name);
	}
	closedir(entries);
	if (!folder->files.count)
		command_error("%s: is a folder without files of drmemtrace", shown_name(path));
	return folder->files.count != 0;
}

/* Returns the folder that has the files: trace/ in a folder that has raw/ or trace/. */
static char *trace_folder(const char *path)
{
	char *trace = text_format("%s/trace", path), *raw = text_format("%s/raw", path);
	bool has_trace = is_folder(trace);

	if (!has_trace && is_folder(raw))
		command_warning("%s: has a folder raw and no folder trace: its raw trace is not "
				"converted yet",
				shown_name(path));
	free(raw);
	if (has_trace)
		return trace;
	free(trace);
	return checked_copy(path);
}

/* By process; the first thread of a process first, then in the order of their numbers. */
static int compare(const void *a, const void *b)
{
	const struct drmemtrace_head *x = a, *y = b;
	bool x_is_first = x->pid == x->tid, y_is_first = y->pid == y->tid;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x_is_first != y_is_first)
		return x_is_first ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Reads the heads, and puts the files in order. Returns false after a message. */
static bool read_heads(struct folder *folder)
{
	struct drmemtrace_head *files = folder->files.at;
	size_t count = folder->files.count;

	for (size_t i = 0; i < count; i++)
		if (!drmemtrace_read_head(&files[i]))
			return false;
	qsort(files, count, sizeof(*files), compare);
	for (size_t i = 1; i < count; i++) {
		if (!((files[i].file_type ^ files[0].file_type) &
		      DRMEMTRACE_FILE_INSTRUCTIONS_ONLY))
			continue;
		command_error("%s has data records, and %s has none: import them one by one",
			      files[i].file_type & DRMEMTRACE_FILE_INSTRUCTIONS_ONLY
				      ? files[0].path
				      : files[i].path,
			      files[i].file_type & DRMEMTRACE_FILE_INSTRUCTIONS_ONLY
				      ? files[i].path
				      : files[0].path);
		return false;
	}
	return true;
}

static void warn_of_filter(const struct import_job *job, uint64_t file_type)
{
	if (file_type & DRMEMTRACE_FILE_FILTERED_INSTRUCTIONS)
		command_warning(
			"%s: is filtered: it lacks instructions, and the trace has a gap at each jump without a branch",
			shown_name(job->from));
	else if (file_type & DRMEMTRACE_FILE_FILTERED_DATA)
		command_warning("%s: is filtered: it lacks accesses", shown_name(job->from));
}

static bool import_files(struct import_job *job, const struct folder *folder,
			 struct drmemtrace_functions *functions, struct drmemtrace_modules *modules)
{
	const struct drmemtrace_head *first = &folder->files.at[0];
	bool addresses = !(first->file_type & DRMEMTRACE_FILE_INSTRUCTIONS_ONLY);

	job->progress.total = folder->size;
	warn_of_filter(job, first->file_type);
	if (!import_begin(job, addresses))
		return false;
	import_note(job, "import.format", "drmemtrace");
	import_note(job, "addresses", addresses ? "yes" : "no");
	import_note(job, "clock", "realtime");
	if (!drmemtrace_add_modules(modules, job))
		return false;
	for (size_t i = 0; i < folder->files.count; i++)
		if (!drmemtrace_import_file(job, &folder->files.at[i], functions))
			return false;
	return true;
}

/* Reads the file of the folder, or the one that DynamoRIO has left beside the raw trace. */
static void find_modules(struct drmemtrace_modules *modules, const char *folder)
{
	static const char *const places[] = { "modules.log", "raw/modules.log",
					      "../raw/modules.log" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *path = text_format("%s/%s", folder, places[i]);
		bool found = drmemtrace_read_modules(modules, path);

		free(path);
		if (found)
			return;
	}
}

bool drmemtrace_import(struct import_job *job)
{
	struct drmemtrace_functions functions = { 0 };
	struct drmemtrace_modules modules = { 0 };
	struct folder folder = { 0 };
	bool done = true;

	if (is_folder(job->from)) {
		char *path = trace_folder(job->from);
		char *list = text_format("%s/funclist.log", path);

		done = list_files(&folder, path);
		drmemtrace_read_functions(&functions, list);
		if (done)
			find_modules(&modules, path);
		free(list);
		free(path);
	} else {
		struct stat st = { 0 };

		stat(job->from, &st);
		add_file(&folder, checked_copy(job->from), (uint64_t)st.st_size);
	}
	done = done && read_heads(&folder) && import_files(job, &folder, &functions, &modules);
	for (size_t i = 0; i < folder.files.count; i++)
		free(folder.files.at[i].path);
	free(folder.files.at);
	drmemtrace_functions_free(&functions);
	drmemtrace_modules_free(&modules);
	return done;
}
