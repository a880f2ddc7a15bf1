/* SPDX-License-Identifier: MIT */
#include "recorder/import/perf_file.h"

#include <stdlib.h>
#include <zstd.h>

#include "recorder/import/perf_feature.h"
#include "traceformat/common/array.h"
#include "traceformat/common/error.h"

/* Records of perf itself. */
/* clang-format off */
enum {
	FIRST_OF_PERF = 64, HEADER_ATTR = 64, HEADER_TRACING_DATA = 66, HEADER_BUILD_ID = 67,
	AUXTRACE = 71, HEADER_FEATURE = 80, COMPRESSED = 81, COMPRESSED2 = 83, BPF_METADATA = 84,
	LAST_OF_PERF = BPF_METADATA,
};

/* The kernel's records: from PERF_RECORD_MMAP to PERF_RECORD_CALLCHAIN_DEFERRED. */
enum { FIRST_OF_KERNEL = 1, LAST_OF_KERNEL = 22 };
/* clang-format on */

enum { FILE_HEADER = 104, PIPE_HEADER = 16, IDS_SECTION = 16, UNPACKED_ROOM = 1 << 18 };

/* Decompressed records may take UNPACKED_MIN bytes and UNPACKED_TIMES the size of the file. */
#define UNPACKED_MIN (UINT64_C(256) << 20)
enum { UNPACKED_TIMES = 100 };

/* A piece of decompressed data, into which its records point. */
struct perf_unpacked {
	struct perf_unpacked *next;
	size_t size;
	uint8_t bytes[];
};

/* The state of reading the records one after the other. */
struct scan {
	struct perf_file *file;
	ZSTD_DStream *decompressor; /* NULL until a record is compressed */
	bool unpacking;
	const uint8_t *rest; /* of them, the beginning of a record */
	size_t rest_size;
	uint64_t last_time;
	bool has_events; /* the events are complete and checked */
	struct tf_error *error;
};

static int scan_records(struct scan *scan, struct span *in);

const char *perf_file_pmu(const void *opaque, uint32_t type)
{
	static const char *const fixed[] = { "hardware", "software", "tracepoint",
					     "hw-cache", "raw",      "breakpoint" };
	const struct perf_file *file = opaque;

	for (size_t i = 0; i < file->n_pmus; i++)
		if (file->pmus[i].type == type)
			return file->pmus[i].name;
	return type < sizeof(fixed) / sizeof(*fixed) ? fixed[type] : NULL;
}

/* ---- attrs ------------------------------------------------------------------------------- */

/*
 * Adds an event with its ids. The attr contains its own size, and may be followed by other bytes.
 */
static int add_event(struct perf_file *file, struct span attr, struct span ids,
		     struct tf_error *error)
{
	uint32_t size = span_left(&attr) >= PERF_ATTR_SIZE_VER0 ? get_le32(attr.at + 4) : 0;

	if (size == 0)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > span_left(&attr))
		return perf_file_fail(file, attr.at, "an event's attr has no valid size", error);
	if (!perf_events_add(&file->events, attr.at, size))
		return fail_memory(error);
	while (span_left(&ids) >= 8)
		if (!perf_events_add_id(&file->events, take_le64(&ids),
					(uint32_t)file->events.count - 1))
			return fail_memory(error);
	return 0;
}

/* Returns the bytes of a section of the file; .bad is set if the section exceeds the file. */
static struct span section_of(const struct perf_file *file, struct span *descriptor)
{
	uint64_t offset = take_le64(descriptor), size = take_le64(descriptor);
	struct span section = span_of(file->data, file->size);

	section.bad = descriptor->bad;
	take_bytes(&section, offset);
	if (!section.bad && size <= span_left(&section))
		section.end = section.at + size;
	else
		section.bad = true;
	return section;
}

static int read_attrs(struct perf_file *file, struct span attrs, uint64_t entry_size,
		      struct tf_error *error)
{
	int status = 0;

