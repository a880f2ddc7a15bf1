/* SPDX-License-Identifier: MIT */
/* What the recorder reads from 64-bit x86-64 ELF files, by libelf. */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include "recorder/program/elf_symbols.h"
#include "recorder/program/modules.h"

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

/* What must be subtracted from addresses of a mapping of the module to get ELF addresses. */
uint64_t module_bias(const struct module *module, uint64_t start, uint64_t file_offset,
		     uint32_t protection);

/*
 * The symbols of functions, objects and labels, to be freed before elf_file_close: from the symbol
 * table, else from that of the separate debug file (found by build-id or debuglink under
 * /usr/lib/debug, beside path, and in the cache of debuginfod, of the same build-id), else the
 * dynamic ones; those of procedure linkage tables; and what unwind information tells of others.
 * False: memory is out.
 */
bool elf_file_symbols(struct elf_file *elf, const char *path, struct elf_symbols *symbols);

#endif
