/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unfinished.h"

/* Repeats the messages of a command in a file, but not exp-bbv's summary. */
static void repeat_messages(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		if (strncmp(line, "==", 2))
			fputs(line, stderr);
	free(line);
	if (file)
		fclose(file);
}

bool spawn_command(char *const *arguments, int out, const char *messages)
{
	posix_spawn_file_actions_t actions;
	int status = 0, failed;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	else
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (messages)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages,
						 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	failed = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failed) {
		command_error("cannot run %s: %s", arguments[0], strerror(failed));
		return false;
	}
	struct unfinished *running = unfinished_process(pid);

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	unfinished_end(running);
	if (messages)
		repeat_messages(messages);
	if (status)
		command_error("%s failed", basename(arguments[0]));
	return status == 0;
}

char *command_beside(const char *command)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return checked_copy(command);
	self[n] = '\0';
	return text_format("%s/%s", dirname(self), command);
}