	if (entry_size < PERF_ATTR_SIZE_VER0 + IDS_SECTION)
		return perf_file_fail(file, file->data, "attrs of impossible size", error);
	while (span_left(&attrs) >= entry_size && status == 0) {
		const uint8_t *entry = take_bytes(&attrs, entry_size);
		struct span descriptor = span_of(entry + entry_size - IDS_SECTION, IDS_SECTION);
		struct span ids = section_of(file, &descriptor);

		if (ids.bad)
			return perf_file_fail(file, entry, "ids outside of the file", error);
		status = add_event(file, span_of(entry, entry_size - IDS_SECTION), ids, error);
	}
	return status;
}

/* ---- records of perf itself -------------------------------------------------------------- */

static int take_attr(struct scan *scan, struct span body)
{
	uint32_t size = span_left(&body) >= PERF_ATTR_SIZE_VER0 ? get_le32(body.at + 4) : 0;
	const uint8_t *attr = take_bytes(&body, size);

	if (scan->has_events)
		return perf_file_fail(scan->file, body.at, "an event after its records",
				      scan->error);
	if (!attr)
		return perf_file_fail(scan->file, body.at, "an attr is cut", scan->error);
	return add_event(scan->file, span_of(attr, size), body, scan->error);
}

static int take_feature(struct scan *scan, struct span body)
{
	uint64_t feature = take_le64(&body);

	return body.bad || feature >= PERF_N_FEATURES
		       ? 0
		       : perf_feature_read(scan->file, (unsigned)feature, body, scan->error);
}

/*
 * Decompresses some more data behind the rest of the last piece. Sets *more if the same input may
 * have more.
 */
static int unpack_part(struct scan *scan, ZSTD_inBuffer *in, bool *more)
{
	struct perf_unpacked *part = malloc(sizeof(*part) + scan->rest_size + UNPACKED_ROOM),
			     *shrunk;
	ZSTD_outBuffer out = { part ? part->bytes + scan->rest_size : NULL, UNPACKED_ROOM, 0 };

	if (!part)
		return fail_memory(scan->error);
	if (scan->rest_size)
		memcpy(part->bytes, scan->rest, scan->rest_size);
	if (ZSTD_isError(ZSTD_decompressStream(scan->decompressor, &out, in))) {
		free(part);
		return perf_file_fail(scan->file, in->src,
				      "a compressed record does not decompress", scan->error);
	}
	*more = out.pos == out.size || in->pos < in->size;
	scan->file->n_unpacked += out.pos;
	part->size = scan->rest_size + out.pos;
	part->next = scan->file->unpacked;
	shrunk = realloc(part, sizeof(*part) + part->size);
	scan->file->unpacked = shrunk ? shrunk : part;
	return scan->file->n_unpacked <= scan->file->unpack_limit
		       ? 0
		       : perf_file_fail(
				 scan->file, in->src,
				 "compressed records grow to more than 256 MiB and 100 times "
				 "the file",
				 scan->error);
}

/* Reads the records that are complete now. */
static int scan_part(struct scan *scan)
{
	const struct perf_unpacked *part = scan->file->unpacked;
	struct span records = span_of(part->bytes, part->size);
	int status;

	scan->unpacking = true;
	status = scan_records(scan, &records);
	scan->unpacking = false;
	scan->rest = records.at;
	scan->rest_size = span_left(&records);
	return status;
}

static int take_compressed(struct scan *scan, struct span body, bool sized)
{
	uint64_t size = sized ? take_le64(&body) : span_left(&body);
	ZSTD_inBuffer in = { .src = body.at, .size = size };
	bool more = true;
	int status = 0;

	if (body.bad || size > span_left(&body) || scan->unpacking)
		return perf_file_fail(scan->file, body.at, "a compressed record is cut",
				      scan->error);
	if (!scan->decompressor && !(scan->decompressor = ZSTD_createDStream()))
		return fail_memory(scan->error);
	while (more && status == 0) {
		status = unpack_part(scan, &in, &more);
		if (status == 0)
			status = scan_part(scan);
	}
	return status;
}

