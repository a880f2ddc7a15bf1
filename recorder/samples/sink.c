/* SPDX-License-Identifier: MIT */
#include "recorder/samples/sink.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "recorder/samples/images.h"
#include "recorder/samples/pmu.h"
#include "traceformat/common/error.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/tracesamples.h"

enum { KERNEL_PID = 0, NOBODY = UINT32_MAX };

/* The index in the trace of the process or thread that has a number now. */
struct indexed {
	uint32_t key;
	uint32_t index;
};

struct sample_sink {
	struct tf_writer *writer;
	struct perf_events *events;
	struct images *images;
	HASH_TABLE(struct indexed) processes, threads; /* by present pid and tid */
	struct sample_counts counts;
	bool has_threads;    /* sample_sink_add_thread has added threads */
	uint64_t time;       /* time of the current record */
	uint32_t sampler;    /* sampler of the current record, or TF_NONE */
	struct buffer chain; /* call chain of the current record, in u64 */
};

struct sample_sink *sample_sink_new(struct tf_writer *writer, struct perf_events *events, bool here)
{
	struct sample_sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	*sink = (struct sample_sink){ .writer = writer, .events = events };
	sink->images = images_new(writer, here);
	if (sink->images)
		return sink;
	free(sink);
	return NULL;
}

void sample_sink_free(struct sample_sink *sink)
{
	if (!sink)
		return;
	images_free(sink->images);
	buffer_free(&sink->chain);
	TABLE_FREE(sink->processes);
	TABLE_FREE(sink->threads);
	free(sink);
}

const struct sample_counts *sample_sink_counts(const struct sample_sink *sink)
{
	return &sink->counts;
}

int sample_sink_add_events(struct sample_sink *sink,
			   const char *(*pmu)(const void *opaque, uint32_t type),
			   const void *opaque, struct tf_error *error)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < sink->events->count; i++) {
		struct perf_event *event = &sink->events->at[i];
		struct tf_sampler sampler = {
			.origin = TF_SAMPLER_PERF,
			.event = event->name,
			.pmu = pmu(opaque, event->attr.type),
			.attr = event->bytes,
			.attr_size = event->size,
		};

		if (event->sampler == TF_NONE)
			status = tf_writer_add_sampler(sink->writer, &sampler, &event->sampler,
						       error);
	}
	return status;
}

int sample_sink_add_build_id(struct sample_sink *sink, const char *path, const uint8_t *id,
			     size_t size, struct tf_error *error)
{
	return images_add_build_id(sink->images, path, id, size, error);
}

/* ---- processes and threads --------------------------------------------------------------- */

static uint32_t index_of(const struct indexed *found)
{
	return found ? found->index : TF_NONE;
}

/* Returns false if there is no entry, as memory is out. */
static bool set_index(struct indexed *entry, uint32_t index)
{
	if (entry)
		entry->index = index;
	return entry;
}

int sample_sink_add_thread(struct sample_sink *sink, uint32_t pid, uint32_t process, uint32_t tid,
			   uint32_t thread, struct tf_error *error)
{
	sink->has_threads = true;
	if (!set_index(TABLE_PUT(sink->processes, pid), process) ||
	    !set_index(TABLE_PUT(sink->threads, tid), thread))
		return fail_memory(error);
	return 0;
}

/* Adds a process that begins now, with the mappings of its parent (TF_NONE: unknown). */
static int add_process(struct sample_sink *sink, uint32_t pid, uint32_t parent, uint32_t *index,
		       struct tf_error *error)
{
	struct tf_process process = { .pid = pid, .parent = parent };
	int status = tf_writer_add_process(sink->writer, &process, index, error);

	if (status == 0 && !set_index(TABLE_PUT(sink->processes, pid), *index))
		status = fail_memory(error);
	return status;
}

static int find_process(struct sample_sink *sink, uint32_t pid, uint32_t *index,
			struct tf_error *error)
{
	*index = index_of(TABLE_FIND(sink->processes, pid));
	return *index == TF_NONE ? add_process(sink, pid, TF_NONE, index, error) : 0;
}

