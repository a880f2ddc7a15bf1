/* SPDX-License-Identifier: MIT */
#include "cli/common/command.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "cli/common/escape.h"
#include "traceformat/traceformat.h"

static const char *command_name = "tracelab";
static bool progress_shown;

void command_init(const char *name)
{
	command_name = name;
}

static void erase_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

/* Messages may quote a trace: they are escaped, and so are always one line. */
static void message(const char *severity, const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		command_out_of_memory();
	char *line = escape_text(text);

	erase_progress();
	fprintf(stderr, "%s: %s%s\n", command_name, severity, line);
	free(line);
	free(text);
}

void command_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message("error: ", format, arguments);
	va_end(arguments);
}

void command_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message("warning: ", format, arguments);
	va_end(arguments);
}

void command_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message("", format, arguments);
	va_end(arguments);
}

int command_usage_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message("error: ", format, arguments);
	va_end(arguments);
	return command_bad_option();
}

int command_bad_option(void)
{
	fprintf(stderr, "Try '%s --help'.\n", command_name);
	return EXIT_USAGE;
}

void command_out_of_memory(void)
{
	fprintf(stderr, "%s: error: out of memory\n", command_name);
	exit(EXIT_FAILED);
}

void command_version(void)
{
	uint64_t zydis = ZydisGetVersion();

	printf("%s (tracelab) %s\n", command_name, TRACELAB_VERSION);
	printf("trace format %d.%d, %s, zstd %s, zydis %d.%d.%d, jansson %s\n", TF_FORMAT_MAJOR,
	       TF_FORMAT_MINOR, tf_version(), ZSTD_versionString(),
	       (int)ZYDIS_VERSION_MAJOR(zydis), (int)ZYDIS_VERSION_MINOR(zydis),
	       (int)ZYDIS_VERSION_PATCH(zydis), jansson_version_str());
}

bool parse_count(const char *text, uint64_t *value)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} suffixes[] = {
		{ "", 1 },
		{ "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { "T", 1000000000000 },
		{ "Ki", 1ull << 10 }, { "Mi", 1ull << 20 }, { "Gi", 1ull << 30 },
		{ "Ti", 1ull << 40 },
	};
	uint64_t number = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *p - '0', &number))
			return false;
	if (p == text)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(p, suffixes[i].suffix)) {
			if (__builtin_mul_overflow(number, suffixes[i].factor, &number))
				return false;
			*value = number;
			return true;
		}
	return false;
}

bool parse_seconds(const char *text, double *value)
{
	size_t whole = strspn(text, "0123456789");
	const char *rest = text + whole;

	if (!whole)
		return false;
	if (*rest == '.') {
		size_t fraction = strspn(rest + 1, "0123456789");

		if (!fraction)
			return false;
		rest += 1 + fraction;
	}
	double number = strtod(text, NULL);

	if (*rest || number <= 0 || !isfinite(number))
		return false;
	*value = number;
	return true;
}

const char *format_count(uint64_t value, char text[COUNT_SIZE])
{
	char digits[COUNT_SIZE];
	int count = sprintf(digits, "%" PRIu64, value);
	char *to = text;

	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

int command_close_stdout(void)
{
	bool lost = ferror(stdout);
	int copy;

	errno = 0;
	if (fflush(stdout))
		lost = true;
	/* Network file systems report lost data on close; a copy leaves stdout open. */
	else if ((copy = dup(STDOUT_FILENO)) >= 0 && close(copy))
		lost = true;
	if (!lost)
		return EXIT_DONE;
	if (errno != EPIPE)
		command_error("standard output: %s; results are incomplete",
			      errno ? strerror(errno) : "a write failed");
	return EXIT_FAILED;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void progress_begin(struct progress *progress, const char *label, uint64_t total, bool quiet)
{
	*progress = (struct progress){
		.label = label,
		.total = total,
		.active = !quiet && isatty(STDERR_FILENO),
		.last_ns = now_ns(),
	};
}

void progress_update(struct progress *progress, uint64_t done)
{
	enum { INTERVAL_NS = 200000000 };
	char count[COUNT_SIZE];

	if (!progress->active)
		return;
	uint64_t now = now_ns();

	if (now - progress->last_ns < INTERVAL_NS)
		return;
	progress->last_ns = now;
	if (progress->total)
		fprintf(stderr, "\r\033[K%s %.0f %%", progress->label,
			100.0 * (double)done / (double)progress->total);
	else
		fprintf(stderr, "\r\033[K%s %s", progress->label, format_count(done, count));
	progress_shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->active)
		erase_progress();
	progress->active = false;
}
