/* SPDX-License-Identifier: MIT */
/* Opening and checking a trace, and looking up its dictionary. */
#ifndef TRACEFORMAT_API_READER_H
#define TRACEFORMAT_API_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/api/declarations.h"
#include "traceformat/api/errors.h"
#include "traceformat/api/paths.h"
#include "traceformat/api/program.h"
#include "traceformat/api/samples.h"

TF_BEGIN_DECLARATIONS

struct tf_reader;

/*
 * Opens a trace. "-" reads standard input to its end first. A trace that is not finished, or
 * damaged in parts, opens all the same: tf_get_info tells what is lost. Cost: a finished trace
 * is opened in a few reads whatever its size, another by walking its section headers.
 * Errors: IO, MEMORY, FOREIGN, VERSION, TRUNCATED, DAMAGED (file header).
 */
int tf_open(const char *path, struct tf_reader **reader, struct tf_error *error);

/* The same on a file descriptor, which must be seekable and stays the caller's. name: for
 * messages. */
int tf_open_fd(int fd, const char *name, struct tf_reader **reader, struct tf_error *error);

/* What a file is, by its first and last bytes. */
enum tf_file_kind { TF_FILE_OTHER, TF_FILE_UNFINISHED, TF_FILE_FINISHED };
enum tf_file_kind tf_file_kind(const char *path);

/* Closes it; every pointer got from it ends. NULL is allowed. Close its cursors first. */
void tf_close(struct tf_reader *reader);

/*
 * Looks for sections appended since opening or the last refresh. Returns how many there are, 0
 * if none. Not to be called while another thread uses the reader. Cursors on one thread go on
 * from their end.
 */
int tf_refresh(struct tf_reader *reader, struct tf_error *error);

/*
 * Loads the dictionary: everything the next functions give. tf_cursor_open does it as well.
 * Pointers are valid until tf_close. Errors: IO, MEMORY, DAMAGED.
 */
int tf_load(struct tf_reader *reader, struct tf_error *error);

/* Each returns NULL for an index that does not exist, or before tf_load. */
const struct tf_block *tf_block(const struct tf_reader *reader, uint32_t id);
const struct tf_path *tf_path(const struct tf_reader *reader, uint32_t id);
const struct tf_module *tf_module(const struct tf_reader *reader, uint32_t index);
const struct tf_process *tf_process(const struct tf_reader *reader, uint32_t index);
const struct tf_thread *tf_thread(const struct tf_reader *reader, uint32_t index);
const struct tf_function *tf_function(const struct tf_reader *reader, uint32_t index);
const struct tf_mapping *tf_mapping(const struct tf_reader *reader, uint32_t index);
const struct tf_region *tf_region(const struct tf_reader *reader, uint32_t index);
const struct tf_sampler *tf_sampler(const struct tf_reader *reader, uint32_t index);

/*
 * Each returns 1 + the greatest index. In a damaged trace some in between may be lost: they give NULL
 * above. What a record names is there, or TF_NONE.
 */
uint32_t tf_n_modules(const struct tf_reader *reader);
uint32_t tf_n_processes(const struct tf_reader *reader);
uint32_t tf_n_threads(const struct tf_reader *reader);
uint32_t tf_n_functions(const struct tf_reader *reader);
uint32_t tf_n_mappings(const struct tf_reader *reader);
uint32_t tf_n_regions(const struct tf_reader *reader);
uint32_t tf_n_samplers(const struct tf_reader *reader);
uint32_t tf_n_blocks(const struct tf_reader *reader);
uint32_t tf_n_paths(const struct tf_reader *reader);
uint32_t tf_n_exits(const struct tf_reader *reader); /* partial exits included */

/* What an exit id means; all static, so that a count per exit id gives most totals. */
struct tf_exit_info {
	const struct tf_path *path;
	uint16_t n_blocks; /* blocks executed whole; 0 for a partial exit: see tf_path_exec */
	uint16_t n_values; /* of these blocks; for a partial exit, of the path */
	uint8_t outcome;   /* of the last, enum tf_outcome */
	uint32_t n_insns;  /* instructions executed; 0 for a partial exit */
};
/* Fills *info; returns false for an id that does not exist. */
bool tf_exit(const struct tf_reader *reader, uint32_t exit, struct tf_exit_info *info);

/* Returns the symbol that covers module_offset, or NULL. O(log symbols). */
const struct tf_symbol *tf_symbol(const struct tf_reader *reader, uint32_t module,
				  uint64_t module_offset);

/* The module's symbols, ascending by value; *count receives their number. */
const struct tf_symbol *tf_symbols(const struct tf_reader *reader, uint32_t module, size_t *count);

/*
 * Adds a symbol, MODULE+0xOFFSET, for each place of a module that a direct call goes to and that no
 * symbol covers, once the trace is loaded: stripped files lack most. tf_symbol and tf_symbols give
 * these like the trace's own. Errors: MEMORY.
 */
int tf_name_called(struct tf_reader *reader, struct tf_error *error);

/*
 * Checks every byte that has a checksum, decodes every chunk, and compares totals. Calls
 * report(opaque, error) for each fault and goes on. What a lost chunk would add to the totals is
 * no fault of its own; a chunk that executes what a lost dictionary section held is one. Returns
 * the number of faults, or a negative status if it could not go on.
 */
int tf_verify(struct tf_reader *reader, void (*report)(void *opaque, const struct tf_error *),
	      void *opaque, struct tf_error *error);

TF_END_DECLARATIONS

#endif
