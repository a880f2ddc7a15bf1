/* SPDX-License-Identifier: MIT */
#include "cli/analyze/run_all.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "cli/common/unfinished.h"

/* An analyzer that runs, or has run. */
struct task {
	const struct found_analyzer *analyzer;
	pid_t pid;
	struct unfinished *running;
	FILE *messages;
	double begun;     /* seconds */
	int status;       /* of its end, as wait gives it */
	double wall, cpu; /* seconds */
	char *message;    /* its first error or warning, or NULL */
};

struct batch {
	const struct run_all *how;
	char *trace; /* absolute */
	struct task *tasks;
	size_t n_tasks, n_started, n_ended;
	struct progress progress;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static unsigned cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned)CPU_COUNT(&set);
}

/* ---- beginning --------------------------------------------------------------------------- */

/* Removes an old result, which must not look like a result of this run. */
static void remove_old(const struct batch *batch, const char *name)
{
	static const char *const suffixes[] = { "json", "txt" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *file = text_format("%s.%s", name, suffixes[i]);
		char *path = text_format("%s/%s", batch->how->directory, file);

		unlink(path);
		free(path);
		free(file);
	}
}

static int spawn(const struct batch *batch, struct task *task)
{
	char *results = text_format("--results=%s%s", task->analyzer->name, "");
	char *const arguments[] = { (char *)task->analyzer->path,
				    (char *)"--quiet",
				    results,
				    (char *)"--",
				    batch->trace,
				    NULL };
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fileno(task->messages), STDERR_FILENO);
	posix_spawn_file_actions_addchdir_np(&actions, batch->how->directory);
	error = posix_spawn(&task->pid, task->analyzer->path, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(results);
	return error;
}

/* Returns an empty stream in memory, as no folder may be writable, or NULL with errno. */
static FILE *open_messages(void)
{
	int fd = memfd_create("messages", MFD_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "w+");
}

static int start_next(struct batch *batch)
{
	struct task *task = &batch->tasks[batch->n_started];
	int error;

	task->messages = open_messages();
	if (!task->messages) {
		command_error("no file in memory for the messages of %s: %m", task->analyzer->name);
		return EXIT_FAILED;
	}
	remove_old(batch, task->analyzer->name);
	task->begun = now();
	error = spawn(batch, task);
	if (error) {
		command_error("cannot run %s: %s", task->analyzer->path, strerror(error));
		return EXIT_FAILED;
	}
	task->running = unfinished_process(task->pid);
	batch->n_started++;
	return 0;
}

/* ---- ending ------------------------------------------------------------------------------ */

/* Returns the text after "error: " or "warning: " in the first line that has either. */
static char *first_message(FILE *messages)
{
	char *line = NULL, *found = NULL;
	size_t size = 0;

	rewind(messages);
	while (!found && getline(&line, &size, messages) > 0) {
		char *at = strstr(line, " error: ");

		if (!at)
			at = strstr(line, " warning: ");
		if (at)
			found = strdup(strchr(at, ':') + 2);
	}
	free(line);
	if (found)
		found[strcspn(found, "\n")] = '\0';
	return found;
}

/* Waits until any analyzer ends. */
static int end_one(struct batch *batch)
{
	struct rusage usage;
	int status;
	pid_t pid = wait4(-1, &status, 0, &usage);

	if (pid < 0 && errno == EINTR)
		return 0;
	if (pid < 0) {
		command_error("wait: %m");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < batch->n_started; i++) {
		struct task *task = &batch->tasks[i];

		if (task->pid != pid)
			continue;
		unfinished_end(task->running);
		task->status = status;
		task->wall = now() - task->begun;
		task->cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			    1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		task->message = first_message(task->messages);
		batch->n_ended++;
		progress_update(&batch->progress, batch->n_ended);
	}
	return 0;
}

static int run_tasks(struct batch *batch)
{
	unsigned jobs = batch->how->jobs ? batch->how->jobs : cores();
	int status = 0;

	progress_begin(&batch->progress, "analyzing", batch->n_tasks, batch->how->quiet);
	while (batch->n_ended < batch->n_started || (!status && batch->n_started < batch->n_tasks))
		if (!status && batch->n_started < batch->n_tasks &&
		    batch->n_started - batch->n_ended < jobs)
			status = start_next(batch);
		else
			status |= end_one(batch);
	progress_end(&batch->progress);
	return status;
}

/* ---- the summary ------------------------------------------------------------------------- */

static bool has_result(const struct batch *batch, const struct task *task)
{
	char *file = text_format("%s.%s", task->analyzer->name, "json");
	char *path = text_format("%s/%s", batch->how->directory, file);
	bool there = access(path, F_OK) == 0;

	free(path);
	free(file);
	return there;
}

static bool has_ended_with(const struct task *task, int code)
{
	return WIFEXITED(task->status) && WEXITSTATUS(task->status) == code;
}

static const char *outcome(const struct batch *batch, const struct task *task)
{
	if (has_ended_with(task, EXIT_DONE))
		return "done";
	if (has_ended_with(task, EXIT_UNSUITABLE))
		return "skipped";
	return has_result(batch, task) ? "incomplete" : "failed";
}

/* Returns the exit code. */
static int summarize(const struct batch *batch)
{
	static const struct report_column columns[] = {
		{ "analyzer", REPORT_STRING, "" }, { "outcome", REPORT_STRING, "" },
		{ "wall", REPORT_F64, "s" },       { "cpu", REPORT_F64, "s" },
		{ "message", REPORT_STRING, "" },  { NULL, 0, NULL },
	};
	struct report *report = report_begin(stdout, batch->how->format);
	int status = EXIT_DONE;

	report_table(report, "analyzers", columns);
	for (size_t i = 0; i < batch->n_ended; i++) {
		const struct task *task = &batch->tasks[i];

		report_row(report, task->analyzer->name, outcome(batch, task), task->wall,
			   task->cpu, task->message);
		if (!has_ended_with(task, EXIT_DONE) && !has_ended_with(task, EXIT_UNSUITABLE))
			status = EXIT_FAILED;
	}
	report_end(report);
	return command_close_stdout() ? EXIT_FAILED : status;
}

/* ------------------------------------------------------------------------------------------ */

static void free_tasks(struct batch *batch)
{
	for (size_t i = 0; i < batch->n_tasks; i++) {
		if (batch->tasks[i].messages)
			fclose(batch->tasks[i].messages);
		free(batch->tasks[i].message);
	}
	free(batch->tasks);
}

/* Returns true if the folder exists afterwards, otherwise false with errno set. */
static bool make_folder(const char *path)
{
	struct stat status;

	if (mkdir(path, 0777) == 0)
		return true;
	return errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int run_all(const struct run_all *how, const struct found_analyzers *analyzers)
{
	struct batch batch = { .how = how, .n_tasks = analyzers->count };
	int status;

	batch.trace = realpath(how->trace, NULL);
	if (!batch.trace) {
		command_error("%s: %m", shown_name(how->trace));
		return EXIT_FAILED;
	}
	if (!make_folder(how->directory)) {
		command_error("cannot make %s: %m", how->directory);
		free(batch.trace);
		return EXIT_FAILED;
	}
	batch.tasks = checked_array(batch.n_tasks + 1, sizeof(*batch.tasks));
	for (size_t i = 0; i < batch.n_tasks; i++)
		batch.tasks[i].analyzer = &analyzers->at[i];
	status = run_tasks(&batch);
	if (!status)
		status = summarize(&batch);
	free_tasks(&batch);
	free(batch.trace);
	return status;
}
