/* SPDX-License-Identifier: MIT */
#include "cli/common/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "cli/common/unfinished.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

unsigned job_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned)CPU_COUNT(&set);
}

/* ---- beginning --------------------------------------------------------------------------- */

/* Returns an empty stream in memory, as no folder may be writable, or NULL with errno. */
static FILE *open_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "w+");
}

static int spawn(struct job *job)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (job->output)
		posix_spawn_file_actions_adddup2(&actions, fileno(job->output), STDOUT_FILENO);
	else
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fileno(job->messages), STDERR_FILENO);
	if (job->directory)
		posix_spawn_file_actions_addchdir_np(&actions, job->directory);
	error = posix_spawnp(&job->pid, job->arguments[0], &actions, NULL, job->arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static int start(struct job *job)
{
	int error;

	job->messages = open_memory("messages");
	if (job->messages && job->keeps_output)
		job->output = open_memory("output");
	if (!job->messages || (job->keeps_output && !job->output)) {
		command_error("no file in memory for the messages of %s: %m", job->arguments[0]);
		return EXIT_FAILED;
	}
	job->begun = now();
	error = spawn(job);
	if (error) {
		command_error("cannot run %s: %s", job->arguments[0], strerror(error));
		return EXIT_FAILED;
	}
	job->runs = true;
	job->running = unfinished_process(job->pid);
	return 0;
}

/* ---- ending ------------------------------------------------------------------------------ */

/* Waits until any of the started jobs ends, and counts it. */
static int end_one(struct job *jobs, size_t n_started, size_t *n_ended)
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
	for (size_t i = 0; i < n_started; i++) {
		struct job *job = &jobs[i];

		if (job->pid != pid || !job->runs)
			continue;
		unfinished_end(job->running);
		job->status = status;
		job->wall = now() - job->begun;
		job->cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		job->runs = false;
		++*n_ended;
		if (job->ended)
			job->ended(job);
	}
	return 0;
}

int run_jobs(struct job *jobs, size_t count, unsigned at_once, const char *label, bool quiet)
{
	size_t n_started = 0, n_ended = 0;
	struct progress progress;
	int status = 0;

	at_once = at_once ? at_once : job_cores();
	progress_begin(&progress, label, count, quiet);
	while (n_ended < n_started || (!status && n_started < count))
		if (!status && n_started < count && n_started - n_ended < at_once) {
			status = start(&jobs[n_started]);
			n_started += !status;
		} else {
			int failed = end_one(jobs, n_started, &n_ended);

			progress_update(&progress, n_ended);
			if (failed) {
				status = failed;
				break;
			}
		}
	progress_end(&progress);
	return status;
}

bool job_ended_with(const struct job *job, int code)
{
	return WIFEXITED(job->status) && WEXITSTATUS(job->status) == code;
}

char *job_first_message(const struct job *job)
{
	char *line = NULL, *found = NULL;
	size_t size = 0;

	rewind(job->messages);
	while (!found && getline(&line, &size, job->messages) > 0) {
		char *at = strstr(line, " error: ");

		if (!at)
			at = strstr(line, " warning: ");
		if (at)
			found = checked_copy(strchr(at, ':') + 2);
	}
	free(line);
	if (found)
		found[strcspn(found, "\n")] = '\0';
	return found;
}

void job_close(struct job *job)
{
	if (job->messages)
		fclose(job->messages);
	if (job->output)
		fclose(job->output);
	job->messages = job->output = NULL;
}

char *command_beside_this(const char *command)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return checked_copy(command);
	return text_format("%.*s/%s", (int)(slash - self), self, command);
}
