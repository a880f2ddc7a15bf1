/* SPDX-License-Identifier: MIT */
/*
 * Runs every command that reads traces on traces whose sections, records and fields were changed, with
 * right hashes. Faults are: a command that a signal ends, a report of a sanitizer, an exit code that no
 * manual names, more time or memory than such a file can need, and a trace that trace-verify finds
 * good but that another command cannot read.
 *
 *	fuzz_commands [-s SEED] [-n TRACES | -t SECONDS] [-c COMMANDS] [-x FACTOR] BIN SAVE TRACE...
 *
 * BIN is the folder of the commands, SAVE one for the traces that fail, TRACE... what is changed. -c: so
 * many commands a trace, by turns (default 8; 0: all). -x: times more time and memory, for commands
 * that are slower with sanitizers. The same seed gives the same traces and commands.
 */
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

#include "tests/fuzz/mutate_trace.h"

enum {
	MOST_WORDS = 16,
	MOST_SEED_BYTES = 1 << 20,
	MOST_SECONDS = 10, /* of a processor, for a command */
	SANITIZER_EXIT = 99,
	SPARE_MEMORY = 256 << 10,
	MEMORY_FACTOR = 100, /* KiB; bytes for a byte of the trace */
};

/* ---- what is run ------------------------------------------------------------------------- */

/* '@' is the trace. Commands that begin with '+' must succeed if trace-verify does. */
/* clang-format off */
static const char *const commands[] = {
	"+trace-info @", "+trace-info --format=json -t -m -r -s --meta --columns @",
	"trace-info --format=csv -t -m -r -s --meta --columns @",
	"+trace-dump -c 3000 @", "trace-dump -c 500 --format=jsonl --bytes @",
	"trace-dump -c 500 --format=csv --blocks --intel @", "trace-dump --samples @",
	"trace-dump -t 0 -c 100 -f 10 @",
	"trace-verify --decode -q @", "trace-repair -q --force -o out @", "trace-repack -q --force -o out @",
	"trace-cut -q --force --from=3 --count=20 --warmup=2 -o out @",
	"trace-cut -q --force --from-symbol=main --count=20 -o out @",
	"trace-cut -q --force --simpoints=points.json -o out @",
	"+trace-mix -q @", "trace-mix -q --by=mnemonic --jobs=3 --format=csv @",
	"trace-mix -q --by=symbol --format=json @", "trace-mix -q --by=line @", "trace-mix -q --by=module @",
	"trace-mix -q --by=thread --threads=each @", "trace-mix -q --by=total --interval=7 @",
	"trace-mix -q --from=5 --count=30 --thread=0 @", "trace-mix -q --region=recorded @",
	"trace-bbv -q --interval=50 @", "trace-bbv -q --interval=50 --pc-out-file=pc --compat=exact @",
	"trace-bbv -q --interval=20 --blocks=cfg --memory=page @", "trace-bbv -q --instr-count-only @",
	"trace-ibs -q --period=144 @", "trace-ibs -q --period=16 --by=object,page --format=json @",
	"trace-ibs -q --period=144 --by=line,thread --machine=zen5 --jobs=2 @",
	"trace-ibs -q --period=144 --by=instruction --where=ld --histogram @",
	"trace-ibs -q --source=hardware --by=stack @", "trace-ibs -q --period=144 --packets=packets @",
	"trace-slo -q --min-distance=1 --histogram --misses @",
	"trace-slo -q --min-distance=0 --data --html=page.html --cache-size=64 --miss-cycles=1 @",
	"trace-stackdist -q @",
	"trace-stackdist -q --accesses=reads,writes,fetches --block-size=1,64 --histogram --curve --jobs=2 @",
	"trace-itypes -q @", "trace-itypes -q --interval=10 --format=csv @", "trace-ppm -q @",
	"trace-reg -q @", "trace-reg -q --fold-registers --threads=each @", "trace-stride -q @",
	"+trace-footprint -q @", "trace-footprint -q --jobs=2 --interval=9 --block-size=16 @",
	"trace-ilp -q @", "trace-ilp -q --windows=8,unlimited --flags --exact-intervals @",
	"trace-mica -q --directory=. @", "trace-mica -q --dialect=0.40 --directory=. @",
	"trace-simpoint -q --interval=20 --max-k=3 @",
	"trace-analyze --all -q -o all @"
};
/* clang-format on */
enum { N_COMMANDS = sizeof(commands) / sizeof(*commands) };

struct fuzzer {
	const char *bin, *save;
	char folder[64]; /* the current one of commands */
	uint64_t seed, trace_bytes;
	unsigned factor, faults;
	uint64_t n_runs;
};

