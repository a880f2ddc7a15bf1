/* SPDX-License-Identifier: MIT */
#include "recorder/import/import.h"

#include <stdio.h>
#include <string.h>

#include "recorder/import/ibs_toolkit.h"
#include "recorder/import/import_meta.h"
#include "recorder/import/perf_file.h"
#include "traceformat/common/error.h"

/* Returns the clock of the first event. perf's own clock runs from boot, like CLOCK_MONOTONIC. */
static const char *clock_name(const struct perf_file *file)
{
	static const char *const names[] = { [0] = "realtime",
					     [1] = "monotonic",
					     [4] = "monotonic-raw",
					     [7] = "boottime",
					     [11] = "tai" };
	const struct perf_event_attr *attr = &file->events.at[0].attr;
	size_t id = (size_t)attr->clockid;

	if (!attr->use_clockid)
		return "perf";
	return id < sizeof(names) / sizeof(*names) && names[id] ? names[id] : "other";
}

/* "AuthenticAMD" of "AuthenticAMD,25,17,1" */
static void vendor_of(const char *cpuid, char *vendor, size_t size)
{
	snprintf(vendor, size, "%.*s", cpuid ? (int)strcspn(cpuid, ",") : 0, cpuid ? cpuid : "");
}

static int write_meta(struct tf_writer *writer, const struct perf_file *file, const char *source,
		      struct tf_error *error)
{
	char vendor[64], kernel[256] = "";
	const struct perf_texts *t = &file->texts;
	const struct import_text texts[] = {
		{ "recorder.version", TRACELAB_VERSION },
		{ "sample.source", source },
		{ "sample.clock", clock_name(file) },
		{ "sample.cpuid", t->cpuid },
		{ "sample.perf-version", t->version },
		{ "command.argv", t->command },
		{ "host.name", t->hostname },
		{ "host.cpu.model", t->cpu },
		{ "host.cpu.vendor", vendor },
		{ "host.kernel", kernel },
	};

	vendor_of(t->cpuid, vendor, sizeof(vendor));
	if (t->release)
		snprintf(kernel, sizeof(kernel), "Linux %s", t->release);
	return import_meta(writer, texts, sizeof(texts) / sizeof(*texts), error);
}

static int add_build_ids(struct sample_sink *sink, const struct perf_file *file,
			 struct tf_error *error)
{
	int status = 0;

	for (size_t i = 0; i < file->n_build_ids && status == 0; i++)
		status = sample_sink_add_build_id(sink, file->build_ids[i].path,
						  file->build_ids[i].id, file->build_ids[i].size,
						  error);
	return status;
}

static int put_records(struct sample_sink *sink, const struct perf_file *file,
		       const struct import_watch *watch, struct tf_error *error)
{
	enum { STEP = 4096 };
	int status = 0;

	for (size_t i = 0; i < file->n_entries && status == 0; i++) {
		const struct perf_entry *entry = &file->entries[i];
		struct perf_record record;

		perf_record_parse(&file->events, entry->bytes, entry->size, &record);
		record.time = entry->time;
		status = sample_sink_record(sink, &record, NULL, error);
		if (watch && i % STEP == 0)
			watch->step(watch->opaque, i, file->n_entries);
	}
	return status;
}

static int import_perf(struct tf_writer *writer, struct perf_file *file, const char *source,
		       bool here, const struct import_watch *watch, struct sample_counts *counts,
		       struct tf_error *error)
{
	struct sample_sink *sink = sample_sink_new(writer, &file->events, here);
	int status = sink ? write_meta(writer, file, source, error) : fail_memory(error);

	if (status == 0)
		status = add_build_ids(sink, file, error);
	if (status == 0)
		status = sample_sink_add_events(sink, perf_file_pmu, file, error);
	if (status == 0)
		status = put_records(sink, file, watch, error);
	if (status == 0)
		status = sample_sink_finish(sink, error);
	if (sink)
		*counts = *sample_sink_counts(sink);
	counts->damaged += file->n_damaged;
	counts->cut = file->cut;
	counts->killed = file->killed;
	counts->unknown = file->unknown.records;
	counts->unknown_type = file->unknown.type;
	sample_sink_free(sink);
	return status;
}

bool import_knows(const uint8_t *data, size_t size)
{
	return perf_file_is(data, size) || ibs_toolkit_is(data, size);
}

int import_samples(struct tf_writer *writer, const struct import_source *source, bool here,
		   const struct import_watch *watch, struct sample_counts *counts,
		   struct tf_error *error)
{
	struct perf_file file;
	int status;

	*counts = (struct sample_counts){ 0 };
	if (source->n_parts == 1 && ibs_toolkit_is(source->parts->data, source->parts->size))
		return ibs_toolkit_import(writer, source->parts->data, source->parts->size,
					  source->name, watch, counts, error);
	status = perf_file_read(&file, source->parts, source->n_parts, error);
	if (status == 0)
		status = import_perf(writer, &file, source->name, here, watch, counts, error);
	perf_file_free(&file);
	return status;
}
