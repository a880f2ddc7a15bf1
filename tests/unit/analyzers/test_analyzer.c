/* SPDX-License-Identifier: MIT */
/* The shared main of analyzers, with analyzers that show what they were fed. */
#include <check.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/common/options.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

/* ---- the trace --------------------------------------------------------------------------- */

/*
 * Thread 0 executes a loop of 4 instructions 300 times, thread 1 one of 2 instructions 200 times,
 * thread 2 nothing; both in chunks of 50 turns. The recorded order is 10 turns of thread 0, then
 * 5 of thread 1, while there are some.
 */
enum { PC_0 = 0x1000, PC_1 = 0x2000, TURNS_0 = 300, TURNS_1 = 200, CHUNK_TURNS = 50 };

static struct synthetic trace;
static struct synthetic_code code_0, code_1;

static void begin_trace(const struct tf_writer_options *options)
{
	synthetic_begin(&trace, options);
	uint32_t process = synthetic_process(&trace, 100);

	for (int i = 0; i < 3; i++)
		synthetic_thread(&trace, process);
	code_0 = synthetic_code(&trace, PC_0, BYTES("\x48\x8b\x03\x90\xff\xc9\x75\xf7"));
	code_1 = synthetic_code(&trace, PC_1, BYTES("\xff\xc9\x75\xfc"));
}

static void turn(uint32_t thread, uint64_t i)
{
	uint64_t address = 0x10000 + 8 * i;

	if (thread == 0)
		synthetic_exec(&trace, 0, code_0.taken, &address);
	else
		synthetic_exec(&trace, 1, code_1.taken, NULL);
	if ((i + 1) % CHUNK_TURNS == 0)
		synthetic_flush(&trace, thread);
}

static void make_trace(const struct tf_writer_options *options)
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

/* ---- running an analyzer ----------------------------------------------------------------- */

enum { TEXT_SIZE = 1 << 16, MAX_ARGUMENTS = 16 };

static char output[TEXT_SIZE], messages[TEXT_SIZE];
static char output_path[64];

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

/* Runs the analyzer with the arguments, up to NULL, and `-o FILE TRACE`; its result is then in
 * output, its messages in messages. Returns the exit code. */
static int run(const struct analyzer *analyzer, ...)
{
	char messages_path[] = "/tmp/test_analyzer-err-XXXXXX";
	char *argv[MAX_ARGUMENTS + 1] = { (char *)analyzer->name, "-o", output_path, trace.path };
	int argc = 4, fd = mkstemp(messages_path), kept = dup(STDERR_FILENO);
	va_list arguments;

	ck_assert_int_ge(fd, 0);
	va_start(arguments, analyzer);
	for (char *a; argc < MAX_ARGUMENTS && (a = va_arg(arguments, char *)); argc++)
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

static void setup(void)
{
	int fd;

	strcpy(output_path, "/tmp/test_analyzer-out-XXXXXX");
	fd = mkstemp(output_path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void)
{
	unlink(output_path);
	synthetic_remove(&trace);
}

static void assert_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part), "no \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	ck_assert_msg(!strstr(text, part), "\"%s\" in:\n%s", part, text);
}

/* ---- an analyzer that depends on the order of everything --------------------------------- */

/* hash is a polynomial in the pcs of the instructions, so that parts can be merged. */
struct probe {
	uint64_t instructions, hash, power, first_address, last_address, events, switches;
	uint32_t last_thread;
};

enum { FACTOR = 1000003 };

static void see(struct probe *p, uint32_t thread, uint64_t pc)
{
	p->switches += p->instructions && thread != p->last_thread;
	p->last_thread = thread;
	p->instructions++;
	p->hash = p->hash * FACTOR + pc;
	p->power *= FACTOR;
}

static int probe_start(void *self, const struct analysis *run)
{
	((struct probe *)self)->power = 1;
	(void)run;
	return 0;
}

