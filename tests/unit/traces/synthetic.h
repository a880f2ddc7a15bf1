/* SPDX-License-Identifier: MIT */
/*
 * Small traces made by hand. Code is given as bytes, from which libtraceisa decodes instructions
 * and operands. Each block is a path of its own with two exits, not taken and taken, and a slot
 * for each of its values.
 *
 *	struct synthetic s;
 *	synthetic_begin(&s, NULL);
 *	uint32_t thread = synthetic_thread(&s, synthetic_process(&s, 100));
 *	struct synthetic_code loop = synthetic_code(&s, 0x401000, BYTES("\xff\xc9\x75\xfc"));
 *	synthetic_exec(&s, thread, loop.taken, NULL);
 *	synthetic_end(&s);		... use s.path
 *	synthetic_remove(&s);
 */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <check.h>

#include "tests/scratch.h"
#include "traceformat/tracewriter.h"

#define BYTES(literal) (literal), sizeof(literal) - 1

enum { SYNTHETIC_THREADS = 16 };

struct synthetic {
	scratch_path path;
	int fd;
	struct tf_writer *writer;
	struct tf_stream *streams[SYNTHETIC_THREADS];
	uint32_t module;
	struct tf_error error;
};

struct synthetic_code {
	uint32_t block, path;
	uint32_t not_taken, taken; /* exits */
	uint16_t n_insns, n_values;
};

/* A basic block and the data that it points to. */
struct synthetic_block {
	struct tf_block block;
	struct tf_insn insns[TF_MAX_BLOCK_INSNS];
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
};

#define synthetic_ok(s, call) ck_assert_msg((call) >= 0, "%s: %s", #call, (s)->error.text)

/* Adds a file "/bin/synthetic", mapped such that its ELF addresses are its virtual ones. */
void synthetic_begin(struct synthetic *s, const struct tf_writer_options *options);

/* Add a process, a thread or a region, and return its index. */
uint32_t synthetic_process(struct synthetic *s, uint32_t pid);
uint32_t synthetic_thread(struct synthetic *s, uint32_t process);
uint32_t synthetic_region(struct synthetic *s, const char *name);

/* Makes code into a basic block. code must outlive it. */
void synthetic_decode(struct synthetic_block *b, uint64_t pc, const char *code, size_t size);

/* Adds code as a block and a path. */
struct synthetic_code synthetic_code(struct synthetic *s, uint64_t pc, const char *code,
				     size_t size);

/* Executes an exit. values: made.n_values of the code, or NULL if the code has none. */
void synthetic_exec(struct synthetic *s, uint32_t thread, uint32_t exit, const uint64_t *values);

/* Leaves the code after `executed` instructions. */
void synthetic_partial(struct synthetic *s, uint32_t thread, const struct synthetic_code *code,
		       uint32_t executed, const uint64_t *values);

/* Adds to the order of threads that the thread ran for `instructions`. */
void synthetic_schedule(struct synthetic *s, uint32_t thread, uint64_t instructions);

void synthetic_event(struct synthetic *s, uint32_t thread, const struct tf_event *event);

/* Ends a chunk. */
void synthetic_flush(struct synthetic *s, uint32_t thread);

/* Finishes the trace and closes the file. */
void synthetic_end(struct synthetic *s);

void synthetic_remove(struct synthetic *s);

#endif
