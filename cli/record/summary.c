/* SPDX-License-Identifier: MIT */
#include "cli/record/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cli/common/columns.h"
#include "cli/common/command.h"
#include "cli/common/quantity.h"

/* Returns the option that stopped the recording as text, or "" if none did. */
static const char *stopped_by(const char *reason)
{
	static const struct {
		const char *reason, *text;
	} texts[] = {
		{ "count", ", stopped by --count" },      { "to", ", stopped by --to" },
		{ "time", ", stopped by --time" },        { "size", ", stopped by --max-size" },
		{ "interrupt", ", stopped by a signal" },
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(texts[i].reason, reason) == 0)
			return texts[i].text;
	return "";
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void put_samples(const char *name, const struct record_result *r)
{
	char samples[COUNT_SIZE], bytes[COUNT_SIZE];

	command_note("%s: %s sample%s, %s bytes%s", name, format_count(r->samples, samples),
		     r->samples == 1 ? "" : "s", format_count(r->bytes, bytes),
		     stopped_by(r->stop_reason));
}

/* Returns how many decimals show two digits of a small value. */
static int decimals_of(double value)
{
	int decimals = 2;

	for (; value > 0 && value < 0.1 && decimals < 6; value *= 10)
		decimals++;
	return decimals;
}

static void put_summary(const char *name, const struct record_result *r)
{
	char instructions[COUNT_SIZE], bytes[COUNT_SIZE];
	double each = ratio(r->bytes, r->instructions);

	command_note("%s: %s instructions, %s bytes (%.*f bytes/instruction)%s", name,
		     format_count(r->instructions, instructions), format_count(r->bytes, bytes),
		     decimals_of(each), each, stopped_by(r->stop_reason));
}

struct count {
	uint64_t value;
	const char *of;
};

/* Prints "NAME: 1,234 paths, 56 flushes" in one line, which has room for all lists in this file. */
static void put_counts(const char *name, const struct count *counts, size_t n)
{
	char text[256], value[COUNT_SIZE];
	size_t length = 0;

	for (size_t i = 0; i < n && length < sizeof(text); i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %s",
					   i ? ", " : "", format_count(counts[i].value, value),
					   counts[i].of);
	command_note("%s: %s", name, text);
}

#define PUT_COUNTS(name, ...)                                                  \
	do {                                                                   \
		const struct count counts_[] = { __VA_ARGS__ };                \
                                                                               \
		put_counts(name, counts_, sizeof(counts_) / sizeof(*counts_)); \
	} while (0)

static void put_translation(const struct record_stats *s)
{
	PUT_COUNTS("stops", { s->exits, "targets missing" },
		   { s->indirect, "indirect targets missing" },
		   { s->calls, "new return addresses" }, { s->buffers, "buffers full" });
	PUT_COUNTS("translated", { s->superblocks, "superblocks" },
		   { s->extended, "of them extended" }, { s->insns, "instructions" },
		   { s->code_bytes, "bytes of code" }, { s->flushes, "flushes" });
	if (s->cache_loaded || s->cache_stale || s->cache_bytes || s->cache_written) {
		PUT_COUNTS("code cache", { s->cache_loaded, "superblocks loaded" },
			   { s->cache_stale, "stale" }, { s->cache_added, "added" },
			   { s->cache_damaged, "files damaged" }, { s->cache_bytes, "bytes read" },
			   { s->cache_written, "bytes written" });
	}
	if (s->checked)
		PUT_COUNTS("self-check", { s->checked, "values" });
	command_note("seconds: %.3f translating, %.3f stepping, %.3f waiting for the encoder, "
		     "%.3f writing records; of CPU, elsewhere: %.3f encoding, %.3f compressing",
		     s->translating, s->stepping, s->waiting, s->writing, s->encoding,
		     s->compressing);
}

static void put_column(const char *name, uint64_t bytes, const struct record_result *r)
{
	char text[COUNT_SIZE];

	command_note("bytes: %s (%.1f %%) %s", format_count(bytes, text),
		     100 * ratio(bytes, r->bytes), name);
}

/* Prints how the trace's bytes are distributed. */
static void put_bytes(const char *path, const struct record_result *r)
{
	struct tf_reader *reader = NULL;
	struct columns sums;
	struct tf_error error;
	uint64_t others = r->bytes; /* mainly symbols, blocks and paths */

	if (tf_open(path, &reader, &error) < 0 || columns_sum(reader, &sums, &error) < 0) {
		command_warning("%s", error.text);
		tf_close(reader);
		return;
	}
	for (size_t i = 0; i < sums.count; i++) {
		const struct column_usage *c = &sums.columns[i];

		put_column(tf_column_name(c->id), c->stored, r);
		others -= c->stored;
	}
	put_column("outside of the columns", others, r);
	free(sums.columns);
	tf_close(reader);
}

/*
 * Returns the recorder's peak resident memory in bytes, including memory shared with the program.
 */
static uint64_t most_memory(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss << 10;
}

/* Prints the time of the phases of the recording thread, and their sum. */
static void put_phases(const struct record_stats *s)
{
	static const char *const names[RECORD_PHASES] = {
		[RECORD_LAUNCH] = "launch", [RECORD_TRANSLATE] = "translate",
		[RECORD_LOAD] = "load",     [RECORD_SYNCHRONIZE] = "synchronize",
		[RECORD_WRITE] = "write",   [RECORD_EXIT] = "exit",
		[RECORD_RUN] = "other",
	};
	static const enum record_phase order[] = { RECORD_LAUNCH, RECORD_TRANSLATE,
						   RECORD_LOAD,   RECORD_SYNCHRONIZE,
						   RECORD_WRITE,  RECORD_EXIT,
						   RECORD_RUN };
	struct record_seconds sum = { 0 };
	char text[512];
	size_t length = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		const struct record_seconds *p = &s->phases[order[i]];

		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s %.3f s (CPU %.3f s), ", names[order[i]], p->elapsed,
					   p->cpu);
		sum.elapsed += p->elapsed;
		sum.cpu += p->cpu;
	}
	command_note("phases: %stogether %.3f s (CPU %.3f s)", text, sum.elapsed, sum.cpu);
}

