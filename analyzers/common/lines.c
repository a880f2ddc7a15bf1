/* SPDX-License-Identifier: MIT */
#include "analyzers/common/lines.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "analyzers/common/debug_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

struct lines {
	const struct tf_reader *reader;
	uint32_t n_modules;
	struct debug_module {
		bool opened; /* it was tried */
		Dwfl *dwfl;  /* NULL: there is nothing to be known */
		Dwfl_Module *module;
		GElf_Addr bias;
		const struct tf_module *recorded;
		char *path;      /* of the file that the debug information is in */
		bool has_shared; /* the file of .gnu_debugaltlink was found */
	} * modules;
};

/* ---- the library's questions ------------------------------------------------------------- */

/* Answers libdwfl's question for the module's file, which is known already. */
static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	(void)module, (void)user, (void)name, (void)base, (void)file_name, (void)elf;
	return -1;
}

static int find_shared(struct debug_module *m, const char *link, char path[PATH_MAX])
{
	int fd = debug_file_shared(m->path, link, path);

	m->has_shared |= fd >= 0;
	return fd;
}

/*
 * Answers libdwfl's question for a debug file, or for a shared one. A link with a folder in it can
 * only be that of .gnu_debugaltlink.
 */
static int find_debug(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		      const char *file_name, const char *link, GElf_Word crc, char **found)
{
	struct debug_module *m = *user;
	char path[PATH_MAX];
	int fd;

	(void)module, (void)name, (void)base, (void)file_name;
	if (link && strchr(link, '/'))
		return find_shared(m, link, path);
	fd = debug_file_by_id(m->recorded, path);
	if (fd < 0 && link)
		fd = debug_file_by_link(m->recorded, link, crc, path);
	if (fd < 0)
		return -1;
	free(m->path);
	m->path = checked_copy(path);
	*found = checked_copy(path);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debug,
	.section_address = dwfl_offline_section_address,
};

/* ---- all modules ------------------------------------------------------------------------- */

struct lines *lines_open(const struct tf_reader *reader)
{
	struct lines *lines = checked_array(1, sizeof(*lines));

	lines->reader = reader;
	lines->n_modules = tf_n_modules(reader);
	lines->modules = checked_array(lines->n_modules, sizeof(*lines->modules));
	return lines;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	for (uint32_t i = 0; i < lines->n_modules; i++) {
		dwfl_end(lines->modules[i].dwfl);
		free(lines->modules[i].path);
	}
	free(lines->modules);
	free(lines);
}

/* ---- modules ----------------------------------------------------------------------------- */

/*
 * Returns true unless a shared file is missing; libdw would look for one by itself, wherever the
 * link points.
 */
static bool is_whole(const struct debug_module *m)
{
	const char *link;
	const void *id;
	GElf_Addr bias;
	Dwarf *debug = dwfl_module_getdwarf(m->module, &bias);

	return debug && (m->has_shared || dwelf_dwarf_gnu_debugaltlink(debug, &link, &id) <= 0);
}

/* Takes over the fd of a file that is known to be the recorded one. */
static void use_file(struct debug_module *m, const char *path, int fd)
{
	void **user;

	m->path = checked_copy(path);
	m->dwfl = dwfl_begin(&callbacks);
	m->module = m->dwfl ? dwfl_report_offline(m->dwfl, path, path, fd) : NULL;
	if (!m->module)
		close(fd);
	else if (dwfl_module_info(m->module, &user, NULL, NULL, NULL, NULL, NULL, NULL))
		*user = m;
	if (m->module && !dwfl_report_end(m->dwfl, NULL, NULL) &&
	    dwfl_module_getelf(m->module, &m->bias) && is_whole(m))
		return;
	dwfl_end(m->dwfl);
	m->dwfl = NULL;
}

static void open_recorded(struct debug_module *m, const struct tf_module *recorded)
{
	enum debug_found found;
	int fd = debug_file_open(recorded, recorded->path, &found);
	char path[PATH_MAX];

	m->recorded = recorded;
	if (fd >= 0)
		use_file(m, recorded->path, fd);
	else if ((fd = debug_file_by_id(recorded, path)) >= 0)
		use_file(m, path, fd);
	else
		command_warning("%s: %s: no source lines", shown_name(recorded->path),
				found == DEBUG_NOT_THERE ? "not on this computer"
							 : "another build is there");
}

static const struct debug_module *open_module(struct lines *lines, uint32_t index)
{
	struct debug_module *m = &lines->modules[index];
	const struct tf_module *recorded = tf_module(lines->reader, index);

	if (m->opened)
		return m;
	m->opened = true;
	if (recorded && recorded->kind == TF_MODULE_FILE)
		open_recorded(m, recorded);
	return m;
}

/* ---- lines ------------------------------------------------------------------------------- */

bool lines_find(struct lines *lines, uint32_t module, uint64_t module_offset,
		struct source_line *found)
{
	if (module >= lines->n_modules)
		return false;

	const struct debug_module *m = open_module(lines, module);
	Dwfl_Line *line = m->dwfl ? dwfl_module_getsrc(m->module, module_offset + m->bias) : NULL;
	int number = 0, column = 0;

	found->file = line ? dwfl_lineinfo(line, NULL, &number, &column, NULL, NULL) : NULL;
	found->folder = line ? dwfl_line_comp_dir(line) : NULL;
	found->line = (unsigned)number;
	found->module = module;
	found->column = column > 0 ? (unsigned)column : 0;
	return found->file && number > 0;
}
