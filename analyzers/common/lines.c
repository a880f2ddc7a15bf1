/* SPDX-License-Identifier: MIT */
#include "analyzers/common/lines.h"

#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

/* What a path has of a module. */
enum found { NOT_THERE, ANOTHER_BUILD, AS_RECORDED };

struct lines {
	const struct tf_reader *reader;
	uint32_t n_modules;
	struct debug_module {
		bool opened;		/* it was tried */
		Dwfl *dwfl;		/* NULL: there is nothing to be known */
		Dwfl_Module *module;
		GElf_Addr bias;
	} *modules;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct lines *lines_open(const struct tf_reader *reader)
{
	struct lines *lines = checked_array(1, sizeof(*lines));

	lines->reader = reader;
	while (tf_module(reader, lines->n_modules))
		lines->n_modules++;
	lines->modules = checked_array(lines->n_modules, sizeof(*lines->modules));
	return lines;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	for (uint32_t i = 0; i < lines->n_modules; i++)
		dwfl_end(lines->modules[i].dwfl);
	free(lines->modules);
	free(lines);
}

/* ---- modules ----------------------------------------------------------------------------- */

/* A module that has a build-id is known by that alone. */
static bool is_recorded(const struct tf_module *recorded, Dwfl_Module *module, off_t size)
{
	const unsigned char *id;
	GElf_Addr address;
	int n = dwfl_module_build_id(module, &id, &address);

	if (!recorded->build_id_size)
		return n <= 0 && (uint64_t)size == recorded->file_size;
	return n == recorded->build_id_size && !memcmp(id, recorded->build_id, (size_t)n);
}

/* Only regular files: opening others may wait for ever. */
static enum found open_file(struct debug_module *m, const struct tf_module *recorded,
			    const char *path)
{
	struct stat file;

	if (stat(path, &file) || !S_ISREG(file.st_mode))
		return NOT_THERE;
	m->dwfl = dwfl_begin(&callbacks);
	m->module = m->dwfl ? dwfl_report_offline(m->dwfl, path, path, -1) : NULL;
	if (m->module && !dwfl_report_end(m->dwfl, NULL, NULL) &&
	    dwfl_module_getelf(m->module, &m->bias) &&
	    is_recorded(recorded, m->module, file.st_size))
		return AS_RECORDED;
	dwfl_end(m->dwfl);
	m->dwfl = NULL;
	return ANOTHER_BUILD;
}

/* Where distributions install the debug information of a build-id. */
static bool debug_path(const struct tf_module *module, char *path, size_t size)
{
	int n = snprintf(path, size, "/usr/lib/debug/.build-id/%02x/", module->build_id[0]);

	if (module->build_id_size < 2)
		return false;
	for (unsigned i = 1; i < module->build_id_size; i++)
		n += snprintf(path + n, size - (size_t)n, "%02x", module->build_id[i]);
	snprintf(path + n, size - (size_t)n, ".debug");
	return true;
}

static void open_recorded(struct debug_module *m, const struct tf_module *recorded)
{
	enum found found = open_file(m, recorded, recorded->path);
	char path[PATH_MAX];

	if (found == AS_RECORDED || (debug_path(recorded, path, sizeof(path)) &&
				     open_file(m, recorded, path) == AS_RECORDED))
		return;
	command_warning("%s: %s: no source lines", shown_name(recorded->path),
			found == NOT_THERE ? "not on this computer" : "another build is there");
}

static const struct debug_module *open_module(struct lines *lines, uint32_t index)
{
	struct debug_module *m = &lines->modules[index];
	const struct tf_module *recorded = tf_module(lines->reader, index);

	if (m->opened)
		return m;
	m->opened = true;
	if (recorded->kind == TF_MODULE_FILE)
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
	found->column = column > 0 ? (unsigned)column : 0;
	return found->file && number > 0;
}