struct outcome {
	int status;  /* as of wait(2) */
	long memory; /* KiB */
	bool late;   /* it did not end by itself */
};

static void die(const char *what)
{
	fprintf(stderr, "fuzz_commands: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- running ----------------------------------------------------------------------------- */

static void limit(int resource, rlim_t value)
{
	setrlimit(resource, &(struct rlimit){ value, value });
}

/* In the child. Files are cut off at a size, which is no signal but an error to be told. */
static void prepare_child(const struct fuzzer *f)
{
	int null = open("/dev/null", O_RDWR), err;

	if (chdir(f->folder) < 0)
		_exit(126);
	err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(null, 0);
	dup2(null, 1);
	dup2(err, 2);
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_FSIZE, 64 << 20);
	limit(RLIMIT_CPU, MOST_SECONDS * f->factor);
	limit(RLIMIT_CORE, 0);
	if (f->factor == 1)
		limit(RLIMIT_AS, UINT64_C(3) << 30);
	alarm(30 * MOST_SECONDS * f->factor);
}

static void execute(const struct fuzzer *f, const char *command)
{
	char copy[512], program[4096], *words[MOST_WORDS + 1] = { 0 }, *rest = copy;
	unsigned n = 0;

	snprintf(copy, sizeof(copy), "%s", command + (*command == '+'));
	while (n < MOST_WORDS && (words[n] = strsep(&rest, " ")))
		if (!strcmp(words[n++], "@"))
			words[n - 1] = "in.trace";
	snprintf(program, sizeof(program), "%s/%s", f->bin, words[0]);
	execv(program, words);
	_exit(126);
}

static struct outcome run(struct fuzzer *f, const char *command)
{
	struct outcome o = { 0 };
	struct rusage usage;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		setpgid(0, 0);
		prepare_child(f);
		execute(f, command);
	}
	while (wait4(pid, &o.status, 0, &usage) < 0)
		if (errno != EINTR)
			die("wait");
	kill(-pid, SIGKILL); /* what it may have started */
	o.memory = usage.ru_maxrss;
	o.late = WIFSIGNALED(o.status) &&
		 (WTERMSIG(o.status) == SIGXCPU || WTERMSIG(o.status) == SIGALRM ||
		  WTERMSIG(o.status) == SIGKILL);
	f->n_runs++;
	return o;
}

/* ---- judging ----------------------------------------------------------------------------- */

