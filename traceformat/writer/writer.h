/* SPDX-License-Identifier: MIT */
/*
 * The state that the writer's parts share: the file (file_writer.c), the dictionary
 * (dictionary_writer.c) and the streams (stream.c).
 */
#ifndef WRITER_H
#define WRITER_H

#include <pthread.h>

#include "traceformat/common/record_set.h"
#include "traceformat/dictionary/path.h"
#include "traceformat/file/section.h"

enum { DEFAULT_LEVEL = 3 };
#define DEFAULT_CHUNK_INSTRUCTIONS (UINT64_C(1) << 24)

/*
 * A vector whose elements never move, so that streams may read it while the dictionary grows:
 * the writer stores an element, then publishes the count.
 */
struct fixed_vector {
	void **segments;
	size_t element_size;
	_Atomic uint32_t count;
};
enum { SEGMENT_BITS = 12, SEGMENT_ELEMENTS = 1 << SEGMENT_BITS, MAX_SEGMENTS = 1 << 16 };

/* Returns zeroed room for one more element after the last, or NULL if memory is out. */
void *fixed_vector_next(struct fixed_vector *vector);

static inline void *fixed_vector_at(const struct fixed_vector *v, uint32_t i)
{
	return (char *)v->segments[i >> SEGMENT_BITS] + (i % SEGMENT_ELEMENTS) * v->element_size;
}

/* Dictionary records that wait for their section. */
struct pending {
	struct buffer bytes;
	uint64_t first, count;
	uint32_t extra;
};

enum { N_PENDING = SECTION_INTERVALS + 1 }; /* indexed by section kind */

struct compression_job;

/* See compression_pipeline.h. */
struct pipeline {
	uint64_t tickets, turn; /* given; next to be written */
	pthread_cond_t turned, queued;
	struct compression_job *first, **last; /* for the threads */
	struct compression_job *spare;
	unsigned n_wanted, n_threads, n_queued;
	bool ending;
	pthread_t *threads;
	double seconds; /* of CPU that the threads have taken to compress */
};

struct tf_writer {
	pthread_mutex_t lock; /* all below, except elements of vectors once published */
	int fd;
	bool owns_fd;
	char *name;
	uint8_t uuid[16];
	int level;
	uint64_t chunk_instructions;
	bool no_addresses, code_withheld;

	_Atomic uint64_t size; /* bytes written */
	uint32_t n_sections;
	struct buffer index;
	uint8_t header[FILE_HEADER_SIZE];
	struct copies *copies; /* of sections, until the end */
	void *compressor;      /* ZSTD_CCtx */
	struct buffer packed;
	struct tf_error failure; /* sticky: once a write failed, all fail */

	struct pending pending[N_PENDING];
	uint32_t n_modules, n_processes, n_functions, n_mappings, n_regions, n_samplers;
	struct record_set kinds;     /* that blocks have named */
	uint64_t last_pc, last_bias; /* of the last pending block */
	uint32_t last_block;         /* of the last pending path */
	struct buffer record;        /* a kind, sample, vector or interval being made */
	uint64_t last_time, last_ip; /* of the last pending sample */
	struct fixed_vector blocks;  /* struct compiled_block * */
	struct fixed_vector paths;   /* struct compiled_path * */
	struct fixed_vector exits;   /* struct writer_exit */
	_Atomic uint32_t n_slots;    /* states of all paths */
	struct fixed_vector threads; /* struct writer_thread */
	struct tf_stream *spare;     /* one that was closed, for the next thread; NULL: none */
	struct pipeline pipeline;
	uint32_t scheduled_thread;
	uint64_t scheduled; /* instructions not yet in pending[SECTION_SCHEDULE] */
};

struct writer_exit {
	struct exit_entry entry;
	struct static_counts counts;
};

struct writer_thread {
	struct tf_totals totals; /* of the chunks written */
	bool has_stream;
};

/*
 * Does what tf_writer_create_fd does, with further feature bits (enum compat_feature).
 */
int writer_open(int fd, const char *name, const struct tf_writer_options *options, uint32_t compat,
		struct tf_writer **writer, struct tf_error *error);

/* Appends bytes to the file. Call with the lock held. Error: IO. */
int writer_bytes(struct tf_writer *writer, const void *bytes, size_t size, struct tf_error *error);

/*
 * Writes one section. payload: the stored bytes; section->stored is set from its size. Call with
 * the lock held.
 */
int writer_section(struct tf_writer *writer, struct section *section, const uint8_t *payload,
		   size_t size, struct tf_error *error);

/* Writes all pending dictionary sections, META and the schedule. Call with the lock held. */
int writer_flush_pending(struct tf_writer *writer, struct tf_error *error);

/*
 * Ends a record in p->bytes: counts it, writes sections if enough are pending, unlocks, and sets
 * *index (may be NULL) from *counter. Call with the lock held.
 */
int writer_added(struct tf_writer *writer, struct pending *p, uint32_t *counter, uint32_t *index,
		 struct tf_error *error);

/* Appends the record of a kind of instructions (FORMAT.md 4.8). */
void put_insn_kind(struct buffer *to, const struct tf_insn_kind *kind);

/* Ends the present run of the schedule, which becomes a pending record. Call with the lock held. */
void writer_close_schedule(struct tf_writer *writer);

/* Swaps the pending records with an empty batch. Call with the lock held. */
void writer_take_pending(struct tf_writer *writer, struct pending batch[N_PENDING]);

/* Writes a batch of dictionary sections, and empties it. Call with the lock held. */
int writer_dictionary(struct tf_writer *writer, struct pending batch[N_PENDING],
		      struct tf_error *error);

/* Writes the COPIES sections, which include a copy of END, and then END. Call with the
 * lock held. Errors: IO, MEMORY. */
int copies_write_end(struct tf_writer *writer, struct section *end, const uint8_t *payload,
		     size_t size, struct tf_error *error);

/* Returns the bytes of the present COPIES sections, with headers but without END's copy.
 * Call with the lock held. */
uint64_t copies_size(const struct tf_writer *writer);

/* Frees the copies. */
void copies_free(struct tf_writer *writer);

#endif
