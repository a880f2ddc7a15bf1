/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/limited_run.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Times more time and memory: the fuzzer and the commands are built with the same sanitizers. */
#ifdef __SANITIZE_ADDRESS__
enum { FACTOR = 4 };
#else
enum { FACTOR = 1 };
#endif

enum {
	MOST_WORDS = 24,
	MOST_ARGUMENT = 1 << 16,
	MOST_SECONDS = 10, /* of a processor, for a command */
	SANITIZER_EXIT = 99,
	SPARE_MEMORY = 256 << 10,
	MEMORY_FACTOR = 100, /* KiB; bytes for a byte of the input */
};

static time_t begin;

void fuzz_die(const char *what)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- files ------------------------------------------------------------------------------- */

void limited_run_write(const struct limited_run *f, const char *name, const void *bytes,
		       uint64_t size)
{
	char path[2 * PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	out = fopen(path, "w");
	if (!out || (size && fwrite(bytes, 1, size, out) != size) || fclose(out))
		fuzz_die(path);
}

void fuzz_read(const char *path, struct buffer *bytes, uint64_t most)
{
	FILE *file = fopen(path, "r");
	size_t n = 0;

	bytes->size = 0;
	if (file && buffer_reserve(bytes, most))
		n = fread(bytes->data, 1, most, file);
	if (!file || !n)
		fuzz_die(path);
	bytes->size = n;
	fclose(file);
}

static void copy_file(const char *from, const char *to)
{
	char buffer[1 << 16];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t n;

	if (!in || !out)
		fuzz_die(to);
	while ((n = fread(buffer, 1, sizeof(buffer), in)))
		fwrite(buffer, 1, n, out);
	fclose(in);
	fclose(out);
}

/* ---- in the child ------------------------------------------------------------------------ */

static void limit(int resource, rlim_t value)
{
	setrlimit(resource, &(struct rlimit){ value, value });
}

/* Returns an fd of the input, or of a pipe that another process writes the input to. */
static int open_input(const struct limited_run *f, bool piped)
{
	int in = open(f->input, O_RDONLY), ends[2];
	char bytes[4096];
	ssize_t n;

	if (!piped || pipe(ends) < 0)
		return in;
	if (fork())
		return close(ends[1]), ends[0];
	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		if (write(ends[1], bytes, (size_t)n) != n)
			break;
	_exit(0);
}

/* Limits the size of files, too: a command that exceeds it gets an error, not a signal. */
static void prepare_child(const struct limited_run *f, bool piped)
{
	int null = open("/dev/null", O_RDWR), err;

	if (chdir(f->folder) < 0)
		_exit(126);
	err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(piped ? open_input(f, true) : null, 0);
	dup2(null, 1);
	dup2(err, 2);
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_FSIZE, 64 << 20);
	limit(RLIMIT_CPU, MOST_SECONDS * FACTOR);
	limit(RLIMIT_CORE, 0);
	if (FACTOR == 1)
		limit(RLIMIT_AS, UINT64_C(3) << 30);
	alarm(30 * MOST_SECONDS * FACTOR);
}

/* Replaces the word's '%' by the input's bytes up to a NUL or a line's end. */
static char *argument_of_input(const struct limited_run *f, const char *word)
{
	static char argument[MOST_ARGUMENT];
	size_t before = strcspn(word, "%"), n;
	FILE *in = fopen(f->input, "r");

	memcpy(argument, word, before);
	n = in ? fread(argument + before, 1, MOST_ARGUMENT - 1 - before, in) : 0;
	argument[before + n] = 0;
	argument[strcspn(argument, "\n")] = 0;
	return argument;
}

/* Replaces an '@' at the word's end by the input's name. */
static char *word_of(const struct limited_run *f, char *word)
{
	size_t size = strlen(word);
	char *made = word;

	if (size && word[size - 1] == '@' &&
	    asprintf(&made, "%.*s%s", (int)size - 1, word, f->input) < 0)
		_exit(126);
	return strchr(word, '%') ? argument_of_input(f, word) : made;
}

static void execute(const struct limited_run *f, const char *command)
{
	char copy[512], program[4096], *words[MOST_WORDS + 1] = { 0 }, *rest = copy;
	unsigned n = 0;

	snprintf(copy, sizeof(copy), "%s", command);
	for (char *word; n < MOST_WORDS && (word = strsep(&rest, " ")); n++)
		words[n] = word_of(f, word);
	snprintf(program, sizeof(program), "%s/%s", f->bin, words[0]);
	execv(program, words);
	_exit(126);
}

/* ---- judging ----------------------------------------------------------------------------- */

static bool says(const struct limited_run *f, const char *word)
{
	static char text[1 << 16];
	char path[2 * PATH_MAX];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/err", f->folder);
	file = fopen(path, "r");
	n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[n] = 0;
	return strstr(text, word);
}

bool outcome_good(const struct outcome *o)
{
	return WIFEXITED(o->status) && WEXITSTATUS(o->status) == 0;
}

