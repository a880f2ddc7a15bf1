/* SPDX-License-Identifier: MIT */
/*
 * The state that the reader's parts share: the file (file_reader.c, sections.c), the dictionary
 * (dictionary_reader.c), chunks (chunk.c), and replay.
 */
#ifndef READER_H
#define READER_H

#include <pthread.h>

#include "traceformat/common/array.h"
#include "traceformat/common/pool.h"
#include "traceformat/dictionary/path.h"
#include "traceformat/file/section.h"
#include "traceformat/tracesamples.h"

struct module_symbols {
	ARRAY(struct tf_symbol) pending; /* read since they were sorted last */
	struct tf_symbol *sorted;        /* in the pool; replaced when more come */
	size_t count;
};

struct schedule_run {
	uint32_t thread;
	uint64_t instructions;
};

struct meta_line {
	char *key, *value;
};

/* The contents of END. */
struct end_record {
	bool sought;
	int status; /* 0, or the error that kept it from being read */
	struct tf_error error;
	int32_t wait_status;
	char stop_reason[64];
	ARRAY(struct tf_totals) threads;
	struct tf_totals totals;
};

/* The place of a section's copy. */
struct section_copy {
	struct section section;
	uint64_t hash; /* of its stored payload */
	uint64_t at;   /* offset of the payload in the file, bytes */
	bool used;
};

struct thread_chunks {
	ARRAY(uint32_t) sections;
};

enum { SPARE_LANES = 4 }; /* kept until tf_close; further ones are freed */

struct tf_reader {
	pthread_mutex_t lock; /* tf_load, tf_get_info */
	int fd;               /* -1: the bytes are those of the source */
	bool owns_fd;
	struct tf_source source;
	char *name;

	uint16_t major, minor;
	uint32_t incompat, compat;
	uint8_t uuid[16];
	uint64_t created_ns;
	uint64_t file_size; /* at opening or the last refresh, bytes */

	ARRAY(struct section) sections; /* usable, in file order, without INDEX */
	uint64_t walked_to;             /* everything before this offset is in sections or lost */
	bool finished;                  /* trailer and END are there */
	uint64_t bytes_lost;
	uint32_t sections_lost;             /* dictionary sections found damaged */
	ARRAY(struct thread_chunks) chunks; /* by thread */

	ARRAY(struct section_copy) copies; /* by section number; see copies.h */
	bool sought_copies;
	bool only_originals;  /* copies are not used */
	bool header_restored; /* the file header is damaged, and was read from a copy */

	struct end_record end; /* see reader_end */
	size_t meta_seen;      /* sections looked at for META */
	ARRAY(struct meta_line) meta;

	size_t loaded; /* sections looked at by tf_load */
	uint64_t gap;  /* records of lost dictionary sections, all kinds together */
	bool lossy;    /* some sections are lost, so that records may miss others */
	bool schedule_lost;
	uint64_t code_memory; /* of blocks, paths, and what is made of them, bytes */
	bool too_large;       /* the dictionary, for a trace of its size */
	struct pool pool;     /* of the records below but blocks and paths, and of names */
	ARRAY(struct compiled_block *) blocks; /* NULL: lost, here and below */
	ARRAY(struct compiled_path *) paths;
	ARRAY(struct exit_entry) exits;
	uint32_t n_slots;                   /* states of all paths */
	bool framed;                        /* some path has recipes */
	bool reps_use_rsp, extents_use_rsp; /* some path's reps or extents take rsp */
	ARRAY(struct tf_module *) modules;
	ARRAY(struct module_symbols) symbols; /* by module */
	ARRAY(struct tf_process *) processes;
	ARRAY(struct tf_thread *) threads;
	ARRAY(struct tf_function *) functions;
	ARRAY(struct tf_mapping *) mappings;
	ARRAY(struct tf_region *) regions;
	ARRAY(struct tf_sampler *) samplers;
	ARRAY(struct tf_insn_kind *) kinds;
	ARRAY(struct schedule_run) schedule;

