/* SPDX-License-Identifier: MIT */
#include "recorder/launch/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/interrupts.h"
#include "recorder/core/refusals.h"
#include "recorder/core/task.h"
#include "recorder/sampling/sampling.h"

/* ---- start ---- */

static int cannot_run(struct session *s, int error, int *exit_status)
{
	const char *name = s->options->argv[0];

	*exit_status = error == ENOENT && !s->main.filename ? 127 : 126;
	if (error == ENOENT && s->main.filename)
		return session_fail(s, TF_E_ARGUMENT,
				    "%s: cannot be run: its interpreter is missing, which its "
				    "first line names (#!) or, of an ELF file, readelf -l",
				    name);
	if (error == ENOENT && !strchr(name, '/'))
		return session_fail(s, TF_E_ARGUMENT, "%s: command not found", name);
	return session_fail(s, TF_E_ARGUMENT, "%s: cannot be run: %s", name, strerror(error));
}

static int ended_early(struct session *s)
{
	return session_fail(s, TF_E_IO, "%s: ended before it began", s->options->argv[0]);
}

int launch_failed(struct session *s, int *exit_status)
{
	int error = 0;

	if (read(s->main.report_fd, &error, sizeof(error)) == sizeof(error))
		return cannot_run(s, error, exit_status);
	*exit_status = 125;
	return ended_early(s);
}

/* Returns 0 if the file may be run, else why not. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return EACCES;
	return 0;
}

/*
 * True if the file is there: shells pass over folders of PATH that they may not search, and folders
 * in them.
 */
static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Finds the program as shells do; NULL with *error if there is none. */
static char *find_program(const char *name, int *error)
{
	const char *at = strchr(name, '/') ? NULL : getenv("PATH");
	char *path = NULL;

	if (strchr(name, '/')) {
		*error = check_file(name);
		return *error ? NULL : strdup(name);
	}
	*error = ENOENT;
	for (at = at ? at : "/bin:/usr/bin"; *name; at++) {
		size_t length = strcspn(at, ":");
		int is;

		/* an empty folder is the current one */
		if (asprintf(&path, "%.*s%s%s", (int)length, at, length ? "/" : "", name) < 0)
			return NULL;
		is = check_file(path);
		if (is == 0)
			return path;
		if (is_file(path))
			*error = is;
		free(path);
		at += length;
		if (!*at)
			break;
	}
	return NULL;
}

int launch_check(struct session *s, int *exit_status)
{
	const char *why;
	int error;

	s->main.filename = find_program(s->options->argv[0], &error);
	if (!s->main.filename)
		return cannot_run(s, error, exit_status);
	why = refusals_start(s->main.filename);
	return why ? session_fail(s, TF_E_ARGUMENT, "%s: %s", s->main.filename, why) : 0;
}

/* Executes the program. A text file without "#!" is for the shell, as with execvp. */
static void exec_program(const struct session *s)
{
	char *const *argv = s->options->argv;
	char **shell;
	size_t n = 0;

	execv(s->main.filename, argv);
	if (errno != ENOEXEC || refusals_is_binary(s->main.filename))
		return;
	while (argv[n])
		n++;
	shell = calloc(n + 2, sizeof(*shell));
	if (!shell)
		return;
	shell[0] = "sh";
	shell[1] = s->main.filename;
	for (size_t i = 1; i < n; i++)
		shell[i + 1] = argv[i];
	execv("/bin/sh", shell);
}

/* The child: waits until it is traced, becomes the program, or reports why it cannot. */
static void run_program(const struct session *s, const int start[2], int report)
{
	const struct record_options *o = s->options;
	int error;
	char go;

	interrupts_end();
	write_signals_restore();
	close(start[1]);
	if (read(start[0], &go, 1) != 1)
		_exit(125);
	if (!o->aslr)
		personality(ADDR_NO_RANDOMIZE | (unsigned)personality(0xffffffff));
	if (o->output && strcmp(o->output, "-") == 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	exec_program(s);
	error = errno;
	_exit(write(report, &error, sizeof(error)) == (ssize_t)sizeof(error) ? 127 : 125);
}

static int check_personality(struct session *s)
{
	int now = personality(0xffffffff);

	if (s->options->aslr || now < 0)
		return 0;
	if (personality((unsigned)now | ADDR_NO_RANDOMIZE) < 0)
		session_warn(s, "address randomization cannot be turned off here; addresses will "
				"differ from run to run");
	personality((unsigned)now);
	return 0;
}

static bool has_ended(pid_t child)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == child;
}

/*
 * Sets the error of a child that cannot be traced; the kernel also refuses to trace a killed one.
 */
static int cannot_trace(struct session *s, pid_t child)
{
	int error = errno;

	if (has_ended(child))
		return ended_early(s);
	errno = error;
	return refusals_ptrace(s, child, true);
}

int launch(struct session *s)
{
	int start[2], report[2];
	bool failed = false;
	pid_t pid;

	check_personality(s);
	if (pipe2(start, O_CLOEXEC) < 0)
		return session_fail(s, TF_E_IO, "pipe: %s", strerror(errno));
	if (pipe2(report, O_CLOEXEC) < 0) {
		close(start[0]);
		close(start[1]);
		return session_fail(s, TF_E_IO, "pipe: %s", strerror(errno));
	}
	s->main.report_fd = report[0];
	interrupts_begin(false);
	pid = fork();
	if (pid == 0)
		run_program(s, start, report[1]);
	close(report[1]);
	if (pid < 0)
		session_fail(s, TF_E_IO, "fork: %s", strerror(errno));
	else if (!s->options->only_samples &&
		 ptrace(PTRACE_SEIZE, pid, NULL, (long)(PTRACE_O_EXITKILL | TASK_TRACE_OPTIONS)) <
			 0)
		cannot_trace(s, pid);
	else if (sampling_begin(s, pid) < 0)
		failed = true;
	else if (write(start[1], "g", 1) != 1)
		session_fail(s, TF_E_IO, "pipe: %s", strerror(errno));
	/* closed only now: the pipe must have a reader even if the child is dead */
	close(start[0]);
	close(start[1]);
	if (failed || s->error.is_set) {
		interrupts_end();
		if (pid > 0)
			waitpid(pid, NULL, 0); /* the child ends by itself */
		return -1;
	}
	s->main.pid = pid;
	interrupts_pass_to(pid);
	return 0;
}