static int probe_blocks(void *self, const struct tf_item *item)
{
	struct probe *p = self;

	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];

		for (unsigned k = 0; k < exec->executed; k++)
			see(p, item->thread, exec->block->pc + exec->block->insns[k].offset);
		if (exec->values && exec->block->n_operands)
			p->last_address = exec->values[0];
		if (!p->first_address)
			p->first_address = p->last_address;
	}
	return 0;
}

static int probe_insns(void *self, const struct tf_item *item)
{
	for (size_t i = 0; i < item->count; i++)
		see(self, item->thread, item->insns[i].pc);
	return 0;
}

static int probe_event(void *self, const struct tf_event *event)
{
	(void)event;
	((struct probe *)self)->events++;
	return 0;
}

static int probe_merge(void *self, const void *other)
{
	struct probe *p = self;
	const struct probe *later = other;

	p->hash = p->hash * later->power + later->hash;
	p->power *= later->power;
	p->instructions += later->instructions;
	if (later->instructions)
		p->last_address = later->last_address;
	return 0;
}

static int probe_report(void *self, const struct analysis *run, struct report *report)
{
	const struct probe *p = self;

	(void)run;
	report_u64(report, "instructions", "", p->instructions);
	report_u64(report, "hash", "", p->hash >> 1);
	report_u64(report, "first_address", "", p->first_address);
	report_u64(report, "last_address", "", p->last_address);
	report_u64(report, "events", "", p->events);
	report_u64(report, "switches", "", p->switches);
	return 0;
}

static const struct report_column probe_columns[] = {
	SPAN_COLUMNS, { "sum", REPORT_U64, "" }, { NULL, 0, NULL },
};

static int probe_row(void *self, const struct analysis *run, const struct span *span,
		     struct report *report)
{
	(void)run;
	report_row(report, SPAN(span), ((struct probe *)self)->instructions);
	return 0;
}

/* In the recorded order; each view. */
static const struct analyzer ordered = {
	.name = "trace-ordered", .summary = "show blocks", .state_size = sizeof(struct probe),
	.columns = TF_ADDRESSES,
	.start = probe_start, .blocks = probe_blocks, .report = probe_report, .row = probe_row,
	.row_columns = probe_columns,
};
static const struct analyzer stepping = {
	.name = "trace-stepping", .summary = "show instructions",
	.state_size = sizeof(struct probe),
	.start = probe_start, .insns = probe_insns, .event = probe_event, .report = probe_report,
	.row = probe_row, .row_columns = probe_columns,
};
/* Thread by thread, on any number of cores. */
static const struct analyzer unordered = {
	.name = "trace-unordered", .summary = "show blocks", .state_size = sizeof(struct probe),
	.columns = TF_ADDRESSES, .unordered = true,
	.start = probe_start, .blocks = probe_blocks, .report = probe_report, .row = probe_row,
	.row_columns = probe_columns, .merge = probe_merge,
};

/* ---- what is fed ------------------------------------------------------------------------- */

