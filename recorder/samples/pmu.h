/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of the performance monitors of this machine. devices: the folder where it
 * does, PMU_DEVICES.
 */
#ifndef SAMPLE_PMU_H
#define SAMPLE_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#define PMU_DEVICES "/sys/bus/event_source/devices"

/* Sets the type of a monitor's events. False: there is none of this name. */
bool pmu_type(const char *devices, const char *pmu, __u32 *type);

/* True if its events have a field, such as "rand_en". */
bool pmu_has_field(const char *devices, const char *pmu, const char *field);

/* Sets a field of an event. False: it has none of this name, or the value does not fit. */
bool pmu_set_field(const char *devices, const char *pmu, const char *field, __u64 value,
		   struct perf_event_attr *attr);

/* The same for a named event, which is fields and their values: "event=0xcd,umask=0x1". */
bool pmu_has_event(const char *devices, const char *pmu, const char *event);
bool pmu_set_event(const char *devices, const char *pmu, const char *event,
		   struct perf_event_attr *attr);

/* Reads one line of a file, at most size - 1 characters, without its end. */
bool pmu_read_line(const char *path, char *text, size_t size);

#endif
