/* SPDX-License-Identifier: MIT */
/* The files that samples lie in, as modules of the trace with their symbols. */
#ifndef SAMPLE_IMAGES_H
#define SAMPLE_IMAGES_H

#include "traceformat/tracewriter.h"

struct images;

/* The path of the kernel's code, as perf has it in its table of build-ids. */
#define KERNEL_IMAGE "[kernel.kallsyms]"

/* A file as a process had it mapped. */
struct image_mapping {
	const char *path;
	const uint8_t *build_id; /* of id_size bytes; 0: not known */
	size_t build_id_size;
	uint64_t start, file_offset;
	uint32_t protection; /* PROT_* */
};

/*
 * Returns an empty set, or NULL if memory is out. here: a file at a path is taken for the one that
 * was mapped, whatever its build-id, and so are the maps of JIT compilers.
 */
struct images *images_new(struct tf_writer *writer, bool here);
void images_free(struct images *images);

/*
 * Sets the build-id of the file at a path, for mappings that have none. Returns 0 or a negative
 * status.
 */
int images_add_build_id(struct images *images, const char *path, const uint8_t *id, size_t size,
			struct tf_error *error);

/* Returns true if a module of this path has been added. */
bool images_has(const struct images *images, const char *path);

/*
 * Finds or adds the module of the code that a process has generated in anonymous memory; TF_NONE
 * unless `here`. The module's addresses are its offsets. Returns 0 or a negative status.
 */
int images_find_generated(struct images *images, uint32_t pid, uint32_t *module,
			  struct tf_error *error);

/*
 * Adds the symbols of generated code, which are known only at the end. Returns 0 or a negative
 * status.
 */
int images_finish(struct images *images, struct tf_error *error);

/*
 * Finds or adds the module of a mapping, and the mapping's bias: address - ELF virtual address. If
 * the file is not available, the bias is start - file offset, and there are no symbols. Returns 0
 * or a negative status.
 */
int images_find(struct images *images, const struct image_mapping *mapping, uint32_t *module,
		uint64_t *bias, struct tf_error *error);

#endif
