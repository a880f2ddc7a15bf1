/* SPDX-License-Identifier: MIT */
#include "recorder/elf/elf_file.h"

#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traceformat/common/named_file.h"

struct elf_file {
	Elf *elf;
	struct elf_file *debug; /* the separate debug file, once it has been searched for */
	int debug_fd;
};

static const char debug_root[] = "/usr/lib/debug";

void elf_file_init(void)
{
	elf_version(EV_CURRENT);
}

static struct elf_file *wrap(Elf *elf)
{
	struct elf_file *f;
	GElf_Ehdr header;

	if (!elf)
		return NULL;
	if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 ||
	    !gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64) {
		elf_end(elf);
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (!f) {
		elf_end(elf);
		return NULL;
	}
	f->elf = elf;
	f->debug_fd = -1;
	return f;
}

struct elf_file *elf_file_open(int fd)
{
	/* a mapping of ours would fill holes of a file in memory, and fault where it is cut */
	return wrap(elf_begin(fd, ELF_C_READ, NULL));
}

struct elf_file *elf_file_memory(void *image, size_t size)
{
	return wrap(elf_memory(image, size));
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	elf_file_close(f->debug);
	elf_end(f->elf);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	free(f);
}

static unsigned take_build_id(Elf_Data *data, uint8_t *id, size_t room)
{
	GElf_Nhdr note;
	size_t name, desc, at = 0;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp((char *)data->d_buf + name, "GNU", 4) == 0 && note.n_descsz <= room) {
			memcpy(id, (char *)data->d_buf + desc, note.n_descsz);
			return note.n_descsz;
		}
	return 0;
}

unsigned elf_file_build_id(const struct elf_file *f, uint8_t *id, size_t room)
{
	size_t count = 0;
	unsigned size = 0;

	elf_getphdrnum(f->elf, &count);
	for (size_t i = 0; i < count && !size; i++) {
		GElf_Phdr header;
		Elf_Data *data;

		if (!gelf_getphdr(f->elf, (int)i, &header) || header.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(f->elf, (int64_t)header.p_offset, header.p_filesz,
					    header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data)
			size = take_build_id(data, id, room);
	}
	return size;
}

bool elf_file_segments(const struct elf_file *f, struct segment **segments, unsigned *n)
{
	size_t count = 0;

	*n = 0;
	elf_getphdrnum(f->elf, &count);
	*segments = calloc(count + 1, sizeof(**segments));
	for (size_t i = 0; *segments && i < count; i++) {
		GElf_Phdr h;

		if (!gelf_getphdr(f->elf, (int)i, &h) || h.p_type != PT_LOAD)
			continue;
		(*segments)[(*n)++] = (struct segment){
			.vaddr = h.p_vaddr,
			.offset = h.p_offset,
			.file_size = h.p_filesz,
			.protection = (h.p_flags & PF_R ? PROT_READ : 0u) |
				      (h.p_flags & PF_W ? PROT_WRITE : 0u) |
				      (h.p_flags & PF_X ? PROT_EXEC : 0u),
		};
	}
	return *segments;
}

/* ---- the separate debug file ---- */

/*
 * Returns true if both files are of the same build. Symbols of another build have other addresses.
 */
static bool is_same_build(const struct elf_file *f, const struct elf_file *debug)
{
	uint8_t id[20], debug_id[20];
	unsigned size = elf_file_build_id(f, id, sizeof(id));

	return !size || (elf_file_build_id(debug, debug_id, sizeof(debug_id)) == size &&
			 !memcmp(id, debug_id, size));
}

static bool try_debug(struct elf_file *f, const char *path)
{
	const char *why;

	f->debug_fd = named_file_open(path, NULL, &why);
	if (f->debug_fd < 0)
		return false;
	f->debug = elf_file_open(f->debug_fd);
	if (f->debug && is_same_build(f, f->debug))
		return true;
	elf_file_close(f->debug);
	f->debug = NULL;
	close(f->debug_fd);
	f->debug_fd = -1;
	return false;
}

enum { HEX_ID = 2 * 20 + 1 };

/* Writes the build-id in hexadecimal. Returns false if there is none. */
static bool print_id(const struct elf_file *f, char hex[HEX_ID])
{
	uint8_t id[20];
	unsigned size = elf_file_build_id(f, id, sizeof(id));

	for (unsigned i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	return size >= 2;
}

static void find_debug_by_id(struct elf_file *f)
{
	char path[sizeof(debug_root) + 64], id[HEX_ID];

	if (!print_id(f, id))
		return;
	sprintf(path, "%s/.build-id/%.2s/%s.debug", debug_root, id, id + 2);
	try_debug(f, path);
}

/*
 * Searches the cache of debuginfod, whose place debuginfod_find_debuginfo(3) documents. Nothing is
 * downloaded.
 */
static void find_debug_in_cache(struct elf_file *f)
{
	static const struct {
		const char *variable, *folder;
	} places[] = {
		{ "DEBUGINFOD_CACHE_PATH", "" },
		{ "XDG_CACHE_HOME", "/debuginfod_client" },
		{ "HOME", "/.cache/debuginfod_client" },
		{ "HOME", "/.debuginfod_client_cache" },
	};
	char path[PATH_MAX], id[HEX_ID];

	if (!print_id(f, id))
		return;
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places) && !f->debug; i++) {
		const char *root = getenv(places[i].variable);

		if (root && *root == '/' &&
		    snprintf(path, sizeof(path), "%s%s/%s/debuginfo", root, places[i].folder, id) <
			    (int)sizeof(path))
			try_debug(f, path);
	}
}

