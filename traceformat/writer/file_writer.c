/* SPDX-License-Identifier: MIT */
/*
 * Writes the file: header, sections one after the other, INDEX, trailer. Each section is written
 * with one call and never changed, and everything that it needs stands before it. Hence a file cut
 * anywhere is valid up to its last whole section.
 */
#include "traceformat/writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "traceformat/common/error.h"
#include "traceformat/writer/compression_pipeline.h"
#include "traceformat/writer/stream.h"

enum { MAX_PATH_INSNS = TF_MAX_PATH_BLOCKS * TF_MAX_BLOCK_INSNS };

static bool has_pending(const struct tf_writer *w)
{
	for (unsigned i = 0; i < N_PENDING; i++)
		if (w->pending[i].bytes.size || w->pending[i].bytes.failed)
			return true;
	return w->scheduled;
}

int writer_flush_pending(struct tf_writer *w, struct tf_error *error)
{
	struct compression_job *job;

	if (!has_pending(w))
		return 0;
	job = compression_new_job(w);
	return job ? compression_put(w, job, error) : fail_memory(error);
}

static int write_file_header(struct tf_writer *w, const struct tf_writer_options *o,
			     uint32_t compat, struct tf_error *error)
{
	uint8_t h[FILE_HEADER_SIZE] = { 0 };
	uint64_t created = o->created_ns;
	struct timespec now;

	if (created == 0) {
		clock_gettime(CLOCK_REALTIME, &now);
		created = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	} else if (created == UINT64_MAX) {
		created = 0;
	}
	memcpy(h, FILE_MAGIC, 8);
	put_le16(h + 8, TF_FORMAT_MAJOR);
	put_le16(h + 10, TF_FORMAT_MINOR);
	put_le16(h + 12, TF_FORMAT_MAJOR);
	put_le16(h + 14, o->code_withheld ? REQUIRED_MINOR_WITHHELD : REQUIRED_MINOR);
	put_le32(h + 16, FILE_HEADER_SIZE);
	put_le32(h + 20, BYTE_ORDER_MARK);
	put_le32(h + 24, o->code_withheld ? INCOMPAT_CODE_WITHHELD : 0);
	put_le32(h + 28, compat | (o->no_addresses ? COMPAT_NO_ADDRESSES : 0u) |
				 (o->order_exact ? COMPAT_ORDER_EXACT : 0u));
	memcpy(h + 32, w->uuid, 16);
	put_le64(h + 48, created);
	put_le64(h + 56, XXH3_64bits(h, 56));
	memcpy(w->header, h, sizeof(h));
	return writer_bytes(w, h, sizeof(h), error);
}

int writer_open(int fd, const char *name, const struct tf_writer_options *options, uint32_t compat,
		struct tf_writer **writer, struct tf_error *error)
{
	struct tf_writer_options o = { 0 };
	struct tf_writer *w;
	int status;

	if (options && options->size > sizeof(o))
		return fail(error, TF_E_ARGUMENT, "writer options of a newer library");
	if (options)
		memcpy(&o, options, options->size);
	if (o.chunk_instructions > MAX_CHUNK_INSTRUCTIONS)
		return fail(error, TF_E_ARGUMENT, "a chunk has at most %llu instructions",
			    (unsigned long long)MAX_CHUNK_INSTRUCTIONS);
	w = calloc(1, sizeof(*w));
	if (!w)
		return fail_memory(error);
	pthread_mutex_init(&w->lock, NULL);
	w->fd = fd;
	w->level = o.level ? o.level : DEFAULT_LEVEL;
	w->chunk_instructions = o.chunk_instructions ? o.chunk_instructions
						     : DEFAULT_CHUNK_INSTRUCTIONS;
	if (w->chunk_instructions > MAX_CHUNK_INSTRUCTIONS - MAX_PATH_INSNS) /* ends with a path */
		w->chunk_instructions = MAX_CHUNK_INSTRUCTIONS - MAX_PATH_INSNS;
	w->no_addresses = o.no_addresses;
	w->code_withheld = o.code_withheld;
	w->blocks.element_size = sizeof(struct compiled_block *);
	w->paths.element_size = sizeof(struct compiled_path *);
	w->exits.element_size = sizeof(struct writer_exit);
	w->threads.element_size = sizeof(struct writer_thread);
	w->name = strdup(name);
	w->compressor = ZSTD_createCCtx();
	if (!compression_begin(w, o.threads) || !w->name || !w->compressor) {
		tf_writer_free(w);
		return fail_memory(error);
	}
	if (o.uuid)
		memcpy(w->uuid, o.uuid, 16);
	else if (getrandom(w->uuid, 16, 0) != 16)
		memset(w->uuid, 0, 16);
	status = write_file_header(w, &o, compat, error);
	if (status < 0) {
		tf_writer_free(w);
		return status;
	}
	*writer = w;
	return 0;
}

