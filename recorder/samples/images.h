/* SPDX-License-Identifier: MIT */
/* The files that samples are in, as modules of the trace with their symbols. */
#ifndef SAMPLE_IMAGES_H
#define SAMPLE_IMAGES_H

#include "traceformat/tracewriter.h"

struct images;

/* The path of the kernel's code, as perf has it in its table of build-ids. */
#define KERNEL_IMAGE "[kernel.kallsyms]"

/* A file as somebody had it mapped. */
struct image_mapping {
	const char *path;
	const uint8_t *build_id; /* of so many bytes; 0: not known */
	size_t build_id_size;
	uint64_t start, file_offset;
	uint32_t protection; /* PROT_* */
};

/* here: a file at a path is believed to be what was mapped, whatever its build-id, as are the maps
 * of JIT compilers. */
struct images *images_new(struct tf_writer *writer, bool here);
void images_free(struct images *images);

/* Says what build-id the file of a path has, where mappings do not. 0 or a negative status. */
int images_add_build_id(struct images *images, const char *path, const uint8_t *id, size_t size,
			struct tf_error *error);

/* Whether a module of this path has been added. */
bool images_has(const struct images *images, const char *path);

/*
 * Finds or adds the module of the code that a process has generated: of anonymous memory. TF_NONE
 * unless `here`. Its addresses are its offsets. Returns 0 or a negative status.
 */
int images_find_generated(struct images *images, uint32_t pid, uint32_t *module,
			  struct tf_error *error);

/* Adds what is only known at the end: symbols of generated code. Returns 0 or a negative status. */
int images_finish(struct images *images, struct tf_error *error);

/*
 * Finds or adds the module of a mapping, and the bias there: address - ELF virtual address; start -
 * file offset, and no symbols, if the file is not at hand. Returns 0 or a negative status.
 */
int images_find(struct images *images, const struct image_mapping *mapping, uint32_t *module,
		uint64_t *bias, struct tf_error *error);

#endif
