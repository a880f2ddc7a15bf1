/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/metadata.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <Zydis/Zydis.h>
#include <xxhash.h>

#include "recorder/core/backend.h"
#include "recorder/core/output.h"
#include "traceformat/common/array.h"
#include "recorder/program/space.h"

extern char **environ;

/* Sources of differences between two recordings of a program with one thread. */
#define NOT_REPEATABLE "pids, time, getrandom, rdtsc, rdrand, kernel results"

/* A text that grows; .text is NULL if memory is out. */
struct text {
	char *text;
	size_t size;
	FILE *file;
};

static bool text_begin(struct text *t)
{
	t->text = NULL;
	t->file = open_memstream(&t->text, &t->size);
	return t->file;
}

/* Writes the text under a key and frees it. */
static int text_write(struct text *t, struct output *o, const char *key)
{
	bool whole = fclose(t->file) == 0;
	int status = whole ? output_meta(o, key, t->text) : output_memory(o);

	free(t->text);
	return status;
}

/* Writes a word quoted for the shell, so that the command can be copied from the trace and run. */
static void put_quoted(FILE *file, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789%+,-./:=@_";

	if (*word && word[strspn(word, plain)] == 0) {
		fputs(word, file);
		return;
	}
	putc('\'', file);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", file);
		else
			putc(*word, file);
	putc('\'', file);
}

static void put_arguments(FILE *file, char *const *argv)
{
	for (unsigned i = 0; argv[i]; i++) {
		if (i)
			putc(' ', file);
		put_quoted(file, argv[i]);
	}
}

/*
 * Visits the texts in a file of /proc/PID, each ended by a zero byte. Returns -1 if memory is out.
 */
static int each_text(pid_t pid, const char *name, int (*visit)(const char *text, void *opaque),
		     void *opaque)
{
	char path[64], *text = NULL;
	size_t room = 0;
	int status = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "re");
	while (file && status == 0 && getdelim(&text, &room, 0, file) > 0)
		status = visit(text, opaque);
	free(text);
	if (file)
		fclose(file);
	return status;
}

static int put_argument(const char *text, void *opaque)
{
	FILE *file = opaque;

	if (ftell(file) > 0)
		putc(' ', file);
	put_quoted(file, text);
	return 0;
}

static int write_command(struct session *s)
{
	char link[64], cwd[PATH_MAX];
	struct text t;
	ssize_t n;

	if (!text_begin(&t))
		return output_memory(s->output);
	if (s->options->pid)
		each_text(s->options->pid, "cmdline", put_argument, t.file);
	else
		put_arguments(t.file, s->options->argv);
	if (text_write(&t, s->output, "command.argv") < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/%d/cwd",
		 (int)(s->options->pid ? s->options->pid : getpid()));
	n = readlink(link, cwd, sizeof(cwd) - 1);
	cwd[n < 0 ? 0 : n] = 0;
	return n > 0 ? output_meta(s->output, "command.cwd", cwd) : 0;
}

/* Writes the value of the first line "name : value" of /proc/cpuinfo. */
static int write_cpuinfo(struct session *s, const char *name, const char *key)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char *line = NULL, *value = NULL;
	size_t room = 0, length = strlen(name);
	int status = 0;

	while (file && !value && getline(&line, &room, file) > 0)
		if (strncmp(line, name, length) == 0 && strchr("\t :", line[length]))
			value = strchr(line, ':');
	if (value) {
		value += strspn(value, ": ");
		value[strcspn(value, "\n")] = 0;
		status = output_meta(s->output, key, value);
	}
	free(line);
	if (file)
		fclose(file);
	return status;
}

static int write_host(struct session *s)
{
	struct utsname u;
	struct text t;

	if (write_cpuinfo(s, "vendor_id", "host.cpu.vendor") < 0 ||
	    write_cpuinfo(s, "model name", "host.cpu.model") < 0 ||
	    write_cpuinfo(s, "flags", "host.cpu.flags") < 0)
		return -1;
	if (!text_begin(&t))
		return output_memory(s->output);
	if (uname(&u) == 0)
		fprintf(t.file, "%s %s %s %s", u.sysname, u.release, u.version, u.machine);
	if (text_write(&t, s->output, "host.kernel") < 0)
		return -1;
	if (!text_begin(&t))
		return output_memory(s->output);
	fprintf(t.file, "%ld", sysconf(_SC_PAGESIZE));
	return text_write(&t, s->output, "host.page-size");
}

static int write_intervals(struct session *s)
{
	static const char *const boundaries[] = { "early", "exact", "loop" };
	struct text t;

	if (!s->options->interval)
		return 0;
	if (!text_begin(&t))
		return output_memory(s->output);
	fprintf(t.file, "%llu", (unsigned long long)s->options->interval);
	if (text_write(&t, s->output, "vectors.interval") < 0)
		return -1;
	return output_meta(s->output, "vectors.boundary", boundaries[s->options->boundary]);
}

