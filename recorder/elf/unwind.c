/* SPDX-License-Identifier: MIT */
/*
 * Finds functions that no symbol table has, by the unwind information: LSB core specification,
 * 10.6 (.eh_frame). Each of its entries covers the code of one function, also in stripped files.
 */
#include "recorder/elf/elf_symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/array.h"

/* ELF addresses from start up to, but not including, end. */
struct range {
	uint64_t start, end;
};

struct ranges {
	struct range *at;
	size_t count, capacity;
};

static bool add_range(struct ranges *r, uint64_t start, uint64_t end)
{
	if (!RESERVE(*r, r->count + 1))
		return false;
	r->at[r->count++] = (struct range){ start, end };
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Sorts ranges. Most are sorted already: linkers write entries in the order of the code. */
static void sort_ranges(struct ranges *r)
{
	size_t sorted = 1;

	while (sorted < r->count && r->at[sorted - 1].start <= r->at[sorted].start)
		sorted++;
	if (sorted < r->count)
		qsort(r->at, r->count, sizeof(*r->at), compare_ranges);
}

/* ---- .eh_frame ---- */

struct frames {
	Elf *elf;
	Elf_Data *data;
	const unsigned char *ident;
	uint64_t address; /* address of the section */
	Dwarf_Off cie;    /* the CIE read last */
	int encoding;     /* encoding of addresses in its entries; -1: unknown */
};

/*
 * Reads a number in the format of the lower half of a DW_EH_PE byte. Returns false if it is cut
 * off or has no fixed size.
 */
static bool read_number(const uint8_t **at, const uint8_t *end, unsigned format, uint64_t *value)
{
	size_t left = (size_t)(end - *at), size;
	uint64_t bytes = 0;

	switch (format & 0xf) {
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2: size = 2; break;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4: size = 4; break;
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: size = 8; break;
	default: return false;
	}
	if (left < size)
		return false;
	memcpy(&bytes, *at, size);
	*at += size;
	if (format & DW_EH_PE_signed && size < 8)
		bytes = (uint64_t)((int64_t)(bytes << (64 - 8 * size)) >> (64 - 8 * size));
	*value = bytes;
	return true;
}

/* Returns the encoding of addresses in the entries of a CIE, or -1 if it is not found. */
static int find_encoding(const Dwarf_CIE *cie)
{
	const uint8_t *at = cie->augmentation_data,
		      *end = at + (at ? cie->augmentation_data_size : 0);
	uint64_t personality;

	if (!*cie->augmentation)
		return DW_EH_PE_absptr;
	if (*cie->augmentation != 'z')
		return -1;
	for (const char *c = cie->augmentation + 1; *c; c++) {
		if (*c == 'S' || *c == 'B')
			continue;
		if (at >= end || !strchr("RLP", *c))
			return -1;
		if (*c == 'R')
			return *at;
		at++;
		if (*c == 'P' && !read_number(&at, end, at[-1], &personality))
			return -1;
	}
	return DW_EH_PE_absptr;
}

/* Returns the encoding of a CIE. Consecutive entries often share one, so the last is kept. */
static int encoding_of(struct frames *f, Dwarf_Off cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (cie == f->cie)
		return f->encoding;
	f->cie = cie;
	f->encoding = dwarf_next_cfi(f->ident, f->data, true, cie, &next, &entry) == 0 &&
				      dwarf_cfi_cie_p(&entry)
			      ? find_encoding(&entry.cie)
			      : -1;
	return f->encoding;
}

static bool read_entry(struct frames *f, const Dwarf_FDE *fde, struct ranges *ranges)
{
	int encoding = encoding_of(f, fde->CIE_pointer);
	const uint8_t *at = fde->start;
	uint64_t start, size, here = f->address + (uint64_t)(at - (const uint8_t *)f->data->d_buf);

	if (encoding < 0 || encoding & DW_EH_PE_indirect ||
	    !read_number(&at, fde->end, (unsigned)encoding, &start) ||
	    !read_number(&at, fde->end, (unsigned)encoding & ~(unsigned)DW_EH_PE_signed, &size))
		return true;
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr: break;
	case DW_EH_PE_pcrel: start += here; break;
	default: return true;
	}
	return !start || !size || start + size < start || add_range(ranges, start, start + size);
}

static bool read_entries(struct frames *f, struct ranges *ranges)
{
	Dwarf_Off at = 0, next = 0;
	Dwarf_CFI_Entry entry;
	int status;

	while ((status = dwarf_next_cfi(f->ident, f->data, true, at, &next, &entry)) != 1) {
		if (status == 0 && !dwarf_cfi_cie_p(&entry) && !read_entry(f, &entry.fde, ranges))
			return false;
		if (next <= at || next == (Dwarf_Off)-1)
			break;
		at = next;
	}
	return true;
}