int tf_writer_create_fd(int fd, const char *name, const struct tf_writer_options *options,
			struct tf_writer **writer, struct tf_error *error)
{
	return writer_open(fd, name, options, 0, writer, error);
}

int tf_writer_create(const char *path, const struct tf_writer_options *options,
		     struct tf_writer **writer, struct tf_error *error)
{
	int fd, status;

	if (!strcmp(path, "-"))
		return tf_writer_create_fd(STDOUT_FILENO, "standard output", options, writer,
					   error);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, TF_FILE_MODE);
	if (fd < 0)
		return fail(error, TF_E_IO, "%s: cannot create: %s", path, strerror(errno));
	status = tf_writer_create_fd(fd, path, options, writer, error);
	if (status < 0)
		close(fd);
	else
		(*writer)->owns_fd = true;
	return status;
}

int tf_writer_meta(struct tf_writer *w, const char *key, const char *value, struct tf_error *error)
{
	struct pending *p = &w->pending[SECTION_META];
	size_t key_size = strlen(key);
	bool failed;

	if (!meta_key_valid(key, key_size))
		return fail(error, TF_E_ARGUMENT, "\"%s\" is not a META key", key);
	pthread_mutex_lock(&w->lock);
	put_bytes(&p->bytes, key, key_size);
	put_bytes(&p->bytes, ": ", 2);
	for (; *value; value++) {
		if (*value == '\n')
			put_bytes(&p->bytes, "\\n", 2);
		else if (*value == '\\')
			put_bytes(&p->bytes, "\\\\", 2);
		else
			put_u8(&p->bytes, (uint8_t)*value);
	}
	put_u8(&p->bytes, '\n');
	p->count++;
	failed = p->bytes.failed;
	pthread_mutex_unlock(&w->lock);
	return failed ? fail_memory(error) : 0;
}

int tf_writer_schedule(struct tf_writer *w, uint32_t thread, uint64_t instructions,
		       struct tf_error *error)
{
	if (thread >= w->threads.count)
		return fail(error, TF_E_ARGUMENT, "no thread %u", thread);
	pthread_mutex_lock(&w->lock);
	if (thread != w->scheduled_thread)
		writer_close_schedule(w);
	w->scheduled_thread = thread;
	w->scheduled += instructions;
	pthread_mutex_unlock(&w->lock);
	return 0;
}

int tf_writer_flush(struct tf_writer *w, struct tf_error *error)
{
	int status;

	pthread_mutex_lock(&w->lock);
	status = writer_flush_pending(w, error);
	if (status == 0)
		status = compression_drain(w, error);
	pthread_mutex_unlock(&w->lock);
	return status;
}

uint64_t tf_writer_size(const struct tf_writer *w)
{
	return w->size;
}

uint64_t tf_writer_copies_size(struct tf_writer *w)
{
	uint64_t size;

	pthread_mutex_lock(&w->lock);
	size = copies_size(w);
	pthread_mutex_unlock(&w->lock);
	return size;
}

double tf_writer_compressing(struct tf_writer *w)
{
	double seconds;

	pthread_mutex_lock(&w->lock);
	seconds = w->pipeline.seconds;
	pthread_mutex_unlock(&w->lock);
	return seconds;
}

void tf_writer_totals(struct tf_writer *w, struct tf_totals *totals)
{
	*totals = (struct tf_totals){ 0 };
	pthread_mutex_lock(&w->lock);
	compression_drain(w, NULL);
	for (uint32_t i = 0; i < w->threads.count; i++) {
		const struct writer_thread *t = fixed_vector_at(&w->threads, i);

		totals_add(totals, &t->totals);
	}
	pthread_mutex_unlock(&w->lock);
}

