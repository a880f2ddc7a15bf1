/* SPDX-License-Identifier: MIT */
/*
 * trace-analyze - finds an analyzer, an executable trace-NAME, and becomes it.
 *
 * Folders such as /usr/bin hold foreign programs called trace-*, trace-cmd for one. An analyzer
 * is told from them without being run: its file mentions libtraceformat, which every program
 * linked with the library does. Nothing else is ever executed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/report.h"

static const char help[] =
"Usage: trace-analyze ANALYZER [options] TRACE\n"
"       trace-analyze --list\n"
"Run an analyzer, the program trace-ANALYZER, on a trace.\n"
"\n"
"  -l, --list         list the analyzers, with what each does\n"
"      --format=FMT   of the list: text (default), json or csv\n"
"  -h, --help         show this help\n"
"      --version      show versions\n"
"\n"
"Analyzers are looked for beside trace-analyze, then in PATH.\n"
"'trace-analyze ANALYZER --help' shows the options of one.\n"
"\n"
"Example: trace-analyze mix --format=json ls.trace\n";

static const char prefix[] = "trace-";
static const char *const commands[] = { "record", "info", "dump", "verify", "repair",
					"repack", "analyze" };

static bool is_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(name, commands[i]))
			return true;
	return false;
}

static char *checked(char *text)
{
	if (!text)
		command_out_of_memory();
	return text;
}

/* ---- finding ----------------------------------------------------------------------------- */

struct analyzer {
	char *name, *path;
};

struct analyzers {
	struct analyzer *items;
	size_t count;
};

/* The folder of this program, then those of PATH, with colons between. Free it. */
static char *search_path(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *path = getenv("PATH");
	char *folders;

	self[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(self, '/');

	if (slash)
		*slash = '\0';
	if (asprintf(&folders, "%s:%s", self, path ? path : "") < 0)
		command_out_of_memory();
	return folders;
}

static bool mentions_library(const char *path)
{
	static const char mark[] = "libtraceformat";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat file;
	bool found = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &file) == 0 && file.st_size > 0) {
		void *text = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (text != MAP_FAILED) {
			found = memmem(text, (size_t)file.st_size, mark, strlen(mark));
			munmap(text, (size_t)file.st_size);
		}
	}
	close(fd);
	return found;
}

static bool is_analyzer(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0 &&
	       mentions_library(path);
}

static void add(struct analyzers *analyzers, const char *folder, const char *file)
{
	const char *name = file + strlen(prefix);
	char *path;

	if (strncmp(file, prefix, strlen(prefix)) || !*name || is_command(name))
		return;
	for (size_t i = 0; i < analyzers->count; i++)
		if (!strcmp(analyzers->items[i].name, name))
			return;
	if (asprintf(&path, "%s/%s", folder, file) < 0)
		command_out_of_memory();
	if (!is_analyzer(path)) {
		free(path);
		return;
	}
	analyzers->items = reallocarray(analyzers->items, analyzers->count + 1,
					sizeof(*analyzers->items));
	if (!analyzers->items)
		command_out_of_memory();
	analyzers->items[analyzers->count++] = (struct analyzer){
		.name = checked(strdup(name)),
		.path = path,
	};
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct analyzer *)a)->name, ((const struct analyzer *)b)->name);
}

/* All analyzers by name; of two with one name, the one found first. */
static struct analyzers find_analyzers(void)
{
	struct analyzers analyzers = { NULL, 0 };
	char *folders = search_path();
	char *rest = folders;
	const char *folder;

	while ((folder = strsep(&rest, ":"))) {
		DIR *listing = *folder == '/' ? opendir(folder) : NULL;
		const struct dirent *entry;

		if (!listing)
			continue;
		while ((entry = readdir(listing)))
			add(&analyzers, folder, entry->d_name);
		closedir(listing);
	}
	free(folders);
	if (analyzers.count)
		qsort(analyzers.items, analyzers.count, sizeof(*analyzers.items), by_name);
	return analyzers;
}

static void free_analyzers(struct analyzers *analyzers)
{
	for (size_t i = 0; i < analyzers->count; i++) {
		free(analyzers->items[i].name);
		free(analyzers->items[i].path);
	}
	free(analyzers->items);
}

/* ---- the list ---------------------------------------------------------------------------- */