START_TEST(everything_in_the_recorded_order)
{
	make_trace(&(struct tf_writer_options){ sizeof(struct tf_writer_options),
						.order_exact = true });
	ck_assert_int_eq(run(&ordered, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
	assert_has(output, "\"switches\": 59,");
	assert_has(output, "\"first_address\": 65536,");
	assert_has(output, "\"last_address\": 67928,");
	assert_has(output, "\"order_of_threads\": \"exact\"");
	assert_has(output, "\"complete\": true");
	ck_assert_str_eq(messages, "");
	char blocks[TEXT_SIZE];

	strcpy(blocks, strstr(output, "\"hash\""));
	*strchr(blocks, ',') = 0;
	ck_assert_int_eq(run(&stepping, "--format=json", NULL), 0);
	assert_has(output, blocks);
}
END_TEST

START_TEST(approximate_order_is_said)
{
	make_trace(NULL);
	ck_assert_int_eq(run(&ordered, "--format=json", NULL), 0);
	assert_has(output, "\"order_of_threads\": \"approximate\"");
	ck_assert_int_eq(run(&ordered, "--format=json", "--thread=0", NULL), 0);
	assert_has_not(output, "order_of_threads");
	ck_assert_int_eq(run(&unordered, "--format=json", NULL), 0);
	assert_has_not(output, "order_of_threads");
}
END_TEST

START_TEST(unordered_goes_thread_by_thread)
{
	make_trace(NULL);
	ck_assert_int_eq(run(&unordered, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
	assert_has(output, "\"switches\": 1,");
}
END_TEST

START_TEST(one_thread)
{
	make_trace(NULL);
	ck_assert_int_eq(run(&ordered, "--thread=1", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 400,");
	ck_assert_int_eq(run(&ordered, "--thread=2", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 0,");
	ck_assert_int_eq(run(&ordered, "--thread=3", NULL), EXIT_UNSUITABLE);
	assert_has(messages, "no thread 3");
}
END_TEST

START_TEST(a_range)
{
	make_trace(NULL);
	ck_assert_int_eq(run(&stepping, "--thread=0", "--from=10", "--count=3", "--format=json",
			     NULL), 0);
	assert_has(output, "\"instructions\": 3,");
	/* 10 .. 12 are in the blocks of 8 .. 11 and 12 .. 15 */
	ck_assert_int_eq(run(&ordered, "--thread=0", "--from=10", "--count=3", "--format=json",
			     NULL), 0);
	assert_has(output, "\"instructions\": 8,");
	assert_has(output, "\"first_address\": 65552,");
	/* steps 30 .. 49 are the last 10 of thread 0's first turns, then thread 1's */
	ck_assert_int_eq(run(&stepping, "--from=30", "--count=20", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 20,");
	assert_has(output, "\"switches\": 1,");
	ck_assert_int_eq(run(&unordered, "--from=32", "--count=18", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 18,");
	ck_assert_int_eq(run(&stepping, "--from=1M", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 0,");
}
END_TEST

/* However the streams are cut: the hash depends on the order of every instruction. */
START_TEST(jobs_do_not_change_the_result)
{
	static const char *const selections[][2] = {
		{ "--quiet", "--quiet" }, { "--thread=0", "--quiet" }, { "--thread=1", "--quiet" },
		{ "--thread=0", "--from=402" }, { "--thread=0", "--count=777" },
	};
	char jobs[16], serial[TEXT_SIZE];

	make_trace(NULL);
	for (size_t i = 0; i < sizeof(selections) / sizeof(selections[0]); i++) {
		const char *const *s = selections[i];

		ck_assert_int_eq(run(&unordered, s[0], s[1], "--format=csv", NULL), 0);
		/* not merged: they do not concern what follows */
		*strstr(output, "first_address") = 0;
		strcpy(serial, output);
		for (int n = 2; n < 15; n++) {
			sprintf(jobs, "-j%d", n);
			ck_assert_int_eq(run(&unordered, s[0], s[1], jobs, "--format=csv", NULL),
					 0);
			*strstr(output, "first_address") = 0;
			ck_assert_str_eq(output, serial);
		}
	}
}
END_TEST

START_TEST(intervals)
{
	make_trace(NULL);
	ck_assert_int_eq(run(&stepping, "--thread=0", "--interval=500", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n"
				 "0,0,500,500\n0,500,500,500\n0,1000,200,200\n");
	/* blocks of 4: an interval ends with the block that reaches a multiple of its length */
	ck_assert_int_eq(run(&ordered, "--thread=0", "--interval=250", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n0,0,252,252\n0,252,248,248\n"
				 "0,500,252,252\n0,752,248,248\n0,1000,200,200\n");
	ck_assert_int_eq(run(&ordered, "--thread=1", "--interval=1", "--count=6", "--format=csv",
			     NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n1,0,2,2\n1,2,2,2\n1,4,2,2\n");
	/* merged: 40 of thread 0, 10 of thread 1, ... */
	ck_assert_int_eq(run(&unordered, "--interval=800", "-j2", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n"
				 "all,0,800,800\nall,800,800,800\n");
	ck_assert_int_eq(run(&unordered, "--interval=800", "--format=json", NULL), 0);
	assert_has(output, "\"order_of_threads\": \"approximate\"");
}
END_TEST

START_TEST(each_thread)
{
	static const char *const jobs[] = { "-j1", "-j5" };

	make_trace(NULL);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(run(&unordered, "--threads=each", jobs[i], "--format=csv", NULL),
				 0);
		ck_assert_str_eq(output, "thread,first,instructions,sum\n"
					 "0,0,1200,1200\n1,0,400,400\n");
	}
	ck_assert_int_eq(run(&stepping, "--threads=each", "--interval=1000", "--format=csv", NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n"
				 "0,0,1000,1000\n0,1000,200,200\n1,0,400,400\n");
}
END_TEST

/* Thread 0 is in the region for turns 3 and 4, and 8; thread 1 for turn 0, and on to its end. */
START_TEST(a_region)
{
	begin_trace(NULL);
	uint32_t other = synthetic_region(&trace, "other");
	uint32_t wanted = synthetic_region(&trace, "wanted");
	struct tf_event begin = { .kind = TF_EVENT_REGION_BEGIN, .region.index = wanted };
	struct tf_event end = { .kind = TF_EVENT_REGION_END, .region.index = wanted };
	struct tf_event distraction = { .kind = TF_EVENT_REGION_END, .region.index = other };

	for (uint64_t i = 0; i < 10; i++) {
		if (i == 3 || i == 8)
			synthetic_event(&trace, 0, &begin);
		if (i == 4)
			synthetic_event(&trace, 0, &distraction);
		if (i == 5 || i == 9)
			synthetic_event(&trace, 0, &end);
		turn(0, i);
		synthetic_flush(&trace, 0);
	}
	synthetic_event(&trace, 1, &begin);
	turn(1, 0);
	turn(1, 1);
	synthetic_end(&trace);
	ck_assert_int_eq(run(&ordered, "--region=wanted", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 16,");
	assert_has(output, "\"first_address\": 65560,");
	assert_has(output, "\"last_address\": 65600,");
	assert_has(output, "\"region\": \"wanted\"");
	ck_assert_int_eq(run(&unordered, "--region=wanted", "--threads=each", "-j3",
			     "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n0,12,12,12\n1,0,4,4\n");
	/* positions in the merged order count what is outside, too */
	ck_assert_int_eq(run(&ordered, "--region=wanted", "--interval=8", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\nall,12,8,8\nall,32,8,8\n");
	/* the region's own events and those inside */
	ck_assert_int_eq(run(&stepping, "--region=wanted", "--format=json", NULL), 0);
	assert_has(output, "\"events\": 6,");
	assert_has(output, "\"instructions\": 16,");
	ck_assert_int_eq(run(&ordered, "--region=nothing", NULL), EXIT_UNSUITABLE);
	assert_has(messages, "no region 'nothing'; its first is 'other'");
}
END_TEST

/* ---- traces that are not as they should be ----------------------------------------------- */

START_TEST(a_trace_without_addresses)
{
	make_trace(&(struct tf_writer_options){ sizeof(struct tf_writer_options),
						.no_addresses = true });
	ck_assert_int_eq(run(&ordered, NULL), EXIT_UNSUITABLE);
	assert_has(messages, "record it again without --no-addresses");
	ck_assert_int_eq(run(&stepping, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
}
END_TEST

/* Changes a byte in the middle of the chunk with that first ordinal. */
static void damage_chunk(uint32_t thread, uint64_t first_ordinal)
{
	struct tf_section_info section;
	struct tf_reader *reader;
	int fd = open(trace.path, O_RDWR);
	uint8_t byte;

	synthetic_ok(&trace, tf_open(trace.path, &reader, &trace.error));
	for (uint32_t i = 0; tf_section(reader, i, &section); i++)
		if (!strcmp(tf_section_kind_name(section.kind), "CHUNK") &&
		    section.thread == thread && section.first_ordinal == first_ordinal)
			break;
	ck_assert_uint_eq(section.first_ordinal, first_ordinal);
	tf_close(reader);
	off_t at = section.offset + 100 + section.stored_size / 2;

	ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

START_TEST(a_damaged_chunk)
{
	static const char *const jobs[] = { "-j1", "-j4" };

	make_trace(NULL);
	damage_chunk(0, 400);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(run(&unordered, jobs[i], "--format=json", NULL), EXIT_FAILED);
		assert_has(output, "\"instructions\": 1400,");
		assert_has(output, "\"complete\": false");
		assert_has(messages, "warning: ");
	}
	ck_assert_int_eq(run(&unordered, "--threads=each", "--format=csv", NULL), EXIT_FAILED);
	assert_has(output, "0,0,1000,1000\n1,0,400,400\n");
	assert_has(output, "complete,false,");
}
END_TEST

START_TEST(a_trace_that_was_not_closed)
{
	struct stat file;

	make_trace(NULL);
	ck_assert_int_eq(stat(trace.path, &file), 0);
	ck_assert_int_eq(truncate(trace.path, file.st_size - 40), 0);
	ck_assert_int_eq(run(&ordered, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
	assert_has(output, "\"complete\": false");
	assert_has(messages, "trace was not closed");
}
END_TEST

START_TEST(an_empty_trace)
{
	synthetic_begin(&trace, NULL);
	synthetic_end(&trace);
	ck_assert_int_eq(run(&ordered, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 0,");
	ck_assert_int_eq(run(&unordered, "-j2", "--threads=each", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n");
}
END_TEST

/* ---- hooks that fail, results that cannot be written -------------------------------------- */

static int fail_blocks(void *self, const struct tf_item *item)
{
	(void)self;
	return item->ordinal >= 200 ? EXIT_UNSUITABLE : 0;
}

START_TEST(a_failed_analysis_leaves_the_output_alone)
{
	struct analyzer failing = unordered;
	FILE *out = fopen(output_path, "w");

	fputs("yesterday's result\n", out);
	fclose(out);
	make_trace(NULL);
	failing.blocks = fail_blocks;
	ck_assert_int_eq(run(&failing, NULL), EXIT_UNSUITABLE);
	ck_assert_str_eq(output, "yesterday's result\n");
	ck_assert_int_eq(run(&failing, "-j3", NULL), EXIT_UNSUITABLE);
	ck_assert_str_eq(output, "yesterday's result\n");
	ck_assert_int_eq(run(&unordered, "--thread=2", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "name,value,unit\ninstructions,0,\nhash,0,\nfirst_address,0,\n"
				 "last_address,0,\nevents,0,\nswitches,0,\n");
}
END_TEST

START_TEST(outputs_that_cannot_be)
{
	make_trace(NULL);
	ck_assert_int_eq(run(&ordered, "-o", "/nonexistent/x", NULL), EXIT_FAILED);
	assert_has(messages, "/nonexistent/x: No such file");
	ck_assert_int_eq(run(&ordered, "-o", "/dev/full", NULL), EXIT_FAILED);
	assert_has(messages, "/dev/full: No space left");
}
END_TEST

/* ---- states ------------------------------------------------------------------------------ */

struct counted {
	uint64_t instructions;
	char *memory;
};

static unsigned started, stopped;

static int counted_start(void *self, const struct analysis *run)
{
	struct counted *c = self;

	ck_assert_uint_eq(c->instructions, 0);
	ck_assert_ptr_null(c->memory);
	c->memory = malloc(1);
	started++;
	(void)run;
	return 0;
}

static void counted_stop(void *self)
{
	free(((struct counted *)self)->memory);
	stopped++;
}

static int counted_paths(void *self, const struct tf_item *item)
{
	ck_assert_int_eq(item->kind, TF_ITEM_PATHS);
	((struct counted *)self)->instructions += item->instructions;
	return 0;
}

static int counted_blocks(void *self, const struct tf_item *item)
{
	ck_assert_int_eq(item->kind, TF_ITEM_BLOCKS);
	((struct counted *)self)->instructions += item->instructions;
	return 0;
}

static int counted_report(void *self, const struct analysis *run, struct report *report)
{
	(void)run;
	report_u64(report, "instructions", "", ((struct counted *)self)->instructions);
	return 0;
}

static int counted_row(void *self, const struct analysis *run, const struct span *span,
		       struct report *report)
{
	(void)run;
	report_row(report, SPAN(span), ((struct counted *)self)->instructions);
	return 0;
}

static struct analyzer counted = {
	.name = "trace-counted", .summary = "count", .state_size = sizeof(struct counted),
	.start = counted_start, .stop = counted_stop, .paths = counted_paths,
	.report = counted_report, .row = counted_row, .row_columns = probe_columns,
};

START_TEST(states_begin_empty_and_end)
{
	make_trace(NULL);
	ck_assert_int_eq(run(&counted, "--interval=400", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\nall,0,400,400\nall,400,400,400\n"
				 "all,800,400,400\nall,1200,400,400\n");
	ck_assert_uint_ge(started, 4);
	ck_assert_uint_eq(started, stopped);
}
END_TEST

START_TEST(blocks_instead_of_paths_where_it_must_be_fine)
{
	struct analyzer both = counted;

	make_trace(NULL);
	both.blocks = counted_blocks;
	ck_assert_int_eq(run(&both, "--format=csv", NULL), 0);
	both.paths = NULL;		/* using them would crash */
	ck_assert_int_eq(run(&both, "--format=csv", NULL), 0);
	both.paths = counted_blocks;	/* they would not be blocks */
	ck_assert_int_eq(run(&both, "--interval=100", NULL), 0);
	ck_assert_int_eq(run(&both, "--from=100", NULL), 0);
	both.columns = TF_ADDRESSES;
	ck_assert_int_eq(run(&both, NULL), 0);
}
END_TEST

/* ---- the command line -------------------------------------------------------------------- */

struct own {
	bool flag;
	uint64_t count;
	const char *text;
	unsigned choice;
	uint64_t interval;
	const char *maybe;
};

static const char *parse_maybe(const struct analyzer_option *option, void *destination,
			       const char *text)
{
	(void)option;
	*(const char **)destination = text ? text : "none";
	return NULL;
}

static const struct analyzer_option own_options[] = {
	{ "flag", 'f', NULL, "a flag", option_flag, offsetof(struct own, flag) },
	{ "size", 's', "N", "a count", option_positive, offsetof(struct own, count) },
	{ "text", 0, "TEXT", "a text", option_text, offsetof(struct own, text) },
	{ "kind", 'k', "one|two|three", "a choice", option_choice, offsetof(struct own, choice) },
	{ "interval", 0, "N", "its own", option_count, offsetof(struct own, interval) },
	{ "maybe", 0, "[=X]", "with or without", parse_maybe, offsetof(struct own, maybe) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};
static const struct own own_defaults = { .count = 7, .choice = 1 };
static const struct analyzer with_options = {
	.name = "trace-own", .summary = "take options", .options = own_options,
	.defaults = &own_defaults, .options_size = sizeof(struct own),
	.blocks = probe_blocks, .report = probe_report, .row = probe_row,
	.example = "trace-own x.trace",
};

static int parse(struct settings *settings, struct own *own, const char *line)
{
	static char words[256];
	char *argv[MAX_ARGUMENTS + 1] = { "trace-own" };
	int argc = 1, kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	strcpy(words, line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	dup2(null, STDERR_FILENO);
	int status = parse_options(&with_options, argc, argv, settings, own);

	dup2(kept, STDERR_FILENO);
	close(kept);
	close(null);
	return status;
}

START_TEST(options)
{
	struct settings settings;
	struct own own;

	ck_assert_int_eq(parse(&settings, &own, "x.trace"), 0);
	ck_assert_str_eq(settings.trace, "x.trace");
	ck_assert_uint_eq(settings.count, UINT64_MAX);
	ck_assert_uint_eq(settings.jobs, 1);
	ck_assert_uint_eq(own.count, 7);
	ck_assert_uint_eq(own.choice, 1);
	ck_assert_ptr_null(own.maybe);

	ck_assert_int_eq(parse(&settings, &own, "-f -s2k --text=t -kthree --interval 5 --from=1 "
			       "--count=2Ki --thread=3 --threads=each --region=r --format=json "
			       "-oout -q --maybe x.trace"), 0);
	ck_assert(own.flag);
	ck_assert_uint_eq(own.count, 2000);
	ck_assert_str_eq(own.text, "t");
	ck_assert_uint_eq(own.choice, 2);
	ck_assert_uint_eq(own.interval, 5);
	ck_assert_str_eq(own.maybe, "none");
	ck_assert_uint_eq(settings.interval, 0);
	ck_assert_uint_eq(settings.from, 1);
	ck_assert_uint_eq(settings.count, 2048);
	ck_assert_uint_eq(settings.thread, 3);
	ck_assert_uint_eq(settings.threads, THREADS_EACH);
	ck_assert_str_eq(settings.region, "r");
	ck_assert_int_eq(settings.format, REPORT_JSON);
	ck_assert_str_eq(settings.output, "out");
	ck_assert(settings.quiet);

	ck_assert_int_eq(parse(&settings, &own, "--maybe=so -- --odd.trace"), 0);
	ck_assert_str_eq(own.maybe, "so");
	ck_assert_str_eq(settings.trace, "--odd.trace");
}
END_TEST

START_TEST(wrong_options)
{
	static const char *const lines[] = {
		"", "a b", "--size=0 x", "--size=many x", "--size", "--kind=four x", "--kind= x",
		"--kind=on x", "--nothing x", "-z x", "--flag=1 x", "--format=xml x", "--from=-1 x",
		"--jobs=0 x", "--threads=some x",
	};
	struct settings settings;
	struct own own;

	ck_assert_int_eq(parse(&settings, &own, lines[_i]), EXIT_USAGE);
}
END_TEST

START_TEST(help)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct settings settings;
	struct own own;

	ck_assert_int_eq(parse(&settings, &own, "--help"), 0);
	ck_assert(settings.help);
	print_help(&with_options, out);
	fclose(out);
	assert_has(text, "Usage: trace-own [OPTION]... TRACE\nTake options.\n");
	assert_has(text, "  -s, --size=N               a count\n");
	assert_has(text, "      --maybe[=X]            with or without\n");
	assert_has(text, "\nExample: trace-own x.trace\n");
	assert_has(text, "its own");
	assert_has_not(text, "every N instructions");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analyzer");
	TCase *runs = tcase_create("runs"), *lines = tcase_create("command line");

	tcase_add_checked_fixture(runs, setup, teardown);
	tcase_add_test(runs, everything_in_the_recorded_order);
	tcase_add_test(runs, approximate_order_is_said);
	tcase_add_test(runs, unordered_goes_thread_by_thread);
	tcase_add_test(runs, one_thread);
	tcase_add_test(runs, a_range);
	tcase_add_test(runs, jobs_do_not_change_the_result);
	tcase_add_test(runs, intervals);
	tcase_add_test(runs, each_thread);
	tcase_add_test(runs, a_region);
	tcase_add_test(runs, a_trace_without_addresses);
	tcase_add_test(runs, a_damaged_chunk);
	tcase_add_test(runs, a_trace_that_was_not_closed);
	tcase_add_test(runs, an_empty_trace);
	tcase_add_test(runs, a_failed_analysis_leaves_the_output_alone);
	tcase_add_test(runs, outputs_that_cannot_be);
	tcase_add_test(runs, states_begin_empty_and_end);
	tcase_add_test(runs, blocks_instead_of_paths_where_it_must_be_fine);
	tcase_add_test(lines, options);
	tcase_add_loop_test(lines, wrong_options, 0, 15);
	tcase_add_test(lines, help);
	suite_add_tcase(suite, runs);
	suite_add_tcase(suite, lines);
	return run_suite(suite);
}