static int add_thread(struct sample_sink *sink, uint32_t process, uint32_t tid, uint32_t *index,
		      struct tf_error *error)
{
	struct tf_thread thread = { .process = process, .tid = tid };
	int status = tf_writer_add_thread(sink->writer, &thread, index, error);

	if (status == 0 && !set_index(TABLE_PUT(sink->threads, tid), *index))
		status = fail_memory(error);
	return status;
}

int sample_sink_thread(struct sample_sink *sink, uint32_t pid, uint32_t tid, uint32_t *thread,
		       struct tf_error *error)
{
	uint32_t process;
	int status;

	*thread = index_of(TABLE_FIND(sink->threads, tid));
	if (*thread != TF_NONE)
		return 0;
	status = find_process(sink, pid, &process, error);
	return status < 0 ? status : add_thread(sink, process, tid, thread, error);
}

/* Takes the begin of a thread, or of a process with its first thread. */
static int take_fork(struct sample_sink *sink, struct span *s, struct tf_error *error)
{
	uint32_t pid = take_le32(s), ppid = take_le32(s), tid = take_le32(s), process, parent,
		 thread;
	int status;

	if (s->bad || (sink->has_threads && index_of(TABLE_FIND(sink->threads, tid)) != TF_NONE))
		return 0;
	status = find_process(sink, ppid, &parent, error);
	process = parent;
	if (status == 0 && pid != ppid)
		status = add_process(sink, pid, parent, &process, error);
	return status < 0 ? status : add_thread(sink, process, tid, &thread, error);
}

/* ---- mappings ---------------------------------------------------------------------------- */

static int put_mapping(struct sample_sink *sink, const struct tf_mapping *mapping, uint64_t bias,
		       struct tf_error *error)
{
	struct tf_sample sample = {
		.kind = TF_SAMPLES_MAPPING,
		.sampler = TF_NONE,
		.thread = TF_NONE,
		.time_ns = sink->time,
		.bias = bias,
	};
	int status = tf_writer_add_mapping(sink->writer, mapping, &sample.mapping, error);

	return status < 0 ? status : tf_writer_add_sample(sink->writer, &sample, error);
}

/* Unmaps all mappings of a process that executes a new program. */
static int unmap_all(struct sample_sink *sink, uint32_t pid, struct tf_error *error)
{
	struct tf_mapping all = {
		.change = TF_UNMAP, .module = TF_NONE, .size = UINT64_MAX, .name = ""
	};
	int status = find_process(sink, pid, &all.process, error);

	return status < 0 ? status : put_mapping(sink, &all, 0, error);
}

static int put_name(struct sample_sink *sink, uint32_t pid, uint32_t tid, const char *name,
		    struct tf_error *error)
{
	struct tf_sample sample = {
		.kind = TF_SAMPLES_NAME, .sampler = TF_NONE, .time_ns = sink->time, .name = name
	};
	int status = sample_sink_thread(sink, pid, tid, &sample.thread, error);

	return status < 0 ? status : tf_writer_add_sample(sink->writer, &sample, error);
}

static int take_comm(struct sample_sink *sink, const struct perf_record *r, struct span *s,
		     struct tf_error *error)
{
	uint32_t pid = take_le32(s), tid = take_le32(s);
	const char *name = take_padded_text(s);
	int status = 0;

	if (s->bad)
		return 0;
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
		status = unmap_all(sink, pid, error);
	return status < 0 ? status : put_name(sink, pid, tid, name, error);
}

int sample_sink_add_threads(struct sample_sink *sink, pid_t pid, uint64_t time,
			    struct tf_error *error)
{
	char path[64], name[64];
	struct dirent *entry;
	int status = 0;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	sink->time = time;
	while (threads && status == 0 && (entry = readdir(threads))) {
		int tid = atoi(entry->d_name);

		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, tid);
		if (tid > 0 && pmu_read_line(path, name, sizeof(name)))
			status = put_name(sink, (uint32_t)pid, (uint32_t)tid, name, error);
	}
	if (threads)
		closedir(threads);
	return status;
}

