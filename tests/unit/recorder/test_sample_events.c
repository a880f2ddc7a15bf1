/* SPDX-License-Identifier: MIT */
/*
 * Tests events of hardware that this machine need not have. The requests to the kernel, on
 * processors as sysfs describes them, are compared with linux/arch/x86/events/amd/ibs.c and perf
 * (record -vv). Then kernels refuse parts of them.
 */
#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "recorder/sampling/probe.h"
#include "recorder/sampling/spec.h"
#include "tests/scratch.h"
#include "tests/unit/run_suite.h"

enum { IBS_FETCH_TYPE = 9, IBS_OP_TYPE = 10, CPU_TYPE = 4, MESSAGE = 256 };

static const uint64_t places = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
static const uint64_t data = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_STRUCT |
			     PERF_SAMPLE_PHYS_ADDR;

/* ---- machines ---------------------------------------------------------------------------- */

static scratch_path devices;

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[2 * PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", devices, folder);
	for (char *slash = path + strlen(devices) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", devices, folder, name);
	file = fopen(path, "w");
	ck_assert(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void begin_machine(void)
{
	scratch_folder(devices, "devices");
}

static void end_machine(void)
{
	ck_assert_int_eq(nftw(devices, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Describes an AMD processor. Further files depend on family and kernel. */
static void put_ibs(void)
{
	put_file("ibs_op", "type", "10");
	put_file("ibs_op/format", "cnt_ctl", "config:19");
	put_file("ibs_fetch", "type", "9");
	put_file("ibs_fetch/format", "rand_en", "config:57");
}

static void put_zen4(void)
{
	put_ibs();
	put_file("ibs_op/format", "l3missonly", "config:16");
	put_file("ibs_fetch/format", "l3missonly", "config:59");
}

static void put_zen5(void)
{
	put_zen4();
	put_file("ibs_op/format", "ldlat", "config1:0-11");
	put_file("ibs_op/format", "swfilt", "config2:0");
	put_file("ibs_fetch/format", "swfilt", "config2:0");
}

static void put_intel(const char *pmu)
{
	char formats[64], events[64];

	snprintf(formats, sizeof(formats), "%s/format", pmu);
	snprintf(events, sizeof(events), "%s/events", pmu);
	put_file(pmu, "type", "4");
	put_file(formats, "event", "config:0-7");
	put_file(formats, "umask", "config:8-15");
	put_file(formats, "ldlat", "config1:0-15");
	put_file(events, "mem-loads", "event=0xcd,umask=0x1,ldlat=3");
}

static void put_golden_cove(const char *pmu)
{
	char events[64];

	put_intel(pmu);
	snprintf(events, sizeof(events), "%s/events", pmu);
	put_file(events, "mem-loads-aux", "event=0x03,umask=0x82");
}

/* ---- requested events -------------------------------------------------------------------- */

/* Returns the members that are the same for all events. */
static struct perf_event_attr common(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.inherit = 1,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.mmap_data = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = 1,
		.watermark = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static struct perf_event_attr ibs_op(uint64_t config)
{
	struct perf_event_attr attr = common();

	attr.type = IBS_OP_TYPE;
	attr.config = config;
	attr.sample_period = 100000;
	attr.sample_type = places | data | PERF_SAMPLE_RAW;
	attr.exclude_kernel = attr.exclude_hv = 0;
	return attr;
}

static struct perf_event_attr ibs_fetch(uint64_t config)
{
	struct perf_event_attr attr = ibs_op(config);

	attr.type = IBS_FETCH_TYPE;
	attr.sample_type = places | PERF_SAMPLE_RAW;
	return attr;
}

static struct perf_event_attr with_filter(struct perf_event_attr attr)
{
	attr.config2 = 1;
	attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static struct perf_event_attr loads(uint64_t latency)
{
	struct perf_event_attr attr = common();

	attr.type = CPU_TYPE;
	attr.config = 0x1cd;
	attr.config1 = latency;
	attr.sample_period = 10007;
	attr.sample_type = places | data;
	attr.precise_ip = 2;
	return attr;
}

static struct sample_spec resolved(const char *text)
{
	char message[MESSAGE] = "";
	struct sample_spec spec;

	ck_assert_msg(sample_spec_parse(text, &spec, message, sizeof(message)) &&
			      sample_spec_resolve(&spec, devices, message, sizeof(message)),
		      "%s: %s", text, message);
	return spec;
}

static void check_attr(const char *text, struct perf_event_attr expected)
{
	struct sample_spec spec = resolved(text);

	ck_assert_mem_eq(&spec.attr, &expected, sizeof(expected));
}

static void check_lacks(const char *text, const char *why)
{
	char message[MESSAGE] = "";
	struct sample_spec spec;

	ck_assert(sample_spec_parse(text, &spec, message, sizeof(message)));
	ck_assert(!sample_spec_resolve(&spec, devices, message, sizeof(message)));
	ck_assert_msg(strstr(message, why), "%s", message);
}

START_TEST(zen2_counts_ops)
{
	struct perf_event_attr shorter = ibs_op(1 << 19);

	put_ibs();
	shorter.sample_period = 160;
	check_attr("ibs_op", ibs_op(1 << 19));
	check_attr("ibs_op,period=160", shorter);
	check_attr("ibs_fetch", ibs_fetch(0));
	check_attr("ibs_fetch,rand", ibs_fetch(UINT64_C(1) << 57));
	ck_assert(!resolved("ibs_fetch,rand").vary);
	ck_assert(resolved("ibs_op,rand").vary);
	check_lacks("ibs_op,l3missonly", "l3missonly");
	check_lacks("ibs_op,ldlat=128", "ldlat");
	check_lacks("mem-loads", "Intel");
}
END_TEST

START_TEST(k10_counts_cycles)
{
	put_file("ibs_op", "type", "10");
	check_attr("ibs_op", ibs_op(0));
}
END_TEST

START_TEST(zen4_filters_misses)
{
	put_zen4();
	check_attr("ibs_op,l3missonly", ibs_op(1 << 19 | 1 << 16));
	check_attr("ibs_fetch,l3missonly,rand", ibs_fetch(UINT64_C(5) << 57));
}
END_TEST

START_TEST(zen5_filters_latency_and_kernel)
{
	struct perf_event_attr slow = with_filter(ibs_op(1 << 19));

	put_zen5();
	slow.config1 = 256;
	check_attr("ibs_op", with_filter(ibs_op(1 << 19)));
	check_attr("ibs_op,ldlat=256", slow);
	check_attr("ibs_fetch", with_filter(ibs_fetch(0)));
	check_lacks("ibs_op,ldlat=4096", "ldlat");
}
END_TEST

START_TEST(skylake_samples_loads)
{
	put_intel("cpu");
	check_attr("mem-loads", loads(3));
	check_attr("mem-loads,ldlat=30", loads(30));
	ck_assert_uint_eq(resolved("mem-loads").leader.size, 0);
	check_lacks("ibs_op", "IBS");
}
END_TEST

/* _i: 0 Sapphire Rapids, 1 Alder Lake */
START_TEST(golden_cove_has_a_leader)
{
	struct perf_event_attr leader = {
		.type = CPU_TYPE,
		.size = sizeof(leader),
		.config = 0x8203,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct sample_spec spec;

	put_golden_cove(_i ? "cpu_core" : "cpu");
	check_attr("mem-loads", loads(3));
	spec = resolved("mem-loads");
	ck_assert_mem_eq(&spec.leader, &leader, sizeof(leader));
}
END_TEST

/* ---- kernels ----------------------------------------------------------------------------- */

static bool is_ibs(const struct perf_event_attr *attr)
{
	return attr->type == IBS_OP_TYPE || attr->type == IBS_FETCH_TYPE;
}

/* Returns true if IBS refuses the event on all kernels. */
static bool breaks_ibs(const struct perf_event_attr *attr)
{
	return is_ibs(attr) && !attr->config2 && (attr->exclude_kernel || attr->exclude_hv);
}

static int any_kernel(const struct sample_spec *spec)
{
	if (breaks_ibs(&spec->attr) ||
	    spec->leader.inherit != (spec->leader.size && spec->attr.inherit) ||
	    (spec->everyone && (spec->attr.inherit || spec->attr.inherit_thread)))
		return EINVAL;
	return 0;
}

static int linux_6_1(const struct sample_spec *spec)
{
	return is_ibs(&spec->attr) && !spec->everyone ? EINVAL : any_kernel(spec);
}

static int linux_5_10(const struct sample_spec *spec)
{
	return spec->attr.inherit_thread || spec->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT
		       ? EINVAL
		       : linux_6_1(spec);
}

/* Refuses what perf_event_paranoid 2 refuses. */
static int unprivileged(const struct sample_spec *spec)
{
	return spec->everyone || !spec->attr.exclude_kernel ||
			       spec->attr.sample_type & PERF_SAMPLE_PHYS_ADDR
		       ? EACCES
		       : any_kernel(spec);
}

static int unprivileged_6_1(const struct sample_spec *spec)
{
	int status = linux_6_1(spec);

	return status ? status : unprivileged(spec);
}

static int virtual_machine(const struct sample_spec *spec)
{
	(void)spec;
	return ENOENT;
}

static struct sample_spec probed(const char *text, int (*kernel)(const struct sample_spec *spec))
{
	struct sample_spec spec = resolved(text);

	spec.attr.inherit_thread = 1;
	ck_assert_int_eq(sample_probe(&spec, kernel), 0);
	return spec;
}

START_TEST(nothing_is_given_up_without_need)
{
	struct perf_event_attr op = with_filter(ibs_op(1 << 19));
	struct sample_spec spec;

	put_zen5();
	spec = probed("ibs_op", any_kernel);
	op.inherit_thread = 1;
	ck_assert_mem_eq(&spec.attr, &op, sizeof(op));
	ck_assert(!spec.everyone);
}
END_TEST

START_TEST(old_kernels_sample_everyone)
{
	struct perf_event_attr op = ibs_op(1 << 19);
	struct sample_spec spec;

	put_ibs();
	op.inherit = 0;
	spec = probed("ibs_op", linux_6_1);
	ck_assert_mem_eq(&spec.attr, &op, sizeof(op));
	ck_assert(spec.everyone);
	op.sample_type ^= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
	spec = probed("ibs_op", linux_5_10);
	ck_assert_mem_eq(&spec.attr, &op, sizeof(op));
}
END_TEST

START_TEST(the_unprivileged_have_no_physical_addresses)
{
	struct perf_event_attr op = with_filter(ibs_op(1 << 19));
	struct perf_event_attr load = loads(3);
	struct sample_spec spec;

	put_zen5();
	put_golden_cove("cpu");
	op.inherit_thread = load.inherit_thread = 1;
	op.sample_type ^= PERF_SAMPLE_PHYS_ADDR;
	load.sample_type ^= PERF_SAMPLE_PHYS_ADDR;
	spec = probed("ibs_op", unprivileged);
	ck_assert_mem_eq(&spec.attr, &op, sizeof(op));
	spec = probed("mem-loads", unprivileged);
	ck_assert_mem_eq(&spec.attr, &load, sizeof(load));
}
END_TEST

/* Checks the messages for the kernel's errors. */
START_TEST(refusals_say_what_to_set)
{
	char message[MESSAGE * 2];
	struct sample_spec spec;

	put_ibs();
	spec = resolved("ibs_op");
	ck_assert_int_eq(sample_probe(&spec, unprivileged_6_1), EACCES);
	sample_explain(&spec, EACCES, message, sizeof(message));
	ck_assert(strstr(message, "perf_event_paranoid") && strstr(message, "must be at most 0"));
	spec = resolved("ibs_op");
	ck_assert_int_eq(sample_probe(&spec, unprivileged), EACCES);
	sample_explain(&spec, EACCES, message, sizeof(message));
	ck_assert(strstr(message, "must be at most 1"));
	spec = resolved("cpu-clock");
	ck_assert_int_eq(sample_probe(&spec, virtual_machine), ENOENT);
	sample_explain(&spec, EPERM, message, sizeof(message));
	ck_assert(strstr(message, "must be at most 2"));
	spec = resolved("ibs_op");
	ck_assert_int_eq(sample_probe(&spec, virtual_machine), ENOENT);
	sample_explain(&spec, ENOENT, message, sizeof(message));
	ck_assert(strstr(message, "ibs_op cannot be sampled here") &&
		  strstr(message, strerror(ENOENT)));
	sample_explain(&spec, EBUSY, message, sizeof(message));
	ck_assert(strstr(message, "another program samples it"));
	sample_explain(&spec, EMFILE, message, sizeof(message));
	ck_assert(strstr(message, "ulimit"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sample events");
	TCase *machines = tcase_create("machines");

	tcase_add_checked_fixture(machines, begin_machine, end_machine);
	tcase_add_test(machines, zen2_counts_ops);
	tcase_add_test(machines, k10_counts_cycles);
	tcase_add_test(machines, zen4_filters_misses);
	tcase_add_test(machines, zen5_filters_latency_and_kernel);
	tcase_add_test(machines, skylake_samples_loads);
	tcase_add_loop_test(machines, golden_cove_has_a_leader, 0, 2);
	tcase_add_test(machines, nothing_is_given_up_without_need);
	tcase_add_test(machines, old_kernels_sample_everyone);
	tcase_add_test(machines, the_unprivileged_have_no_physical_addresses);
	tcase_add_test(machines, refusals_say_what_to_set);
	suite_add_tcase(suite, machines);
	return run_suite(suite);
}
