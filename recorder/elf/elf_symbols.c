/* SPDX-License-Identifier: MIT */
#include "recorder/elf/elf_symbols.h"

#include <gelf.h>
#include <limits.h>
#include <stdlib.h>

#include "traceformat/common/array.h"

static Elf_Scn *find_section(Elf *elf, unsigned type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

bool elf_symbols_exist(Elf *elf, unsigned type)
{
	GElf_Shdr header;

	return find_section(elf, type, &header);
}

void elf_symbols_free(struct elf_symbols *symbols)
{
	free(symbols->at);
	free(symbols->names);
	free(symbols->range_names);
}

/* A symbol table, and the address of the last symbol in each section of the file. */
struct table {
	Elf *elf;
	Elf_Data *data;
	size_t n, strings, n_sections;
	uint64_t *last;
};

static bool wanted(const struct table *t, const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	bool label = type == STT_NOTYPE && GELF_ST_BIND(symbol->st_info) != STB_LOCAL;

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
	       symbol->st_shndx < t->n_sections &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC || label);
}

/*
 * Returns the name of symbol i and stores the symbol; NULL if it is not a function, object or
 * label.
 */
static const char *get(const struct table *t, size_t i, GElf_Sym *symbol)
{
	const char *name;

	if (i > INT_MAX || !gelf_getsym(t->data, (int)i, symbol) || !wanted(t, symbol))
		return NULL;
	name = elf_strptr(t->elf, t->strings, symbol->st_name);
	return name && *name ? name : NULL;
}

static uint64_t size_of(const struct table *t, const GElf_Sym *symbol)
{
	GElf_Shdr header;

	if (symbol->st_size || symbol->st_value < t->last[symbol->st_shndx] ||
	    !gelf_getshdr(elf_getscn(t->elf, symbol->st_shndx), &header) ||
	    symbol->st_value - header.sh_addr >= header.sh_size)
		return symbol->st_size;
	return header.sh_addr + header.sh_size - symbol->st_value;
}

static void read_symbols(struct table *t, struct elf_symbols *symbols)
{
	const char *name;
	GElf_Sym symbol;

	for (size_t i = 0; i < t->n; i++)
		if (get(t, i, &symbol) && symbol.st_value > t->last[symbol.st_shndx])
			t->last[symbol.st_shndx] = symbol.st_value;
	for (size_t i = 0; i < t->n; i++)
		if ((name = get(t, i, &symbol)))
			symbols->at[symbols->count++] = (struct tf_symbol){
				.value = symbol.st_value,
				.size = size_of(t, &symbol),
				.kind = GELF_ST_TYPE(symbol.st_info),
				.name = name,
			};
}

bool elf_symbols_read(Elf *elf, unsigned type, struct elf_symbols *symbols)
{
	struct table t = { .elf = elf };
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, type, &header);
	bool good;

	*symbols = (struct elf_symbols){ 0 };
	t.data = section ? elf_getdata(section, NULL) : NULL;
	t.n = t.data && header.sh_entsize ? t.data->d_size / header.sh_entsize : 0;
	t.strings = section ? header.sh_link : 0;
	if (elf_getshdrnum(elf, &t.n_sections) < 0)
		t.n_sections = 0;
	t.last = calloc(t.n_sections + 1, sizeof(*t.last));
	good = t.last && RESERVE(*symbols, t.n);
	if (good)
		read_symbols(&t, symbols);
	free(t.last);
	return good;
}