/* Skips the data behind a record that the record's size does not include. */
static int skip_behind(struct scan *scan, uint32_t type, struct span body, struct span *in)
{
	uint64_t size = type == AUXTRACE ? take_le64(&body)
			: type == HEADER_TRACING_DATA
				? ((uint64_t)take_le32(&body) + 7) & ~UINT64_C(7)
				: 0;

	if (!body.bad && take_bytes(in, size))
		return 0;
	return perf_file_fail(scan->file, body.at, "data behind a record are cut", scan->error);
}

static int take_of_perf(struct scan *scan, uint32_t type, uint16_t misc, struct span body,
			struct span *in)
{
	switch (type) {
	case HEADER_ATTR: return take_attr(scan, body);
	case HEADER_FEATURE: return scan->file->is_pipe ? take_feature(scan, body) : 0;
	case HEADER_BUILD_ID: return perf_build_id_read(scan->file, misc, body, scan->error);
	case HEADER_TRACING_DATA:
	case AUXTRACE: return skip_behind(scan, type, body, in);
	case COMPRESSED: return take_compressed(scan, body, false);
	case COMPRESSED2: return take_compressed(scan, body, true);
	default: return 0;
	}
}

/* Returns false if no known perf or kernel has records of the type. */
static bool is_known_type(uint32_t type)
{
	return (type >= FIRST_OF_KERNEL && type <= LAST_OF_KERNEL) ||
	       (type >= FIRST_OF_PERF && type <= LAST_OF_PERF);
}

static void count_unknown(struct perf_unknown *unknown, uint32_t type)
{
	if (unknown->records++ == 0)
		unknown->type = type;
}

/* ---- records of the kernel --------------------------------------------------------------- */

/* Adds a record of the kernel. A record without a time has the time of the record before it. */
static int keep_record(struct scan *scan, const uint8_t *bytes, size_t size)
{
	struct perf_file *file = scan->file;
	struct perf_record record;
	const char *why = scan->has_events ? NULL : perf_events_check(&file->events);

	if (why)
		return perf_file_fail(file, bytes, why, scan->error);
	scan->has_events = true;
	if (!perf_record_parse(&file->events, bytes, size, &record)) {
		file->n_damaged++;
		return 0;
	}
	if (file->n_entries == UINT32_MAX ||
	    !array_reserve(&file->entries, &file->capacity, file->n_entries + 1,
			   sizeof(*file->entries)))
		return fail_memory(scan->error);
	if (record.time || file->events.at[0].attr.sample_id_all)
		scan->last_time = record.time;
	file->entries[file->n_entries] = (struct perf_entry){
		.time = scan->last_time,
		.bytes = bytes,
		.size = (uint32_t)size,
		.place = (uint32_t)file->n_entries,
	};
	file->n_entries++;
	if (scan->unpacking)
		file->n_unpacked += sizeof(*file->entries);
	return 0;
}

/*
 * Skips a message of perf to the user in the same pipe: "[ perf record: ...". Returns false if
 * there is none.
 */
static bool skip_text(struct span *in)
{
	static const char text[] = "[ perf ";
	size_t size = sizeof(text) - 1, length;
	const uint8_t *end;

	if (span_left(in) < size || memcmp(in->at, text, size))
		return false;
	end = memchr(in->at, '\n', span_left(in));
	length = end ? (size_t)(end - in->at) + 1 : span_left(in);
	return take_bytes(in, length);
}

