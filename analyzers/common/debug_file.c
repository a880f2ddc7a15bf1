/* SPDX-License-Identifier: MIT */
#include "analyzers/common/debug_file.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "traceformat/common/named_file.h"

#define DEBUG_ROOT "/usr/lib/debug"

enum { HEX_SIZE = 2 * 20 + 1 };

/* ---- whether a file is to be believed ---------------------------------------------------- */

/*
 * Returns the size that a compressed section claims, or 0 if the section is not compressed. GNU's
 * older form has no flag.
 */
static uint64_t claimed_size(Elf *elf, size_t names, Elf_Scn *section)
{
	GElf_Shdr header;
	GElf_Chdr compressed;
	const char *name;
	Elf_Data *data;
	uint64_t size;

	if (!gelf_getshdr(section, &header))
		return 0;
	if (header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
	name = elf_strptr(elf, names, header.sh_name);
	if (!name || strncmp(name, ".zdebug", 7))
		return 0;
	data = elf_rawdata(section, NULL);
	if (!data || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4))
		return 0;
	memcpy(&size, (char *)data->d_buf + 4, sizeof(size));
	return __builtin_bswap64(size);
}

/*
 * Returns true if no section claims too much. Compression makes debug information 3 to 6 times
 * smaller; a section that claims much more is meant to fill memory.
 */
static bool is_bounded(Elf *elf, uint64_t file_size)
{
	enum { MOST_GROWTH = 32, SPARE = 1 << 20 };
	uint64_t total = 0, limit = file_size * MOST_GROWTH + SPARE;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		uint64_t size = claimed_size(elf, names, section);

		if (size > limit - total)
			return false;
		total += size;
	}
	return true;
}

/*
 * Checks the ELF type; a file that several programs share (.gnu_debugaltlink) has the type of an
 * object file.
 */
static bool is_of_type(Elf *elf, bool shared)
{
	GElf_Ehdr header;

	return elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
	       gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64 &&
	       (shared || header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

static bool has_build_id(Elf *elf, const struct tf_module *module)
{
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

	if (!module->build_id_size)
		return size <= 0;
	return size == module->build_id_size && !memcmp(id, module->build_id, (size_t)size);
}

/*
 * NULL for the module asks for any file that programs share. The magic is checked first, because
 * libraries for ELF would unpack other files, such as compressed kernels, to look for an ELF file
 * in them.
 */
static bool is_believed(int fd, const struct tf_module *module, uint64_t size)
{
	char magic[SELFMAG];
	bool good;
	Elf *elf;

	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic) || memcmp(magic, ELFMAG, SELFMAG))
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	good = elf && is_of_type(elf, !module) && (!module || has_build_id(elf, module)) &&
	       is_bounded(elf, size);
	elf_end(elf);
	return good;
}

static int open_believed(const char *path, const struct tf_module *module, uint64_t *size,
			 enum debug_found *found)
{
	const char *why;
	struct stat file;
	int fd = named_file_open(path, NULL, &why);

	*found = DEBUG_NOT_THERE;
	if (fd < 0 || fstat(fd, &file) < 0)
		return -1;
	*size = (uint64_t)file.st_size;
	*found = is_believed(fd, module, *size) ? DEBUG_AS_RECORDED : DEBUG_ANOTHER_BUILD;
	if (*found == DEBUG_AS_RECORDED)
		return fd;
	close(fd);
	return -1;
}

int debug_file_open(const struct tf_module *module, const char *path, enum debug_found *found)
{
	uint64_t size;
	int fd = open_believed(path, module, &size, found);

	if (fd >= 0 && !module->build_id_size && size != module->file_size) {
		*found = DEBUG_ANOTHER_BUILD;
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- where debug files are --------------------------------------------------------------- */

static int try_path(const struct tf_module *module, const char *path)
{
	enum debug_found found;
	uint64_t size;

	return open_believed(path, module, &size, &found);
}

/*
 * Gives the path of a file that debuginfod's clients may have fetched before:
 * debuginfod_find_debuginfo(3), "FILES".
 */
static bool cached_path(const char *id, char path[PATH_MAX])
{
	const char *folder = getenv("DEBUGINFOD_CACHE_PATH"), *below = "";

	if (!folder || !*folder) {
		folder = getenv("XDG_CACHE_HOME");
		below = "/debuginfod_client";
	}
	if (!folder || !*folder) {
		folder = getenv("HOME");
		below = "/.cache/debuginfod_client";
	}
	return folder &&
	       snprintf(path, PATH_MAX, "%s%s/%s/debuginfo", folder, below, id) < PATH_MAX;
}

int debug_file_by_id(const struct tf_module *module, char path[PATH_MAX])
{
	char id[HEX_SIZE] = "";
	int fd;

	if (module->build_id_size < 2)
		return -1;
	for (unsigned i = 0; i < module->build_id_size; i++)
		sprintf(id + 2 * i, "%02x", module->build_id[i]);
	snprintf(path, PATH_MAX, DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2);
	fd = try_path(module, path);
	if (fd < 0 && cached_path(id, path))
		fd = try_path(module, path);
	return fd;
}

static bool has_crc(int fd, uint32_t expected)
{
	enum { AT_ONCE = 1 << 16 };
	unsigned char *bytes = malloc(AT_ONCE);
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n = 0;

	while (bytes && (n = pread(fd, bytes, AT_ONCE, at)) > 0) {
		crc = crc32(crc, bytes, (uInt)n);
		at += n;
	}
	free(bytes);
	return bytes && n == 0 && crc == expected;
}

int debug_file_by_link(const struct tf_module *module, const char *link, uint32_t crc,
		       char path[PATH_MAX])
{
	static const struct {
		const char *root, *folder;
	} places[] = {
		{ "", "/.debug/" },
		{ "", "/" },
		{ DEBUG_ROOT, "/" },
	};
	const char *slash = strrchr(module->path, '/');
	int fd = -1;

	if (!slash || strchr(link, '/'))
		return -1;
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places) && fd < 0; i++) {
		if (snprintf(path, PATH_MAX, "%s%.*s%s%s", places[i].root,
			     (int)(slash - module->path), module->path, places[i].folder,
			     link) >= PATH_MAX)
			continue;
		fd = try_path(module, path);
		if (fd >= 0 && !module->build_id_size && !has_crc(fd, crc)) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

int debug_file_shared(const char *from, const char *link, char path[PATH_MAX])
{
	const char *slash = strrchr(from, '/');
	int folder = *link == '/' || !slash ? 0 : (int)(slash - from) + 1, fd = -1;
	char resolved[PATH_MAX];
	const char *why;

	if (snprintf(path, PATH_MAX, "%.*s%s", folder, from, link) < PATH_MAX)
		fd = named_file_open(path, resolved, &why);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && is_below(resolved, DEBUG_ROOT) ? try_path(NULL, resolved) : -1;
}