/* Finds the section. Returns false if there is none. */
static bool find_frames(Elf *elf, struct frames *f)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	*f = (struct frames){ .elf = elf, .cie = (Dwarf_Off)-1, .encoding = -1 };
	f->ident = (const unsigned char *)elf_getident(elf, NULL);
	if (!f->ident || elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".eh_frame"))
			continue;
		f->data = elf_getdata(section, NULL);
		f->address = header.sh_addr;
		return f->data && f->data->d_buf && f->data->d_size;
	}
	return false;
}

/* Adds the sections of _init and _fini, which have no unwind information. */
static bool add_sections(Elf *elf, struct ranges *ranges)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return true;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &h) ? elf_strptr(elf, names, h.sh_name)
							     : NULL;

		if (name && (!strcmp(name, ".init") || !strcmp(name, ".fini")) &&
		    h.sh_addr + h.sh_size > h.sh_addr &&
		    !add_range(ranges, h.sh_addr, h.sh_addr + h.sh_size))
			return false;
	}
	return true;
}

/* ---- what has a name already ---- */

static bool is_code(const struct tf_symbol *s)
{
	return s->kind != STT_OBJECT;
}

static bool read_known(const struct elf_symbols *symbols, struct ranges *known)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct tf_symbol *s = &symbols->at[i];
		uint64_t end = s->value + (s->size ? s->size : 1);

		if (is_code(s) && end > s->value && !add_range(known, s->value, end))
			return false;
	}
	sort_ranges(known);
	return true;
}

/*
 * Removes the ranges that begin in a known one, and cuts the others where a known one begins. Both
 * arrays are sorted.
 */
static void leave_unknown(struct ranges *ranges, const struct ranges *known)
{
	size_t kept = 0, k = 0;
	uint64_t reached = 0; /* end of the known ranges that begin no later */

	for (size_t i = 0; i < ranges->count; i++) {
		struct range r = ranges->at[i];

		for (; k < known->count && known->at[k].start <= r.start; k++)
			if (known->at[k].end > reached)
				reached = known->at[k].end;
		if (r.start < reached)
			continue;
		if (k < known->count && known->at[k].start < r.end)
			r.end = known->at[k].start;
		reached = r.end;
		ranges->at[kept++] = r;
	}
	ranges->count = kept;
}

/* ---- names ---- */

/* Writes the name of the range at an address, as fprintf() would more slowly with "%s+0x%x". */
static void put_name(FILE *names, const char *module, uint64_t address)
{
	char digits[16];
	unsigned n = 0;

	do
		digits[n++] = "0123456789abcdef"[address % 16];
	while (address /= 16);
	fputs_unlocked(module, names);
	fputs_unlocked("+0x", names);
	while (n)
		putc_unlocked(digits[--n], names);
	putc_unlocked(0, names);
}

static bool add_symbols(const struct ranges *ranges, const char *path, struct elf_symbols *symbols)
{
	const char *slash = strrchr(path, '/'), *module = slash ? slash + 1 : path, *name;
	size_t size;
	FILE *names;

	if (!ranges->count)
		return true;
	if (!RESERVE(*symbols, symbols->count + ranges->count))
		return false;
	names = open_memstream(&symbols->range_names, &size);
	if (!names)
		return false;
	for (size_t i = 0; i < ranges->count; i++)
		put_name(names, module, ranges->at[i].start);
	if (fclose(names) != 0)
		return false;
	name = symbols->range_names;
	for (size_t i = 0; i < ranges->count; i++, name += strlen(name) + 1)
		symbols->at[symbols->count++] = (struct tf_symbol){
			.value = ranges->at[i].start,
			.kind = STT_FUNC,
			.name = name,
			.size = ranges->at[i].end - ranges->at[i].start,
		};
	return true;
}

bool elf_symbols_add_unwound(Elf *elf, const char *path, struct elf_symbols *symbols)
{
	struct ranges ranges = { 0 }, known = { 0 };
	struct frames frames;
	bool good = (!find_frames(elf, &frames) || read_entries(&frames, &ranges)) &&
		    add_sections(elf, &ranges) && read_known(symbols, &known);

	sort_ranges(&ranges);
	if (good)
		leave_unknown(&ranges, &known);
	good = good && add_symbols(&ranges, path, symbols);
	free(ranges.at);
	free(known.at);
	return good;
}