static int write_end(struct tf_writer *w, int32_t wait_status, const char *reason,
		     struct tf_error *error)
{
	struct section s = { .kind = SECTION_END, .thread = TF_NONE, .count = w->threads.count };
	struct buffer b = { 0 };
	int status;

	put_svarint(&b, wait_status);
	put_string(&b, reason);
	put_varint(&b, w->threads.count);
	for (uint32_t i = 0; i < w->threads.count; i++) {
		const struct writer_thread *t = fixed_vector_at(&w->threads, i);

		put_varint(&b, t->totals.instructions);
		put_varint(&b, t->totals.loads);
		put_varint(&b, t->totals.stores);
		put_varint(&b, t->totals.prefetches);
		put_varint(&b, t->totals.repetitions);
		put_varint(&b, t->totals.opaque);
		put_varint(&b, t->totals.blocks);
		put_varint(&b, t->totals.paths);
		put_varint(&b, t->totals.events);
	}
	s.raw = b.size;
	status = b.failed ? fail_memory(error) : copies_write_end(w, &s, b.data, b.size, error);
	buffer_free(&b);
	return status;
}

/* Writes INDEX, which lists every section before itself. */
static int write_index(struct tf_writer *w, struct tf_error *error)
{
	struct section s = { .kind = SECTION_INDEX,
			     .thread = TF_NONE,
			     .count = w->n_sections,
			     .raw = w->index.size };
	uint8_t trailer[TRAILER_SIZE], hashed[32];
	uint64_t offset = w->size;
	int status;

	w->packed.size = 0;
	s.codec = payload_encode(w->compressor, w->level, w->index.data, w->index.size, &w->packed);
	if (w->packed.failed)
		return fail_memory(error);
	status = writer_section(w, &s, w->packed.data, w->packed.size, error);
	if (status < 0)
		return status;
	put_le64(trailer, offset);
	put_le64(trailer + 8, w->size + TRAILER_SIZE);
	memcpy(hashed, trailer, 16);
	memcpy(hashed + 16, w->uuid, 16);
	put_le64(trailer + 16, XXH3_64bits(hashed, 32));
	memcpy(trailer + 24, TRAILER_MAGIC, 8);
	return writer_bytes(w, trailer, sizeof(trailer), error);
}

int tf_writer_finish(struct tf_writer *w, int32_t wait_status, const char *stop_reason,
		     struct tf_error *error)
{
	int status;

	pthread_mutex_lock(&w->lock);
	status = writer_flush_pending(w, error);
	if (status == 0)
		status = compression_drain(w, error);
	if (status == 0)
		status = write_end(w, wait_status, stop_reason, error);
	if (status == 0)
		status = write_index(w, error);
	if (status == 0 && fdatasync(w->fd) < 0 && errno != EINVAL && errno != EROFS)
		status = fail(error, TF_E_IO, "%s: %s", w->name, strerror(errno));
	pthread_mutex_unlock(&w->lock);
	return status;
}

static void free_vector(struct fixed_vector *v, void (*free_element)(void *))
{
	for (uint32_t i = 0; free_element && i < v->count; i++)
		free_element(*(void **)fixed_vector_at(v, i));
	for (uint32_t i = 0; v->segments && i < MAX_SEGMENTS && v->segments[i]; i++)
		free(v->segments[i]);
	free(v->segments);
}

void tf_writer_free(struct tf_writer *w)
{
	if (!w)
		return;
	compression_end(w);
	writer_stream_free(w->spare);
	free_vector(&w->paths, free);
	free_vector(&w->blocks, free);
	free_vector(&w->exits, NULL);
	free_vector(&w->threads, NULL);
	for (unsigned i = 0; i < N_PENDING; i++)
		buffer_free(&w->pending[i].bytes);
	buffer_free(&w->index);
	copies_free(w);
	buffer_free(&w->packed);
	buffer_free(&w->record);
	record_set_free(&w->kinds);
	ZSTD_freeCCtx(w->compressor);
	if (w->owns_fd)
		close(w->fd);
	pthread_mutex_destroy(&w->lock);
	free(w->name);
	free(w);
}