/* Returns the name as /proc/PID/maps has it. */
static const char *mapping_name(const char *name)
{
	return strcmp(name, "//anon") ? name : "";
}

/*
 * Returns the path of an image. perf appends to the kernel's name the symbol that addresses are
 * relative to: "_text", "_stext".
 */
static const char *image_path(const char *name)
{
	return strncmp(name, KERNEL_IMAGE, strlen(KERNEL_IMAGE)) ? name : KERNEL_IMAGE;
}

/* Returns true if a mapping belongs to a module: it is executable, or data of a file with code. */
static bool is_module(const struct sample_sink *sink, const char *name, uint32_t protection)
{
	return (*name == '/' || !strcmp(name, "[vdso]") || !strncmp(name, "[kernel", 7)) &&
	       (protection & PROT_EXEC || images_has(sink->images, name));
}

/* Returns true for executable anonymous memory, in which JIT compilers generate code. */
static bool is_generated(const struct tf_mapping *mapping)
{
	return mapping->protection & PROT_EXEC &&
	       (!*mapping->name || !strcmp(mapping->name, "[heap]"));
}

/* Takes the fields that only MMAP2 records have. */
static void take_mmap2(struct span *s, const struct perf_record *r, struct image_mapping *image)
{
	enum { MAX_BUILD_ID = 20, IDENTITY = 24 };
	const uint8_t *bytes = take_bytes(s, IDENTITY);
	struct span identity = span_of(bytes, bytes ? IDENTITY : 0);

	if (r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		size_t size = take_u8(&identity);

		take_bytes(&identity, 3);
		if (size > MAX_BUILD_ID)
			s->bad = true;
		else if (size) {
			image->build_id = take_bytes(&identity, MAX_BUILD_ID);
			image->build_id_size = image->build_id ? size : 0;
		}
	}
	image->protection = take_le32(s);
	take_le32(s);
}

/* Adds the mapping of a file or of named memory. */
static int add_mapping(struct sample_sink *sink, uint32_t pid, const struct image_mapping *image,
		       uint64_t size, struct tf_error *error)
{
	struct tf_mapping mapping = {
		.change = TF_MAP,
		.module = TF_NONE,
		.start = image->start,
		.size = size,
		.file_offset = image->file_offset,
		.name = mapping_name(image->path),
		.protection = image->protection & (PROT_READ | PROT_WRITE | PROT_EXEC),
	};
	uint64_t bias = mapping.start - mapping.file_offset;
	int status = find_process(sink, pid, &mapping.process, error);

	if (status == 0 && is_module(sink, mapping.name, mapping.protection))
		status = images_find(sink->images, image, &mapping.module, &bias, error);
	if (status == 0 && is_generated(&mapping)) {
		bias = 0;
		status = images_find_generated(sink->images, pid, &mapping.module, error);
	}
	return status < 0 ? status : put_mapping(sink, &mapping, bias, error);
}

static int take_mmap(struct sample_sink *sink, const struct perf_record *r, struct span *s,
		     struct tf_error *error)
{
	bool is_data = r->type == PERF_RECORD_MMAP && r->misc & PERF_RECORD_MISC_MMAP_DATA;
	struct image_mapping image = { .protection = PROT_READ | (is_data ? 0 : PROT_EXEC) };
	uint32_t pid = take_le32(s);
	uint64_t size;

	take_le32(s);
	image.start = take_le64(s);
	size = take_le64(s);
	image.file_offset = take_le64(s);
	if (r->type == PERF_RECORD_MMAP2)
		take_mmap2(s, r, &image);
	image.path = take_padded_text(s);
	if (s->bad)
		return 0;
	image.path = image_path(image.path);
	return add_mapping(sink, pid == NOBODY ? KERNEL_PID : pid, &image, size, error);
}