/* Returns a description of the fault, or NULL. */
static const char *judge(const struct limited_run *f, const struct outcome *o, bool must_succeed)
{
	long most = (SPARE_MEMORY + (long)(f->input_bytes * MEMORY_FACTOR >> 10)) * FACTOR;

	if (o->late)
		return "takes too long";
	if (WIFSIGNALED(o->status))
		return "is ended by a signal";
	if (WEXITSTATUS(o->status) == SANITIZER_EXIT || says(f, "Sanitizer") ||
	    says(f, "runtime error"))
		return "is reported by a sanitizer";
	if (WEXITSTATUS(o->status) > 3)
		return "has an exit code of its own";
	if (o->memory > most && !says(f, "memory"))
		return "takes too much memory";
	if (must_succeed && WEXITSTATUS(o->status) != 0 && WEXITSTATUS(o->status) != 3 &&
	    !says(f, "nothing was recorded"))
		return "fails, though the command before has not";
	return NULL;
}

static void tell(struct limited_run *f, uint64_t seed, const char *command, const struct outcome *o,
		 const char *why)
{
	const char *dot = strrchr(f->input, '.');
	char from[2 * PATH_MAX], to[4096];

	snprintf(from, sizeof(from), "%s/%s", f->folder, f->input);
	snprintf(to, sizeof(to), "%s/%" PRIu64 "%s", f->save, seed, dot ? dot : ".input");
	copy_file(from, to);
	printf("FAULT seed %" PRIu64 ": %s %s (status %#x, %ld KiB): %s\n", seed, command, why,
	       o->status, o->memory, to);
	snprintf(from, sizeof(from), "%s/err", f->folder);
	snprintf(to, sizeof(to), "%s/%" PRIu64 ".err", f->save, seed);
	copy_file(from, to);
	fflush(stdout);
	f->faults++;
}

struct outcome limited_run(struct limited_run *f, uint64_t seed, const char *command,
			   bool must_succeed)
{
	struct outcome o = { 0 };
	struct rusage usage;
	const char *why;
	pid_t pid = fork();

	if (pid < 0)
		fuzz_die("fork");
	if (!pid) {
		setpgid(0, 0);
		prepare_child(f, *command == '|');
		execute(f, command + (*command == '|'));
	}
	while (wait4(pid, &o.status, 0, &usage) < 0)
		if (errno != EINTR)
			fuzz_die("wait");
	kill(-pid, SIGKILL); /* processes that the command may have started */
	o.memory = usage.ru_maxrss;
	o.late = WIFSIGNALED(o.status) &&
		 (WTERMSIG(o.status) == SIGXCPU || WTERMSIG(o.status) == SIGALRM ||
		  WTERMSIG(o.status) == SIGKILL);
	f->runs++;
	why = judge(f, &o, must_succeed);
	if (why)
		tell(f, seed, command, &o, why);
	return o;
}

/* ---- the whole run ----------------------------------------------------------------------- */

/* Gives reports of sanitizers an exit code of their own, and limits the memory of the commands. */
static void set_sanitizers(void)
{
	setenv("ASAN_OPTIONS",
	       "exitcode=99:quarantine_size_mb=8:detect_leaks=0:allocator_may_return_null=1:"
	       "hard_rss_limit_mb=3000",
	       1);
	setenv("UBSAN_OPTIONS", "exitcode=99", 1);
}

int limited_run_begin(struct limited_run *f, int argc, char **argv, const char *usage)
{
	static char bin[PATH_MAX];
	int option;

	begin = time(NULL);
	set_sanitizers();
	while ((option = getopt(argc, argv, "s:n:t:c:w:")) >= 0)
		switch (option) {
		case 's': f->seed = strtoull(optarg, NULL, 0); break;
		case 'n': f->count = strtoull(optarg, NULL, 0); break;
		case 't': f->seconds = strtoull(optarg, NULL, 0); break;
		case 'c': f->n_commands = (unsigned)atoi(optarg); break;
		case 'w': f->with = optarg; break;
		default: exit(2);
		}
	if (argc - optind < 3) {
		fprintf(stderr, "usage: %s\n", usage);
		exit(2);
	}
	f->bin = realpath(argv[optind], bin);
	f->save = argv[optind + 1];
	if (!f->bin)
		fuzz_die(argv[optind]);
	scratch_folder(f->folder, "fuzz");
	if (mkdir(f->save, 0777) < 0 && errno != EEXIST)
		fuzz_die(f->save);
	printf("seed %" PRIu64 "\n", f->seed);
	fflush(stdout);
	return optind + 2;
}

bool limited_run_more(const struct limited_run *f, uint64_t done)
{
	return f->seconds ? (uint64_t)(time(NULL) - begin) < f->seconds : done < f->count;
}

int limited_run_end(struct limited_run *f, uint64_t done, const char *what)
{
	setenv("FOLDER", f->folder, 1);
	if (system("rm -rf \"$FOLDER\""))
		fuzz_die(f->folder);
	printf("%" PRIu64 " %s, %" PRIu64 " runs, %u faults\n", done, what, f->runs, f->faults);
	return f->faults != 0;
}
