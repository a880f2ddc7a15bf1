/* SPDX-License-Identifier: MIT */
/* What /sys/bus/event_source says of the performance monitors of this machine. */
#ifndef SAMPLE_PMU_H
#define SAMPLE_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets the type of a monitor's events. False: there is none of this name. */
bool pmu_type(const char *pmu, __u32 *type);

/* True if its events have a field, such as "rand_en". */
bool pmu_has_field(const char *pmu, const char *field);

/* Sets a field of an event. False: it has none of this name, or the value does not fit. */
bool pmu_set_field(const char *pmu, const char *field, __u64 value, struct perf_event_attr *attr);

/* Sets the fields of a named event, as "event=0xcd,umask=0x1". False: there is none. */
bool pmu_set_event(const char *pmu, const char *event, struct perf_event_attr *attr);

/* Reads one line of a file, at most size - 1 characters, without its end. */
bool pmu_read_line(const char *path, char *text, size_t size);

#endif
