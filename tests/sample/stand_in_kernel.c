/* SPDX-License-Identifier: MIT */
/*
 * A library for LD_PRELOAD that simulates a kernel with performance monitors that this machine
 * lacks. The folder $STAND_IN/devices describes the monitors, whose types begin at OWN_TYPE. Each
 * line of $STAND_IN/samples is a sample: "IP ADDR WEIGHT DATA_SRC RAW", all hexadecimal, where
 * RAW is the raw payload or "-". Attributes of opened events are written to $STAND_IN/attributes.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 128, OWN_TYPE = 1000, MAX_RAW = 256, MAX_FDS = 1024 };

static const char *folder;
static char is_own[MAX_FDS];

/* The recorded program uses the real kernel, without this library. */
__attribute__((constructor)) static void begin(void)
{
	folder = getenv("STAND_IN");
	unsetenv("LD_PRELOAD");
}

static void fail(const char *why)
{
	fprintf(stderr, "stand_in_kernel: %s\n", why);
	abort();
}

/* Opens a file of the folder. */
static FILE *open_own(const char *name, const char *mode)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, mode);
	if (!file)
		fail(path);
	return file;
}

int open(const char *path, int flags, ...)
{
	static const char devices[] = "/sys/bus/event_source/devices/";
	int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
	char own[2 * PATH_MAX];
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (strncmp(path, devices, strlen(devices)))
		return next(path, flags, mode);
	snprintf(own, sizeof(own), "%s/devices/%s", folder, path + strlen(devices));
	return next(own, flags, mode);
}

/* ---- samples ----------------------------------------------------------------------------- */

struct record {
	uint8_t bytes[MAX_RAW + 256];
	size_t size;
};

static void put(struct record *r, const void *bytes, size_t size)
{
	memcpy(r->bytes + r->size, bytes, size);
	r->size += size;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct sample {
	uint64_t ip, addr, weight, data_src;
	uint8_t raw[MAX_RAW];
	uint32_t raw_size;
};

struct field {
	uint64_t bit, value;
};

/* Puts the fields whose bits are set in `asked`; returns the bits of all fields. */
static uint64_t put_fields(struct record *r, uint64_t asked, const struct field *fields, size_t n)
{
	uint64_t known = 0;

	for (size_t i = 0; i < n; i++) {
		known |= fields[i].bit;
		if (asked & fields[i].bit)
			put(r, &fields[i].value, sizeof(fields[i].value));
	}
	return known;
}
#define PUT_FIELDS(r, asked, fields) \
	put_fields(r, asked, fields, sizeof(fields) / sizeof(*(fields)))

static void begin_record(struct record *r, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { type, misc, 0 };

	r->size = 0;
	put(r, &header, sizeof(header));
}

static void append(struct perf_event_mmap_page *page, struct record *r)
{
	((struct perf_event_header *)r->bytes)->size = (uint16_t)r->size;
	if (r->size % 8)
		fail("a record that is not aligned");
	memcpy((char *)page + PAGE + page->data_head, r->bytes, r->size);
	page->data_head += r->size;
}

static uint64_t pid_and_tid(pid_t pid)
{
	return (uint64_t)pid << 32 | (uint32_t)pid;
}

/* Writes the record of the process's exec. */
static void append_exec(struct perf_event_mmap_page *page, const struct perf_event_attr *attr,
			pid_t pid)
{
	const struct field body[] = { { 1, pid_and_tid(pid) }, { 1, 0 /* its name */ } };
	const struct field id[] = {
		{ PERF_SAMPLE_TID, pid_and_tid(pid) },
		{ PERF_SAMPLE_TIME, now_ns() },
		{ PERF_SAMPLE_CPU, 0 },
	};
	struct record r;

	begin_record(&r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	PUT_FIELDS(&r, 1, body);
	PUT_FIELDS(&r, attr->sample_type, id);
	append(page, &r);
}

/* In the order of perf_event_open(2). */
static void append_sample(struct perf_event_mmap_page *page, const struct perf_event_attr *attr,
			  pid_t pid, const struct sample *s)
{
	const struct field before_raw[] = {
		{ PERF_SAMPLE_IP, s->ip },      { PERF_SAMPLE_TID, pid_and_tid(pid) },
		{ PERF_SAMPLE_TIME, now_ns() }, { PERF_SAMPLE_ADDR, s->addr },
		{ PERF_SAMPLE_CPU, 0 },         { PERF_SAMPLE_PERIOD, attr->sample_period },
	};
	const struct field behind_raw[] = {
		{ PERF_SAMPLE_WEIGHT_STRUCT, s->weight },
		{ PERF_SAMPLE_DATA_SRC, s->data_src },
		{ PERF_SAMPLE_PHYS_ADDR, 0 },
	};
	uint64_t known = PERF_SAMPLE_RAW;
	struct record r;

	begin_record(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	known |= PUT_FIELDS(&r, attr->sample_type, before_raw);
	if (attr->sample_type & PERF_SAMPLE_RAW) {
		put(&r, &s->raw_size, sizeof(s->raw_size));
		put(&r, s->raw, s->raw_size);
	}
	known |= PUT_FIELDS(&r, attr->sample_type, behind_raw);
	if (attr->sample_type & ~known)
		fail("samples are asked for what it does not have");
	append(page, &r);
}

static struct sample read_sample(const char *line)
{
	struct sample s = { .raw_size = 0 };
	char raw[2 * MAX_RAW + 1];

	if (sscanf(line, "%lx %lx %lx %lx %512s", &s.ip, &s.addr, &s.weight, &s.data_src, raw) != 5)
		fail("a line of samples that it cannot read");
	for (const char *digits = raw; *digits && *digits != '-'; digits += 2)
		sscanf(digits, "%2hhx", &s.raw[s.raw_size++]);
	return s;
}

static void fill(struct perf_event_mmap_page *page, const struct perf_event_attr *attr, pid_t pid)
{
	FILE *samples = open_own("samples", "r");
	char line[1024];

	append_exec(page, attr, pid);
	while (fgets(line, sizeof(line), samples)) {
		struct sample sample = read_sample(line);

		append_sample(page, attr, pid, &sample);
	}
	fclose(samples);
}

/* ---- events ------------------------------------------------------------------------------ */

static void note(const struct perf_event_attr *attr)
{
	FILE *file = open_own("attributes", "a");

	fprintf(file, "type %u config %llx period %llu\n", attr->type, attr->config,
		attr->sample_period);
	fclose(file);
}

/* A file that is mapped as a buffer is; the first CPU has the samples. */
static long open_event(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	size_t size = (PAGES + 1) * PAGE;
	int fd = memfd_create("event", MFD_CLOEXEC);
	struct perf_event_mmap_page *page;

	if (fd < 0 || fd >= MAX_FDS || ftruncate(fd, (off_t)size))
		fail("no file");
	is_own[fd] = 1;
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pid > 0 && cpu <= 0)
		fill(page, attr, pid);
	munmap(page, size);
	note(attr);
	return fd;
}

long syscall(long number, ...)
{
	long (*next)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	const struct perf_event_attr *attr;
	va_list list;
	long args[6];

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	attr = (const struct perf_event_attr *)args[0];
	if (number == SYS_perf_event_open && attr->type >= OWN_TYPE)
		return open_event(attr, (pid_t)args[1], (int)args[2]);
	return next(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	return fd >= 0 && fd < MAX_FDS && is_own[fd] ? 0 : next(fd, request, argument);
}
