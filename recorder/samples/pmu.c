/* SPDX-License-Identifier: MIT */
#include "recorder/samples/pmu.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 512, MAX_TEXT = 256 };

bool pmu_read_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return true;
}

bool pmu_type(const char *devices, const char *pmu, __u32 *type)
{
	char path[MAX_PATH], text[MAX_TEXT];

	snprintf(path, sizeof(path), "%s/%s/type", devices, pmu);
	if (!pmu_read_line(path, text, sizeof(text)))
		return false;
	*type = (__u32)strtoul(text, NULL, 10);
	return true;
}

/* Reads an entry of a monitor's folder `kind`, "format" or "events". */
static bool read_of(const char *devices, const char *pmu, const char *kind, const char *name,
		    char *text, size_t size)
{
	char path[MAX_PATH];

	snprintf(path, sizeof(path), "%s/%s/%s/%s", devices, pmu, kind, name);
	return pmu_read_line(path, text, size);
}

bool pmu_has_field(const char *devices, const char *pmu, const char *field)
{
	char text[MAX_TEXT];

	return read_of(devices, pmu, "format", field, text, sizeof(text));
}

/* Moves the low bits of *value into bits first to last of *word. */
static void put_bits(__u64 *word, unsigned first, unsigned last, __u64 *value)
{
	unsigned width = last - first + 1;
	__u64 mask = width < 64 ? ((__u64)1 << width) - 1 : ~(__u64)0;

	*word = (*word & ~(mask << first)) | (*value & mask) << first;
	*value = width < 64 ? *value >> width : 0;
}

/* Parses the format of the field, such as "config1:0-15" or "config:0-7,21". */
bool pmu_set_field(const char *devices, const char *pmu, const char *field, __u64 value,
		   struct perf_event_attr *attr)
{
	char text[MAX_TEXT], *colon, *range, *next;
	__u64 *word;

	if (!read_of(devices, pmu, "format", field, text, sizeof(text)) ||
	    !(colon = strchr(text, ':')))
		return false;
	*colon = 0;
	word = !strcmp(text, "config")    ? &attr->config
	       : !strcmp(text, "config1") ? &attr->config1
	       : !strcmp(text, "config2") ? &attr->config2
					  : NULL;
	for (range = colon + 1; word && range; range = next) {
		unsigned first, last;
		int n = sscanf(range, "%u-%u", &first, &last);

		next = strchr(range, ',');
		next = next ? next + 1 : NULL;
		if (n < 2)
			last = first;
		if (n < 1 || first > last || last > 63)
			return false;
		put_bits(word, first, last, &value);
	}
	return word && !value;
}

bool pmu_has_event(const char *devices, const char *pmu, const char *event)
{
	char text[MAX_TEXT];

	return read_of(devices, pmu, "events", event, text, sizeof(text));
}

bool pmu_set_event(const char *devices, const char *pmu, const char *event,
		   struct perf_event_attr *attr)
{
	char text[MAX_TEXT], *term, *rest = NULL;

	if (!read_of(devices, pmu, "events", event, text, sizeof(text)))
		return false;
	for (term = strtok_r(text, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
		char *equals = strchr(term, '=');

		if (equals)
			*equals = 0;
		if (!pmu_set_field(devices, pmu, term, equals ? strtoull(equals + 1, NULL, 0) : 1,
				   attr))
			return false;
	}
	return true;
}