/* Starts `path --summary` in a process group of its own, its output to fd, its messages nowhere. */
static bool start_summary(const char *path, int fd, const sigset_t *mask, pid_t *pid)
{
	char *const arguments[] = { (char *)path, (char *)"--summary", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attributes, mask);
	bool started = posix_spawn(pid, path, &actions, &attributes, arguments, environ) == 0;

	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return started;
}

/* Waits for pid, whose group is killed if it takes long. Returns whether it ended with status 0. */
static bool wait_briefly(pid_t pid, const sigset_t *child)
{
	static const struct timespec limit = { .tv_sec = 5 };
	int status;

	while (sigtimedwait(child, NULL, &limit) < 0)
		if (errno == EAGAIN) {
			kill(-pid, SIGKILL);
			break;
		}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Asks an analyzer what it does: false unless it answers with a line of text. */
static bool ask_summary(const char *path, char *summary, size_t size)
{
	sigset_t child, mask;
	int ends[2];
	pid_t pid;
	ssize_t length = 0;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &mask);
	if (start_summary(path, ends[1], &mask, &pid) && wait_briefly(pid, &child))
		length = read(ends[0], summary, size - 1);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends[0]);
	close(ends[1]);
	summary[length > 0 ? length : 0] = '\0';
	*strchrnul(summary, '\n') = '\0';
	return *summary;
}

static int list(enum report_format format)
{
	static const struct report_column columns[] = {
		{ "analyzer", REPORT_STRING, "" },
		{ "summary", REPORT_STRING, "" },
		{ "path", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct analyzers analyzers = find_analyzers();
	struct report *report = report_begin(stdout, format);

	signal(SIGCHLD, SIG_DFL);	/* were it ignored, there would be nothing to wait for */
	report_table(report, "analyzers", columns);
	for (size_t i = 0; i < analyzers.count; i++) {
		char summary[256];

		if (ask_summary(analyzers.items[i].path, summary, sizeof(summary)))
			report_row(report, analyzers.items[i].name, summary,
				   analyzers.items[i].path);
	}
	report_end(report);
	free_analyzers(&analyzers);
	return command_close_stdout();
}

/* ---- running ----------------------------------------------------------------------------- */

/* Levenshtein's distance: insertions, deletions and replacements from one to the other. */
static size_t distance(const char *a, const char *b)
{
	enum { MAX = 63 };
	size_t row[MAX + 1];
	size_t width = strlen(b);

	if (width > MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= width; j++) {
			size_t best = diagonal + (a[i] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[width];
}

static const char *closest(const struct analyzers *analyzers, const char *name)
{
	const char *best = NULL;
	size_t least = strlen(name) / 2 + 1;

	for (size_t i = 0; i < analyzers->count; i++) {
		size_t changes = distance(name, analyzers->items[i].name);

		if (changes <= least && (!best || changes < least)) {
			least = changes;
			best = analyzers->items[i].name;
		}
	}
	return best;
}

static int run(char **arguments)
{
	const char *name = arguments[0];

	if (is_command(name))
		return command_usage_error("'%s' is not an analyzer; run trace-%s", name, name);
	struct analyzers analyzers = find_analyzers();

	for (size_t i = 0; i < analyzers.count; i++)
		if (!strcmp(analyzers.items[i].name, name)) {
			const char *path = analyzers.items[i].path;

			if (asprintf(&arguments[0], "%s%s", prefix, name) < 0)
				command_out_of_memory();
			execv(path, arguments);
			command_error("%s: %s", path, strerror(errno));
			return EXIT_FAILED;
		}
	const char *best = closest(&analyzers, name);

	if (best)
		command_error("there is no analyzer '%s'; did you mean '%s'?", name, best);
	else
		command_error("there is no analyzer '%s'", name);
	command_note("'trace-analyze --list' lists the analyzers");
	free_analyzers(&analyzers);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "list", no_argument, NULL, 'l' },
		REPORT_OPTIONS
	};
	enum report_format format = REPORT_TEXT;
	bool listing = false;
	int option, status;

	command_init("trace-analyze");
	while ((option = getopt_long(argc, argv, "+lh", long_options, NULL)) != -1)
		switch (option) {
		case 'l': listing = true; break;
		default:
			status = common_option(option, help, &format);
			if (status != OPTION_DONE)
				return status;
		}
	if (listing)
		return optind == argc ? list(format) :
					command_usage_error("--list takes no analyzer");
	if (optind == argc)
		return command_usage_error("no analyzer given; --list lists them");
	return run(argv + optind);
}