	void *spare_lanes[SPARE_LANES]; /* of closed cursors, for the next ones; see lane.h */
	void (*free_lane)(void *lane);
};

/*
 * Reads up to size bytes at offset, from the file or the source. Returns their number, 0 at the
 * end, or -1. Errors: IO.
 */
int64_t reader_read_at(const struct tf_reader *reader, void *to, size_t size, uint64_t offset,
		       struct tf_error *error);

/* Reads exactly size bytes at offset. Errors: IO, DAMAGED (past the end). */
int reader_bytes(struct tf_reader *reader, uint64_t offset, void *bytes, size_t size,
		 struct tf_error *error);

/*
 * Reads END once, also in an unfinished trace if END was found. Returns r->end, whose status is
 * DAMAGED if there is no END. Call with the lock held.
 */
const struct end_record *reader_end(struct tf_reader *reader);

/* Adds the chunks of r->sections to r->chunks. Returns false if memory is out. */
bool reader_list_chunks(struct tf_reader *reader);

/*
 * Reads the trailer, TRAILER_SIZE bytes, and the INDEX that it points to: its header, offset
 * included, and its entries. The trailer's hash is not checked. Returns false if there is no INDEX,
 * or it is damaged.
 */
bool reader_index(struct tf_reader *reader, uint8_t *trailer, struct section *index,
		  struct buffer *entries);

/* Does what reader_stored does, but never reads a copy. */
int reader_original(struct tf_reader *reader, const struct section *section, struct buffer *stored,
		    struct tf_error *error);

/*
 * Reads a section's payload as it is stored into *stored (replaced), and checks it against the hash
 * in its header. If the payload is damaged, its copy is read, if there is one. Not for columns.
 * Errors: IO, MEMORY, DAMAGED.
 */
int reader_stored(struct tf_reader *reader, const struct section *section, struct buffer *stored,
		  struct tf_error *error);

/*
 * Reads, checks and decodes a section's payload into *raw (replaced). Not for columns.
 * Errors: IO, MEMORY, DAMAGED.
 */
int reader_payload(struct tf_reader *reader, const struct section *section, struct buffer *raw,
		   struct tf_error *error);

/*
 * Does what reader_payload does, but gives the records of a section whose payload has them in
 * columns. Errors: IO, MEMORY, DAMAGED.
 */
int reader_records(struct tf_reader *reader, const struct section *section, struct buffer *records,
		   struct tf_error *error);

/* Returns true if the section is a chunk that a lane can replay; it is then in r->chunks. */
static inline bool is_chunk(const struct section *s)
{
	return s->kind == SECTION_CHUNK && s->thread < MAX_THREADS && section_known(s) == 1;
}

/* Returns true if the thread's record is there; other threads are not replayed. */
static inline bool reader_has_thread(const struct tf_reader *r, size_t thread)
{
	return thread < r->threads.count && r->threads.at[thread];
}

/* Counts a section that turned out to be damaged as lost. */
void reader_lose(struct tf_reader *reader, struct section *section);

/* Fills *error: file name, section kind and number, offset, and what is wrong. */
int fail_section(const struct tf_reader *reader, const struct section *section,
		 struct tf_error *error, const char *what);

/* Returns the number of bytes at the end of the file that are no whole section. */
uint64_t reader_tail(const struct tf_reader *reader);

/* Returns the number of missing section numbers between those present. */
uint32_t reader_missing(const struct tf_reader *reader);

/* Returns true if the schedule is complete, so that it is exact if the recording's was. */
static inline bool reader_has_order(const struct tf_reader *r)
{
	return !r->schedule_lost && !r->bytes_lost && !reader_missing(r);
}

/*
 * Merges the symbols read since the last call into each module's sorted array. Returns false if
 * memory is out.
 */
bool reader_sort_symbols(struct tf_reader *reader);

/* Frees what tf_load made. */
void reader_forget_dictionary(struct tf_reader *reader);

#endif
