/* SPDX-License-Identifier: MIT */
/* Names for the entries of procedure linkage tables. */
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/elf/elf_symbols.h"
#include "traceformat/common/array.h"

/* A slot that is relocated to a symbol. */
struct slot {
	uint64_t address;
	const char *name;
};

struct slots {
	struct slot *at;
	size_t count, capacity;
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Returns the name of a relocation's symbol, or NULL. */
static const char *relocated_to(Elf *elf, size_t table, const GElf_Rela *relocation)
{
	size_t index = GELF_R_SYM(relocation->r_info);
	Elf_Scn *section = elf_getscn(elf, table);
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;
	const char *name;

	if (!index || index > INT_MAX || !data || !gelf_getshdr(section, &header) ||
	    !gelf_getsym(data, (int)index, &symbol))
		return NULL;
	name = elf_strptr(elf, header.sh_link, symbol.st_name);
	return name && *name ? name : NULL;
}

static bool add_slots(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct slots *slots)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	if (!RESERVE(*slots, slots->count + n))
		return false;
	for (size_t i = 0; i < n && i <= INT_MAX; i++) {
		const char *name;
		GElf_Rela r;

		if (!gelf_getrela(data, (int)i, &r) ||
		    (GELF_R_TYPE(r.r_info) != R_X86_64_JUMP_SLOT &&
		     GELF_R_TYPE(r.r_info) != R_X86_64_GLOB_DAT))
			continue;
		name = relocated_to(elf, header->sh_link, &r);
		if (name)
			slots->at[slots->count++] = (struct slot){ r.r_offset, name };
	}
	return true;
}

static bool read_slots(Elf *elf, struct slots *slots)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    !add_slots(elf, section, &header, slots))
			return false;
	if (slots->count)
		qsort(slots->at, slots->count, sizeof(*slots->at), compare_slots);
	return true;
}

/*
 * Returns the slot that the entry at `address` jumps by: (endbr64) (bnd) jmp *slot(%rip). Returns
 * 0 if the code is no such entry.
 */
static uint64_t slot_of(const uint8_t *code, size_t size, uint64_t address)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, jump[] = { 0xff, 0x25 };
	size_t at = 0;
	int32_t distance;

	if (size >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (at < size && code[at] == 0xf2)
		at++;
	if (size - at < sizeof(jump) + sizeof(distance) || memcmp(code + at, jump, sizeof(jump)))
		return 0;
	memcpy(&distance, code + at + sizeof(jump), sizeof(distance));
	return address + at + sizeof(jump) + sizeof(distance) + (uint64_t)(int64_t)distance;
}

/* The result: symbols, whose names go to a stream. */
struct made {
	const struct slots *slots;
	struct elf_symbols *symbols;
	FILE *names;
};

static bool add_entry(struct made *m, uint64_t address, uint64_t size, uint64_t slot)
{
	struct slot *found = bsearch(&(struct slot){ .address = slot }, m->slots->at,
				     m->slots->count, sizeof(*found), compare_slots);

	if (!found)
		return true;
	if (!RESERVE(*m->symbols, m->symbols->count + 1))
		return false;
	m->symbols->at[m->symbols->count++] = (struct tf_symbol){
		.value = address,
		.size = size,
		.kind = STT_FUNC,
	};
	return fprintf(m->names, "%s@plt%c", found->name, 0) > 0;
}

static bool add_entries(struct made *m, Elf_Scn *section, const GElf_Shdr *header)
{
	enum { USUAL_ENTRY = 16 };
	Elf_Data *data = elf_getdata(section, NULL);
	size_t size = header->sh_entsize >= 8 ? header->sh_entsize : USUAL_ENTRY;
	bool good = true;

	for (size_t at = 0; data && good && at + size <= data->d_size; at += size) {
		uint64_t address = header->sh_addr + at;
		uint64_t slot = slot_of((uint8_t *)data->d_buf + at, size, address);

		good = !slot || add_entry(m, address, size, slot);
	}
	return good;
}

static bool is_plt(Elf *elf, const GElf_Shdr *header)
{
	static const char prefix[] = ".plt";
	const char *name;
	size_t names;

	if (header->sh_type != SHT_PROGBITS || elf_getshdrstrndx(elf, &names) < 0)
		return false;
	name = elf_strptr(elf, names, header->sh_name);
	return name && !strncmp(name, prefix, sizeof(prefix) - 1);
}

static bool add_tables(struct made *m, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && is_plt(elf, &header) &&
		    !add_entries(m, section, &header))
			return false;
	return true;
}

bool elf_symbols_add_plt(Elf *elf, struct elf_symbols *symbols)
{
	struct slots slots = { 0 };
	struct made made = { .slots = &slots, .symbols = symbols };
	size_t first = symbols->count, size;
	bool good;

	made.names = open_memstream(&symbols->names, &size);
	if (!made.names)
		return false;
	good = read_slots(elf, &slots) && (!slots.count || add_tables(&made, elf));
	good = fclose(made.names) == 0 && good;
	free(slots.at);
	for (const char *name = symbols->names; good && first < symbols->count; first++) {
		symbols->at[first].name = name;
		name += strlen(name) + 1;
	}
	return good;
}