static bool says(const struct fuzzer *f, const char *word)
{
	static char text[1 << 16];
	char path[128];
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

/* Returns what is wrong, or NULL. */
static const char *judge(const struct fuzzer *f, const char *command, const struct outcome *o,
			 bool verified)
{
	long most = (SPARE_MEMORY + (long)(f->trace_bytes * MEMORY_FACTOR >> 10)) * f->factor;

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
	if (verified && *command == '+' && WEXITSTATUS(o->status) != 0 &&
	    WEXITSTATUS(o->status) != 3)
		return "fails, though trace-verify does not";
	return NULL;
}

static void copy_file(const char *from, const char *to)
{
	char buffer[1 << 16];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t n;

	if (!in || !out)
		die(to);
	while ((n = fread(buffer, 1, sizeof(buffer), in)))
		fwrite(buffer, 1, n, out);
	fclose(in);
	fclose(out);
}

static void tell(struct fuzzer *f, uint64_t seed, const char *command, const struct outcome *o,
		 const char *why)
{
	char from[128], to[4096];

	command += *command == '+';
	snprintf(from, sizeof(from), "%s/in.trace", f->folder);
	snprintf(to, sizeof(to), "%s/%" PRIu64 ".trace", f->save, seed);
	copy_file(from, to);
	printf("FAULT seed %" PRIu64 ": %s %s (status %#x, %ld KiB): %s\n", seed, command, why,
	       o->status, o->memory, to);
	snprintf(from, sizeof(from), "%s/err", f->folder);
	snprintf(to, sizeof(to), "%s/%" PRIu64 ".err", f->save, seed);
	copy_file(from, to);
	fflush(stdout);
	f->faults++;
}

static struct outcome try_command(struct fuzzer *f, uint64_t seed, const char *command,
				  bool verified)
{
	struct outcome o = run(f, command);
	const char *why = judge(f, command, &o, verified);

	if (why)
		tell(f, seed, command, &o, why);
	return o;
}

/* ---- traces ------------------------------------------------------------------------------ */

static void read_whole(const char *path, struct buffer *b)
{
	FILE *file = fopen(path, "r");
	size_t n = 0;

	b->size = 0;
	if (file && buffer_reserve(b, MOST_SEED_BYTES))
		n = fread(b->data, 1, MOST_SEED_BYTES, file);
	if (!file || !n)
		die(path);
	b->size = n;
	fclose(file);
}

static void make_trace(struct fuzzer *f, const char *from, uint64_t *state)
{
	struct buffer bytes = { 0 }, file = { 0 };
	struct loose_trace t = { 0 };
	char path[128];
	FILE *out;

	read_whole(from, &bytes);
	if (loose_trace_take(&t, bytes.data, bytes.size, MOST_SEED_BYTES)) {
		mutate_trace(&t, state);
		loose_trace_put(&t, &file);
	} else {
		put_bytes(&file, bytes.data, bytes.size);
	}
	mutate_file(&file, state);
	snprintf(path, sizeof(path), "%s/in.trace", f->folder);
	out = fopen(path, "w");
	if (!out || fwrite(file.data, 1, file.size, out) != file.size || fclose(out))
		die(path);
	f->trace_bytes = file.size;
	loose_trace_free(&t);
	buffer_free(&bytes);
	buffer_free(&file);
}

static void try_trace(struct fuzzer *f, uint64_t seed, char **traces, unsigned n_traces,
		      unsigned n_commands)
{
	uint64_t state = seed * 0x2545f4914f6cdd1d + 1;
	struct outcome verify;
	bool verified;

	make_trace(f, traces[random_under(&state, n_traces)], &state);
	verify = try_command(f, seed, "trace-verify -q @", false);
	verified = WIFEXITED(verify.status) && WEXITSTATUS(verify.status) == 0;
	if (!n_commands || n_commands >= N_COMMANDS)
		for (unsigned i = 0; i < N_COMMANDS; i++)
			try_command(f, seed, commands[i], verified);
	else
		for (unsigned i = 0; i < n_commands; i++)
			try_command(f, seed, commands[random_under(&state, N_COMMANDS)], verified);
}

static void make_folder(struct fuzzer *f)
{
	static const char points[] =
		"{\"counter\": \"exact\", \"thread\": 0, \"interval_size\": 20, \"points\": ["
		"{\"cluster\": 0, \"interval\": 1, \"weight\": 0.5, \"start\": 20, \"end\": 40}, "
		"{\"cluster\": 1, \"interval\": 3, \"weight\": 0.5, \"start\": 60, \"end\": 80}]}\n";
	char path[128];
	FILE *file;

	snprintf(f->folder, sizeof(f->folder), "/tmp/fuzz_commands.XXXXXX");
	if (!mkdtemp(f->folder) || (mkdir(f->save, 0777) < 0 && errno != EEXIST))
		die(f->save);
	snprintf(path, sizeof(path), "%s/points.json", f->folder);
	file = fopen(path, "w");
	if (!file || fputs(points, file) < 0 || fclose(file))
		die(path);
}

static void remove_folder(const struct fuzzer *f)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", f->folder);
	if (system(command))
		die(f->folder);
}

int main(int argc, char **argv)
{
	struct fuzzer f = { .seed = 1, .factor = 1 };
	uint64_t n = 100, seconds = 0, done = 0;
	unsigned n_commands = 8;
	time_t begin = time(NULL);
	int option;

	while ((option = getopt(argc, argv, "s:n:t:c:x:")) >= 0)
		switch (option) {
		case 's': f.seed = strtoull(optarg, NULL, 0); break;
		case 'n': n = strtoull(optarg, NULL, 0); break;
		case 't': seconds = strtoull(optarg, NULL, 0); break;
		case 'c': n_commands = (unsigned)atoi(optarg); break;
		case 'x': f.factor = (unsigned)atoi(optarg); break;
		default: return 2;
		}
	if (argc - optind < 3) {
		fprintf(stderr, "usage: fuzz_commands [OPTION]... BIN SAVE TRACE...\n");
		return 2;
	}
	f.bin = realpath(argv[optind], NULL);
	f.save = argv[optind + 1];
	if (!f.bin)
		die(argv[optind]);
	make_folder(&f);
	printf("seed %" PRIu64 "\n", f.seed);
	fflush(stdout);
	for (; seconds ? (uint64_t)(time(NULL) - begin) < seconds : done < n; done++)
		try_trace(&f, f.seed + done, argv + optind + 2, (unsigned)(argc - optind - 2),
			  n_commands);
	remove_folder(&f);
	printf("%" PRIu64 " traces, %" PRIu64 " runs, %u faults\n", done, f.n_runs, f.faults);
	return f.faults != 0;
}
