/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of this machine's performance monitors from sysfs. devices: the folder that has
 * them, PMU_DEVICES.
 */
#ifndef SAMPLE_PMU_H
#define SAMPLE_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#define PMU_DEVICES "/sys/bus/event_source/devices"

/* Finds the type of a monitor's events. Returns false if there is no monitor of this name. */
bool pmu_type(const char *devices, const char *pmu, __u32 *type);

/* Returns true if the monitor's events have a field, such as "rand_en". */
bool pmu_has_field(const char *devices, const char *pmu, const char *field);

/*
 * Sets a field of an event. Returns false if there is no field of this name or the value does not
 * fit.
 */
bool pmu_set_field(const char *devices, const char *pmu, const char *field, __u64 value,
		   struct perf_event_attr *attr);

/*
 * Returns true if the monitor has a named event. Such an event is fields and their values:
 * "event=0xcd,umask=0x1".
 */
bool pmu_has_event(const char *devices, const char *pmu, const char *event);
bool pmu_set_event(const char *devices, const char *pmu, const char *event,
		   struct perf_event_attr *attr);

/*
 * Reads one line of a file, at most size - 1 characters, without the newline. Returns false if
 * that fails.
 */
bool pmu_read_line(const char *path, char *text, size_t size);

#endif
