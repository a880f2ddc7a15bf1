/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/scratch.h"
#include "tests/unit/analyzers/analyzer_run.h"

enum { PC_0 = 0x1000, PC_1 = 0x2000, TURNS_0 = 300, TURNS_1 = 200, CHUNK_TURNS = 50 };

struct synthetic trace;
static struct synthetic_code code_0, code_1;

void begin_trace(const struct tf_writer_options *options)
{
	synthetic_begin(&trace, options);
	uint32_t process = synthetic_process(&trace, 100);

	for (int i = 0; i < 3; i++)
		synthetic_thread(&trace, process);
	code_0 = synthetic_code(&trace, PC_0, BYTES("\x48\x8b\x03\x90\xff\xc9\x75\xf7"));
	code_1 = synthetic_code(&trace, PC_1, BYTES("\xff\xc9\x75\xfc"));
}

void turn(uint32_t thread, uint64_t i)
{
	uint64_t address = 0x10000 + 8 * i;

	if (thread == 0)
		synthetic_exec(&trace, 0, code_0.taken, &address);
	else
		synthetic_exec(&trace, 1, code_1.taken, NULL);
	if ((i + 1) % CHUNK_TURNS == 0)
		synthetic_flush(&trace, thread);
}

void make_trace(const struct tf_writer_options *options)
{
	begin_trace(options);
	for (uint64_t i = 0; i < TURNS_0; i++)
		turn(0, i);
	for (uint64_t i = 0; i < TURNS_1; i++)
		turn(1, i);
	for (int i = 0; i < 30; i++) {
		synthetic_schedule(&trace, 0, 40);
		synthetic_schedule(&trace, 1, 10);
	}
	synthetic_schedule(&trace, 1, 100);
	synthetic_end(&trace);
}

char output[TEXT_SIZE], messages[TEXT_SIZE];
char output_path[4096];

static void read_file(const char *path, char *text)
{
	FILE *in = fopen(path, "r");
	size_t size = 0;

	if (in)
		size = fread(text, 1, TEXT_SIZE - 1, in);
	text[size] = 0;
	if (in)
		fclose(in);
}

int analyze(const struct analyzer *analyzer, ...)
{
	scratch_path messages_path;
	char *argv[RUN_ARGUMENTS + 1] = { (char *)analyzer->name, "-o", output_path, trace.path };
	int argc = 4, fd = scratch_file(messages_path, "messages"), kept = dup(STDERR_FILENO);
	va_list arguments;

	va_start(arguments, analyzer);
	for (char *a; argc < RUN_ARGUMENTS && (a = va_arg(arguments, char *)); argc++)
		argv[argc] = a;
	va_end(arguments);
	dup2(fd, STDERR_FILENO);
	int status = analyzer_main(analyzer, argc, argv);

	dup2(kept, STDERR_FILENO);
	close(kept);
	close(fd);
	read_file(messages_path, messages);
	read_file(output_path, output);
	unlink(messages_path);
	return status;
}

void analyzer_run_begin(void)
{
	close(scratch_file(output_path, "output"));
}

void analyzer_run_end(void)
{
	unlink(output_path);
	synthetic_remove(&trace);
}

void assert_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part), "no \"%s\" in:\n%s", part, text);
}

void assert_has_not(const char *text, const char *part)
{
	ck_assert_msg(!strstr(text, part), "\"%s\" in:\n%s", part, text);
}
