/* SPDX-License-Identifier: MIT */
/* Reads 64-bit x86-64 ELF files by libelf. */
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

/*
 * Opens the file behind fd, which must stay open until elf_file_close. Returns NULL if it is no
 * such file.
 */
struct elf_file *elf_file_open(int fd);

/* Opens an image in memory, which must stay until elf_file_close. */
struct elf_file *elf_file_memory(void *image, size_t size);

void elf_file_close(struct elf_file *elf);

/*
 * Copies the build-id and returns its size in bytes; 0 if there is none or it is larger than room.
 */
unsigned elf_file_build_id(const struct elf_file *elf, uint8_t *id, size_t room);

/*
 * Returns the PT_LOAD segments, in an array that the caller frees. Returns false if memory is out.
 */
bool elf_file_segments(const struct elf_file *elf, struct segment **segments, unsigned *count);

/*
 * Returns the difference between an address in a mapping of the file, which begins at start, and
 * its ELF address.
 */
uint64_t segments_bias(const struct segment *segments, unsigned count, uint64_t start,
		       uint64_t file_offset, uint32_t protection);

/*
 * Reads the symbols of functions, objects and labels, which the caller frees before
 * elf_file_close. They come from the symbol table; else from that of the separate debug file
 * (found by build-id or debuglink under /usr/lib/debug, beside path, and in the cache of
 * debuginfod, and of the same build-id); else from the dynamic symbols. Entries of procedure
 * linkage tables and functions that only unwind information shows are added. Returns false if
 * memory is out.
 */
bool elf_file_symbols(struct elf_file *elf, const char *path, struct elf_symbols *symbols);

#endif
