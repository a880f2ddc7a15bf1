/* SPDX-License-Identifier: MIT */
/* The symbol tables of ELF files, and names for code that they leave out. */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "traceformat/traceformat.h"

/* An array of symbols, and the names made for them (NULL: none). The owner frees both. */
struct elf_symbols {
	struct tf_symbol *at;
	size_t count, capacity;
	char *names, *range_names;
};

/* Returns true if the file has a table of the type SHT_SYMTAB or SHT_DYNSYM. */
bool elf_symbols_exist(Elf *elf, unsigned type);

/*
 * Reads functions, objects and labels of a table, none if there is no such table. A symbol that
 * has no size and is the last of its section ends with the section. The names belong to the file.
 * Returns false if memory is out.
 */
bool elf_symbols_read(Elf *elf, unsigned type, struct elf_symbols *symbols);

/*
 * Adds NAME@plt for the entries of procedure linkage tables (System V ABI, AMD64 supplement, 5.2),
 * which no table has: the entry that jumps by the slot that is relocated to NAME. Returns false if
 * memory is out.
 */
bool elf_symbols_add_plt(Elf *elf, struct elf_symbols *symbols);

/*
 * Adds functions that have unwind information (.eh_frame) and no symbol, as most functions of
 * stripped files. Their names are MODULE+0xADDRESS: the last component of path and the ELF address
 * of the first byte. Returns false if memory is out.
 */
bool elf_symbols_add_unwound(Elf *elf, const char *path, struct elf_symbols *symbols);

void elf_symbols_free(struct elf_symbols *symbols);

#endif