static void put_stats(const struct record_result *r)
{
	const struct record_stats *s = &r->stats;
	uint64_t speed = r->seconds > 0 ? (uint64_t)((double)r->instructions / r->seconds) : 0;
	char text[COUNT_SIZE];

	PUT_COUNTS("executed", { r->instructions, "instructions" }, { r->paths, "superblocks" },
		   { r->blocks, "blocks" }, { r->static_blocks, "different ones" },
		   { r->opaque, "opaque instructions" });
	command_note("a superblock: %.2f instructions, %.2f slots",
		     ratio(r->instructions, r->paths), ratio(r->slots, r->paths));
	PUT_COUNTS("threads", { r->threads, noun(r->threads, "thread", "threads") },
		   { r->processes, noun(r->processes, "process", "processes") },
		   { r->steps, "times resumed" }, { s->syscalls, "system calls" });
	PUT_COUNTS("stepped", { s->stepped_blocks, "blocks" },
		   { s->stepped_insns, "instructions" });
	if (s->superblocks)
		put_translation(s);
	put_phases(s);
	PUT_COUNTS("memory", { most_memory(), "bytes at most" });
	command_note("%.3f s, %s instructions/s", r->seconds, format_count(speed, text));
}

static bool is_stdout(const struct record_options *o)
{
	return o->output && strcmp(o->output, "-") == 0;
}

/* Prints a note if so many small intervals have ended that their stops have made the run slower. */
static void put_stops(const char *name, const struct record_options *o,
		      const struct record_result *r)
{
	enum { SMALL_INTERVAL = 10000000, MANY_INTERVALS = 1000 };
	char intervals[COUNT_SIZE];
	uint64_t n = o->interval ? r->instructions / o->interval : 0;

	if (o->interval < SMALL_INTERVAL && n >= MANY_INTERVALS)
		command_note("%s: the program was stopped at the end of each of about %s "
			     "intervals; with an --interval of at least 10M, such stops take "
			     "little time",
			     name, format_count(n, intervals));
}

static const char *trace_name(const struct record_options *o, char **made)
{
	const char *slash = o->argv ? strrchr(o->argv[0], '/') : NULL;
	int size;

	if (o->output)
		return is_stdout(o) ? "standard output" : o->output;
	if (o->pid)
		size = asprintf(made, "%d.trace", (int)o->pid);
	else
		size = asprintf(made, "%s.trace", slash ? slash + 1 : o->argv[0]);
	return size < 0 ? "trace" : *made;
}

void summary_put(const struct arguments *a, const struct record_result *r)
{
	char *made = NULL;
	const char *name = trace_name(&a->options, &made);
	struct stat st;

	if (!a->quiet && !a->options.only_samples)
		put_summary(name, r);
	if (!a->quiet && a->vectors)
		put_stops(name, &a->options, r);
	if (!a->quiet && a->options.sample)
		put_samples(name, r);
	if (a->options.stats)
		put_stats(r);
	if (a->options.stats && !is_stdout(&a->options) && stat(name, &st) == 0 &&
	    S_ISREG(st.st_mode))
		put_bytes(name, r);
	free(made);
}
