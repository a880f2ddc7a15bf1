/* SPDX-License-Identifier: MIT */
/* What the recorder reads from 64-bit x86-64 ELF files, by libelf. */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include "recorder/elf/elf_symbols.h"

/* A PT_LOAD segment. */
struct segment {
	uint64_t vaddr, offset, file_size;
	uint32_t protection; /* PROT_* */
};

struct elf_file;

void elf_file_init(void);

/* The file behind fd, which must stay open until elf_file_close. NULL: not such a file. */
struct elf_file *elf_file_open(int fd);

/* An image in memory, which must stay until elf_file_close. */
struct elf_file *elf_file_memory(void *image, size_t size);

void elf_file_close(struct elf_file *elf);

/* Copies the build-id; returns its size in bytes, 0 if there is none or it is larger than room. */
unsigned elf_file_build_id(const struct elf_file *elf, uint8_t *id, size_t room);

/* The PT_LOAD segments, in an array to be freed. False: memory is out. */
bool elf_file_segments(const struct elf_file *elf, struct segment **segments, unsigned *count);

/*
 * Returns what must be subtracted from an address in a mapping of the file, which begins at start,
 * to get the ELF address.
 */
uint64_t segments_bias(const struct segment *segments, unsigned count, uint64_t start,
		       uint64_t file_offset, uint32_t protection);

/*
 * The symbols of functions, objects and labels, to be freed before elf_file_close: from the symbol
 * table, else from that of the separate debug file (found by build-id or debuglink under
 * /usr/lib/debug, beside path, and in the cache of debuginfod, of the same build-id), else the
 * dynamic ones; those of procedure linkage tables; and what unwind information tells of others.
 * False: memory is out.
 */
bool elf_file_symbols(struct elf_file *elf, const char *path, struct elf_symbols *symbols);

#endif