/* Takes all complete records. */
static int scan_records(struct scan *scan, struct span *in)
{
	int status = 0;

	while (span_left(in) >= PERF_RECORD_HEAD && status == 0) {
		const uint8_t *bytes = in->at;
		uint32_t type = get_le32(bytes);
		uint16_t misc = get_le16(bytes + 4), size = get_le16(bytes + 6);

		if (!scan->unpacking && skip_text(in))
			continue;
		if (size < PERF_RECORD_HEAD)
			return perf_file_fail(scan->file, bytes, "a record without size",
					      scan->error);
		if (size > span_left(in))
			return 0;
		take_bytes(in, size);
		if (!is_known_type(type))
			count_unknown(&scan->file->unknown, type);
		else if (type >= FIRST_OF_PERF)
			status = take_of_perf(scan, type, misc,
					      span_of(bytes + PERF_RECORD_HEAD,
						      size - PERF_RECORD_HEAD),
					      in);
		else
			status = keep_record(scan, bytes, size);
	}
	return status;
}

static bool is_sample(const struct perf_entry *entry)
{
	return get_le32(entry->bytes) == PERF_RECORD_SAMPLE;
}

/*
 * Compares by time, then records of mappings and threads before samples, then by the order in the
 * file.
 */
static int compare_entries(const void *a, const void *b)
{
	const struct perf_entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (is_sample(x) != is_sample(y))
		return is_sample(x) ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int read_records(struct perf_file *file, struct span in, struct tf_error *error)
{
	struct scan scan = { .file = file, .error = error };
	int status = scan_records(&scan, &in);
	uint64_t cut = status == 0 ? span_left(&in) + scan.rest_size : 0;

	file->cut += cut;
	file->n_damaged += cut > 0;
	ZSTD_freeDStream(scan.decompressor);
	return status;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* Reads the features. Their descriptors stand behind the records, one for each bit that is set. */
static int read_features(struct perf_file *file, const uint8_t *bits, const uint8_t *behind,
			 struct tf_error *error)
{
	struct span table = span_of(behind, (size_t)(file->data + file->size - behind));
	int status = 0;

	for (unsigned i = 0; i < PERF_N_FEATURES && status == 0; i++) {
		struct span section;

		if (!(bits[i / 8] >> i % 8 & 1))
			continue;
		section = section_of(file, &table);
		if (section.bad)
			return perf_file_fail(file, table.at, "a feature outside of the file",
					      error);
		status = perf_feature_read(file, i, section, error);
	}
	return status;
}

/*
 * Finds the records of a file with a header. perf writes their size when it ends: 0 means that
 * perf did not end. If the file was cut, the rest is read. Returns false if the records do not
 * begin in the file.
 */
static bool find_records(struct perf_file *file, struct span *header, struct span *records)
{
	uint64_t offset = take_le64(header), size = take_le64(header), left;

	*records = span_of(file->data, file->size);
	take_bytes(records, offset);
	if (records->bad || header->bad)
		return false;
	left = span_left(records);
	file->killed = size == 0 && left > 0;
	if (size > left)
		file->cut = size - left;
	else if (!file->killed)
		records->end = records->at + size;
	return true;
}

static int read_file(struct perf_file *file, struct tf_error *error)
{
	enum { DIR_FORMAT = 24 };
	struct span header = span_of(file->data, file->size), attrs, records;
	uint64_t attr_size;
	const uint8_t *bits;
	int status;

	if (file->size < FILE_HEADER)
		return perf_file_fail(file, file->data, "the header is cut", error);
	take_bytes(&header, PIPE_HEADER);
	attr_size = take_le64(&header);
	attrs = section_of(file, &header);
	if (!find_records(file, &header, &records) || attrs.bad)
		return perf_file_fail(file, file->data, "attrs or records outside of the file",
				      error);
	take_bytes(&header, 16); /* event types, which only old versions of perf wrote */
	bits = take_bytes(&header, PERF_N_FEATURES / 8);
	if (file->n_parts == 1 && bits[DIR_FORMAT / 8] >> DIR_FORMAT % 8 & 1)
		return perf_file_fail_lone(file->name, error);
	status = read_attrs(file, attrs, attr_size, error);
	if (status == 0 && !file->killed && !file->cut) /* otherwise the file has no features */
		status = read_features(file, bits, records.end, error);
	return status < 0 ? status : read_records(file, records, error);
}

static int read_pipe(struct perf_file *file, struct tf_error *error)
{
	struct span records = span_of(file->data, file->size);

	file->is_pipe = true;
	take_bytes(&records, PIPE_HEADER);
	return read_records(file, records, error);
}

static bool has_magic(const uint8_t *data, size_t size, const char *magic)
{
	return size >= 8 && !memcmp(data, magic, 8);
}

bool perf_file_is(const uint8_t *data, size_t size)
{
	return has_magic(data, size, "PERFILE2") || has_magic(data, size, "2ELIFREP");
}

bool perf_records_are(const uint8_t *data, size_t size)
{
	enum { ENOUGH = 16 };
	struct span records = span_of(data, size);

	for (int i = 0; i < ENOUGH && span_left(&records) >= PERF_RECORD_HEAD; i++) {
		uint32_t type = get_le32(records.at);
		uint16_t record_size = get_le16(records.at + 6);

		if (!is_known_type(type) || record_size < PERF_RECORD_HEAD || record_size % 8)
			return false;
		if (record_size > span_left(&records))
			return i > 0;
		take_bytes(&records, record_size);
	}
	return size >= PERF_RECORD_HEAD;
}

int perf_file_fail_lone(const char *name, struct tf_error *error)
{
	const char *slash = strrchr(name, '/');

	return fail(error, TF_E_FOREIGN,
		    "%s: is one of several files of perf record --threads, and the others are not "
		    "with it; give the folder of all: %.*s",
		    name, slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
}

static void begin_part(struct perf_file *file, const struct perf_part *part)
{
	file->data = part->data;
	file->size = part->size;
	file->name = part->name;
}

static int read_first_part(struct perf_file *file, struct tf_error *error)
{
	int status;

	if (has_magic(file->data, file->size, "2ELIFREP"))
		return fail(error, TF_E_FOREIGN, "%s: is of a big-endian machine", file->name);
	if (file->size < PIPE_HEADER || !has_magic(file->data, file->size, "PERFILE2"))
		return fail(error, TF_E_FOREIGN, "%s: is not a perf.data file", file->name);
	status = get_le64(file->data + 8) == PIPE_HEADER ? read_pipe(file, error)
							 : read_file(file, error);
	if (status == 0 && !file->events.count)
		status = perf_file_fail(file, file->data, "it names no event", error);
	return status;
}

int perf_file_read(struct perf_file *file, const struct perf_part *parts, size_t n_parts,
		   struct tf_error *error)
{
	uint64_t size = 0;
	int status;

	for (size_t i = 0; i < n_parts; i++)
		size += parts[i].size;
	*file = (struct perf_file){ .n_parts = n_parts,
				    .unpack_limit = UNPACKED_MIN + UNPACKED_TIMES * size };
	begin_part(file, &parts[0]);
	status = read_first_part(file, error);
	for (size_t i = 1; i < n_parts && status == 0; i++) {
		begin_part(file, &parts[i]);
		status = read_records(file, span_of(file->data, file->size), error);
	}
	if (status == 0 && file->n_entries)
		qsort(file->entries, file->n_entries, sizeof(*file->entries), compare_entries);
	return status;
}

void perf_file_free(struct perf_file *file)
{
	struct perf_texts *t = &file->texts;
	char *texts[] = {
		t->hostname, t->release, t->version, t->arch, t->cpu, t->cpuid, t->command
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < file->n_pmus; i++)
		free(file->pmus[i].name);
	for (size_t i = 0; i < file->n_build_ids; i++)
		free(file->build_ids[i].path);
	while (file->unpacked) {
		struct perf_unpacked *part = file->unpacked;

		file->unpacked = part->next;
		free(part);
	}
	perf_events_free(&file->events);
	free(file->pmus);
	free(file->build_ids);
	free(file->entries);
}