static int write_recorder(struct session *s)
{
	static const char *const cpus[] = {
		[0] = "native", [2] = "x86-64-v2", "x86-64-v3", "x86-64-v4"
	};
	const struct record_options *o = s->options;
	uint64_t v = ZydisGetVersion();
	const struct {
		const char *key, *value;
	} facts[] = {
		{ "recorder.version", TRACELAB_VERSION },
		{ "recorder.backend", o->only_samples ? "none" : s->backend->name },
		{ "recorder.options", o->command_options ? o->command_options : "" },
		{ "addresses", o->no_addresses ? "none" : "virtual" },
		{ "order",
		  s->schedule.serial ? "exact, serialised by the recorder" : "exact, one thread" },
		{ "clock", "monotonic" },
		{ "not-repeatable", NOT_REPEATABLE },
		{ "attached", o->pid ? "yes" : "no" },
		{ "cpu", cpus[o->cpu] },
	};
	struct text t;

	for (unsigned i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (output_meta(s->output, facts[i].key, facts[i].value) < 0)
			return -1;
	if (write_intervals(s) < 0)
		return -1;
	if (!text_begin(&t))
		return output_memory(s->output);
	fprintf(t.file, "zydis %u.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(v),
		(unsigned)ZYDIS_VERSION_MINOR(v), (unsigned)ZYDIS_VERSION_PATCH(v));
	return text_write(&t, s->output, "decoder.version");
}

/* Writes a variable; characters that a key cannot have become underscores. */
static int write_variable(const char *text, void *opaque)
{
	struct session *s = opaque;
	bool values = s->options->environment == RECORD_ENV_ALL;
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : "";
	char *key;
	int status;

	if (asprintf(&key, "env.%.*s", (int)length, text) < 0)
		return output_memory(s->output);
	for (char *c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-')
			*c = '_';
	status = output_meta(s->output, key, values ? value : "<redacted>");
	free(key);
	return status;
}

static int write_environment(struct session *s)
{
	int status = 0;

	if (s->options->environment == RECORD_ENV_NONE)
		return 0;
	if (s->options->pid)
		return each_text(s->options->pid, "environ", write_variable, s);
	for (char **e = environ; *e && status == 0; e++)
		status = write_variable(*e, s);
	return status;
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Writes the hashes of all variables with their values, so that runs can be compared. */
static int write_variable_hashes(struct session *s)
{
	ARRAY(uint64_t) hashes = { 0 };
	struct text t;

	if (s->options->pid || !(s->options->interval || s->options->slices))
		return 0;
	for (char **e = environ; *e; e++) {
		if (!RESERVE(hashes, hashes.count + 1)) {
			free(hashes.at);
			return output_memory(s->output);
		}
		hashes.at[hashes.count++] = XXH3_64bits(*e, strlen(*e));
	}
	if (hashes.count)
		qsort(hashes.at, hashes.count, sizeof(*hashes.at), compare_hashes);
	if (!text_begin(&t)) {
		free(hashes.at);
		return output_memory(s->output);
	}
	for (size_t i = 0; i < hashes.count; i++)
		fprintf(t.file, "%s%016llx", i ? " " : "", (unsigned long long)hashes.at[i]);
	free(hashes.at);
	return text_write(&t, s->output, "environment.hashes");
}

int metadata_write(struct session *s)
{
	if (write_command(s) < 0 || write_host(s) < 0 || write_recorder(s) < 0 ||
	    write_variable_hashes(s) < 0)
		return -1;
	return write_environment(s);
}

int metadata_threads(struct session *s, uint32_t before)
{
	struct output_totals totals;

	output_totals(s->output, &totals);
	if (before > 1 || totals.threads < 2)
		return 0;
	if (s->schedule.serial)
		return 0;
	if (output_meta(s->output, "order", "approximate, as the buffers of threads were filled") <
	    0)
		return -1;
	return output_meta(s->output, "not-repeatable", "the order of threads, " NOT_REPEATABLE);
}

int metadata_program(struct task *t)
{
	struct output *o = t->session->output;
	char link[64], path[PATH_MAX], id[2 * 20 + 1] = "";
	const struct space *space = t->process->space;
	unsigned long now = 0;
	ssize_t n;
	FILE *file;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)t->tid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = 0;
	for (size_t i = 0; i < space->count && !*id; i++) {
		const struct module *m = space->mappings[i].module;

		for (unsigned k = 0; m && strcmp(m->path, path) == 0 && k < m->build_id_size; k++)
			sprintf(id + 2 * k, "%02x", m->build_id[k]);
	}
	snprintf(link, sizeof(link), "/proc/%d/personality", (int)t->tid);
	file = fopen(link, "re");
	if (file) {
		if (fscanf(file, "%lx", &now) != 1)
			now = 0;
		fclose(file);
	}
	if (output_meta(o, "exe.path", path) < 0 || output_meta(o, "exe.build-id", id) < 0)
		return -1;
	return output_meta(o, "aslr", now & ADDR_NO_RANDOMIZE ? "off" : "on");
}

int metadata_exec(struct task *t)
{
	enum { MOST_PROGRAMS = 1000 };
	struct session *s = t->session;
	char key[32];
	struct text text;

	if (s->processes.n_execs == MOST_PROGRAMS)
		return 0;
	if (!text_begin(&text))
		return output_memory(s->output);
	fprintf(text.file, "%d", (int)t->process->pid);
	each_text(t->tid, "cmdline", put_argument, text.file);
	sprintf(key, "exec.%u", ++s->processes.n_execs);
	return text_write(&text, s->output, key);
}
