/* SPDX-License-Identifier: MIT */
#include "cli/sample/step.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"
#include "cli/common/shell_word.h"
#include "cli/common/unfinished.h"

static void show(const char *command, char *const *words, const char *output)
{
	char *text = NULL;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	fputs(command, out);
	for (words++; *words; words++) {
		putc(' ', out);
		put_shell_word(out, *words);
	}
	fputs(" >", out);
	put_shell_word(out, output);
	if (fclose(out) == 0)
		command_note("%s", text);
	free(text);
}

static int wait_for(pid_t pid)
{
	struct unfinished *running = unfinished_process(pid);
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	unfinished_end(running);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int step_run(const char *command, char **words, const char *output, bool quiet)
{
	posix_spawn_file_actions_t actions;
	int failed;
	pid_t pid;

	if (!quiet)
		show(command, words, output);
	words[0] = command_beside_this(command);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output,
					 O_WRONLY | O_CREAT | O_TRUNC, 0666);
	fflush(stdout);
	failed = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failed)
		command_error("cannot run %s: %s", words[0], strerror(failed));
	free(words[0]);
	return failed ? -1 : wait_for(pid);
}