int sample_sink_add_mappings(struct sample_sink *sink, pid_t pid, uint64_t time,
			     struct tf_error *error)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int status = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	sink->time = time;
	while (maps && status == 0 && getline(&line, &room, maps) > 0) {
		struct image_mapping image = { 0 };
		uint64_t end;
		char can[5];
		int name;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &image.start, &end, can,
			   &image.file_offset, &name) < 4)
			continue;
		image.path = line + name;
		image.protection = (can[0] == 'r' ? PROT_READ : 0) |
				   (can[1] == 'w' ? PROT_WRITE : 0) |
				   (can[2] == 'x' ? PROT_EXEC : 0);
		status = add_mapping(sink, (uint32_t)pid, &image, end - image.start, error);
	}
	free(line);
	if (maps)
		fclose(maps);
	return status;
}

/* ---- samples ----------------------------------------------------------------------------- */

static void set_place(struct tf_sample *sample, const struct program_place *place)
{
	sample->is_overhead = place->is_overhead;
	if (!place->is_known)
		return;
	sample->fields |= TF_SAMPLE_PROGRAM_IP;
	sample->program_ip = place->pc;
}

static int take_sample(struct sample_sink *sink, const struct perf_record *r,
		       const struct program_place *place, struct tf_error *error)
{
	struct perf_sample sample;
	int status = 0;

	if (r->event == TF_NONE || !perf_sample_parse(sink->events, r, &sample)) {
		sink->counts.damaged++;
		return 0;
	}
	sample.sample.sampler = sink->events->at[r->event].sampler;
	sample.sample.thread = TF_NONE;
	sink->chain.size = 0;
	put_bytes(&sink->chain, sample.chain, sample.sample.n_chain * sizeof(*sample.sample.chain));
	if (sink->chain.failed)
		return fail_memory(error);
	sample.sample.chain = (const uint64_t *)sink->chain.data;
	if (place)
		set_place(&sample.sample, place);
	if (sample.has_thread && sample.pid != NOBODY)
		status = sample_sink_thread(sink, sample.pid, sample.tid, &sample.sample.thread,
					    error);
	sink->counts.samples++;
	return status < 0 ? status : tf_writer_add_sample(sink->writer, &sample.sample, error);
}

/* Writes that samples are missing. */
static int put_gap(struct sample_sink *sink, enum tf_sample_kind kind, uint64_t lost,
		   struct tf_error *error)
{
	struct tf_sample sample = {
		.kind = kind,
		.sampler = sink->sampler,
		.thread = TF_NONE,
		.time_ns = sink->time,
		.lost = lost,
	};

	sink->counts.lost += lost;
	sink->counts.throttled += kind == TF_SAMPLES_THROTTLED;
	return tf_writer_add_sample(sink->writer, &sample, error);
}

static int take_lost(struct sample_sink *sink, const struct perf_record *r, struct span *s,
		     struct tf_error *error)
{
	if (r->type == PERF_RECORD_LOST)
		take_le64(s);
	return put_gap(sink, TF_SAMPLES_LOST, take_le64(s), error);
}

static int take_any(struct sample_sink *sink, const struct perf_record *r, struct span *s,
		    const struct program_place *place, struct tf_error *error)
{
	switch (r->type) {
	case PERF_RECORD_SAMPLE: return take_sample(sink, r, place, error);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return take_mmap(sink, r, s, error);
	case PERF_RECORD_COMM: return take_comm(sink, r, s, error);
	case PERF_RECORD_FORK: return take_fork(sink, s, error);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: return take_lost(sink, r, s, error);
	case PERF_RECORD_THROTTLE: return put_gap(sink, TF_SAMPLES_THROTTLED, 0, error);
	case PERF_RECORD_UNTHROTTLE: return put_gap(sink, TF_SAMPLES_UNTHROTTLED, 0, error);
	default: return 0;
	}
}

int sample_sink_record(struct sample_sink *sink, const struct perf_record *record,
		       const struct program_place *place, struct tf_error *error)
{
	struct span s = record->body;
	int status;

	sink->time = record->time;
	sink->sampler = record->event == TF_NONE ? TF_NONE
						 : sink->events->at[record->event].sampler;
	status = take_any(sink, record, &s, place, error);
	sink->counts.damaged += s.bad;
	return status;
}

int sample_sink_finish(struct sample_sink *sink, struct tf_error *error)
{
	return images_finish(sink->images, error);
}
