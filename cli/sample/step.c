/* SPDX-License-Identifier: MIT */
#include "cli/sample/step.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unfinished.h"

/* Returns the path of a command beside this one, or its name if that is not known. */
static char *path_of(const char *command)
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

/* Writes a word as a shell reads it. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

static void show(const char *command, char *const *words, const char *output)
{
	char *text = NULL;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	fputs(command, out);
	for (words++; *words; words++) {
		putc(' ', out);
		put_word(out, *words);
	}
	fputs(" >", out);
	put_word(out, output);
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
	words[0] = path_of(command);
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