static Elf_Data *section_data(const struct elf_file *f, const char *name)
{
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return NULL;
	while ((section = elf_nextscn(f->elf, section))) {
		GElf_Shdr header;
		const char *is;

		if (!gelf_getshdr(section, &header))
			continue;
		is = elf_strptr(f->elf, names, header.sh_name);
		if (is && strcmp(is, name) == 0)
			return elf_getdata(section, NULL);
	}
	return NULL;
}

static void find_debug_by_link(struct elf_file *f, const char *module_path)
{
	static const struct {
		const char *root, *folder;
	} places[] = {
		{ "", "/" },
		{ "", "/.debug/" },
		{ debug_root, "/" },
	};
	Elf_Data *link = section_data(f, ".gnu_debuglink");
	const char *slash = strrchr(module_path, '/');
	char path[3 * PATH_MAX];

	if (!link || !link->d_buf || !slash || !memchr(link->d_buf, 0, link->d_size) ||
	    strchr(link->d_buf, '/'))
		return;
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places) && !f->debug; i++) {
		if (i == 0 && strcmp(slash + 1, link->d_buf) == 0)
			continue; /* this is the file itself */
		snprintf(path, sizeof(path), "%s%.*s%s%s", places[i].root,
			 (int)(slash - module_path), module_path, places[i].folder,
			 (const char *)link->d_buf);
		try_debug(f, path);
	}
}

/* ---- symbols ---- */

/* Finds the file that has the symbols, and the type of the table they are in. */
static Elf *find_symbols(struct elf_file *f, const char *path, unsigned *type)
{
	*type = SHT_SYMTAB;
	if (elf_symbols_exist(f->elf, SHT_SYMTAB))
		return f->elf;
	find_debug_by_id(f);
	if (!f->debug)
		find_debug_by_link(f, path);
	if (!f->debug)
		find_debug_in_cache(f);
	if (f->debug && elf_symbols_exist(f->debug->elf, SHT_SYMTAB))
		return f->debug->elf;
	*type = SHT_DYNSYM;
	return f->elf;
}

bool elf_file_symbols(struct elf_file *f, const char *path, struct elf_symbols *symbols)
{
	unsigned type;
	Elf *elf = find_symbols(f, path, &type);

	return elf_symbols_read(elf, type, symbols) && elf_symbols_add_plt(f->elf, symbols) &&
	       elf_symbols_add_unwound(f->elf, path, symbols);
}

uint64_t segments_bias(const struct segment *segments, unsigned count, uint64_t start,
		       uint64_t file_offset, uint32_t protection)
{
	enum { PAGE_BYTES = 4096 };
	const struct segment *best = NULL;

	/* A page of the file may belong to two segments; the protection then decides. */
	for (unsigned i = 0; i < count; i++) {
		const struct segment *g = &segments[i];

		if (file_offset < g->offset / PAGE_BYTES * PAGE_BYTES ||
		    file_offset >= g->offset + g->file_size)
			continue;
		if (!best || g->protection == protection)
			best = g;
	}
	return best ? start - (best->vaddr - best->offset + file_offset) : start - file_offset;
}
