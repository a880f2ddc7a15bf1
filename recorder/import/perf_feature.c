/* SPDX-License-Identifier: MIT */
#include "recorder/import/perf_feature.h"

#include <stdio.h>
#include <stdlib.h>

#include "traceformat/common/array.h"
#include "traceformat/common/error.h"

/* Numbers of features. */
/* clang-format off */
enum {
	BUILD_ID = 2, HOSTNAME = 3, OSRELEASE = 4, VERSION = 5, ARCH = 6, CPUDESC = 8, CPUID = 9,
	CMDLINE = 11, EVENT_DESC = 12, PMU_MAPPINGS = 16,
};
/* clang-format on */

int perf_file_fail(const struct perf_file *file, const uint8_t *at, const char *what,
		   struct tf_error *error)
{
	bool inside = at >= file->data && at <= file->data + file->size;

	if (inside)
		return fail_at(error, TF_E_DAMAGED, (uint64_t)(at - file->data), TF_NONE,
			       "%s: offset %zu: %s", file->name, (size_t)(at - file->data), what);
	return fail(error, TF_E_DAMAGED, "%s: in compressed records: %s", file->name, what);
}

/*
 * Takes a u32 size and that many bytes, a string that a NUL ends. Returns a copy, or NULL if memory
 * is out or in->bad.
 */
static char *take_string(struct span *in)
{
	uint32_t size = take_le32(in);
	const uint8_t *bytes = take_bytes(in, size);

	if (bytes && !memchr(bytes, 0, size))
		in->bad = true;
	return in->bad ? NULL : strdup((const char *)bytes);
}

/* Returns 0 or the status of a feature that has been read. */
static int done(const struct perf_file *file, const struct span *in, bool memory_out,
		struct tf_error *error)
{
	if (in->bad)
		return perf_file_fail(file, in->at, "a feature of the header is damaged", error);
	return memory_out ? fail_memory(error) : 0;
}

static int read_text(struct perf_file *file, struct span *in, char **text, struct tf_error *error)
{
	free(*text);
	*text = take_string(in);
	return done(file, in, !*text, error);
}

/* Reads u32 n and n strings, and joins them with blanks. */
static int read_command(struct perf_file *file, struct span *in, struct tf_error *error)
{
	uint32_t n = take_le32(in);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; out && i < n && !in->bad; i++) {
		char *word = take_string(in);

		fprintf(out, "%s%s", i ? " " : "", word ? word : "");
		free(word);
	}
	if (!out || fclose(out) != 0)
		return fail_memory(error);
	free(file->texts.command);
	file->texts.command = text;
	return done(file, in, false, error);
}

static int read_pmus(struct perf_file *file, struct span *in, struct tf_error *error)
{
	uint32_t n = take_le32(in);

	for (uint32_t i = 0; i < n && !in->bad; i++) {
		uint32_t type = take_le32(in);
		char *name = take_string(in);

		if (!name || !array_reserve(&file->pmus, &file->pmu_capacity, file->n_pmus + 1,
					    sizeof(*file->pmus))) {
			free(name);
			return done(file, in, true, error);
		}
		file->pmus[file->n_pmus++] = (struct perf_pmu){ type, name };
	}
	return done(file, in, false, error);
}

/*
 * Reads the name of the i-th event. Its attr and ids are in the file's header or, in a pipe, in
 * earlier records.
 */
static int read_event(struct perf_file *file, size_t i, uint32_t attr_size, struct span *in,
		      struct tf_error *error)
{
	uint32_t n_ids;
	char *name;

	take_bytes(in, attr_size);
	n_ids = take_le32(in);
	name = take_string(in);
	take_bytes(in, 8 * (uint64_t)n_ids);
	if (in->bad || !name) {
		free(name);
		return done(file, in, true, error);
	}
	if (i >= file->events.count) {
		free(name);
		return 0;
	}
	free(file->events.at[i].name);
	file->events.at[i].name = name;
	return 0;
}

static int read_events(struct perf_file *file, struct span *in, struct tf_error *error)
{
	uint32_t n = take_le32(in), attr_size = take_le32(in);
	int status = 0;

	for (uint32_t i = 0; i < n && !in->bad && status == 0; i++)
		status = read_event(file, i, attr_size, in, error);
	return status < 0 ? status : done(file, in, false, error);
}

int perf_build_id_read(struct perf_file *file, uint16_t misc, struct span in,
		       struct tf_error *error)
{
	enum { ID_ROOM = 24, ID_SIZE = 20, HAS_SIZE = 1 << 15 };
	struct perf_build_id *added;
	const uint8_t *id;
	const char *path;
	size_t size;

	take_le32(&in);
	id = take_bytes(&in, ID_ROOM);
	path = take_padded_text(&in);
	if (in.bad)
		return done(file, &in, false, error);
	size = misc & HAS_SIZE ? id[ID_SIZE] : ID_SIZE;
	if (!array_reserve(&file->build_ids, &file->build_id_capacity, file->n_build_ids + 1,
			   sizeof(*file->build_ids)))
		return fail_memory(error);
	added = &file->build_ids[file->n_build_ids];
	*added = (struct perf_build_id){ strdup(path), id, size < ID_SIZE ? size : ID_SIZE };
	if (!added->path)
		return fail_memory(error);
	file->n_build_ids++;
	return 0;
}

static int read_build_ids(struct perf_file *file, struct span *in, struct tf_error *error)
{
	int status = 0;

	while (span_left(in) && status == 0) {
		struct span record = *in;
		const uint8_t *head = take_bytes(&record, PERF_RECORD_HEAD);
		uint16_t size = head ? get_le16(head + 6) : 0;

		if (size < PERF_RECORD_HEAD || !take_bytes(in, size)) {
			in->bad = true;
			return done(file, in, false, error);
		}
		record.end = in->at;
		status = perf_build_id_read(file, get_le16(head + 4), record, error);
	}
	return status;
}

int perf_feature_read(struct perf_file *file, unsigned feature, struct span in,
		      struct tf_error *error)
{
	struct perf_texts *texts = &file->texts;

	switch (feature) {
	case BUILD_ID: return read_build_ids(file, &in, error);
	case HOSTNAME: return read_text(file, &in, &texts->hostname, error);
	case OSRELEASE: return read_text(file, &in, &texts->release, error);
	case VERSION: return read_text(file, &in, &texts->version, error);
	case ARCH: return read_text(file, &in, &texts->arch, error);
	case CPUDESC: return read_text(file, &in, &texts->cpu, error);
	case CPUID: return read_text(file, &in, &texts->cpuid, error);
	case CMDLINE: return read_command(file, &in, error);
	case EVENT_DESC: return read_events(file, &in, error);
	case PMU_MAPPINGS: return read_pmus(file, &in, error);
	default: return 0;
	}
}
