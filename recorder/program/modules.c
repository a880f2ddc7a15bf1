/* SPDX-License-Identifier: MIT */
#include "recorder/program/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/core/output.h"
#include "recorder/core/task.h"
#include "recorder/elf/elf_file.h"
#include "recorder/program/exclusion_rules.h"
#include "recorder/program/file_servers.h"
#include "recorder/program/functions.h"
#include "recorder/program/marks.h"

/* A file that was looked at and is not an ELF file. */
struct foreign {
	struct foreign *next;
	dev_t dev;
	ino_t ino;
};

struct modules {
	struct module *first;
	struct foreign *foreign;
};

struct modules *modules_new(void)
{
	elf_file_init();
	return calloc(1, sizeof(struct modules));
}

static void open_code(struct module *m)
{
	struct stat st;

	m->code_opened = true;
	m->code_fd = m->kind == TF_MODULE_FILE ? open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
					       : -1;
	if (m->code_fd < 0 ||
	    (fstat(m->code_fd, &st) == 0 && st.st_dev == m->dev && st.st_ino == m->ino &&
	     st.st_mtim.tv_sec == m->changed.tv_sec && st.st_mtim.tv_nsec == m->changed.tv_nsec))
		return;
	close(m->code_fd);
	m->code_fd = -1;
}

size_t module_read_code(struct module *m, uint64_t address, uint8_t *bytes, size_t size)
{
	ssize_t n;

	if (!m->code_opened)
		open_code(m);
	for (unsigned i = 0; i < m->n_segments && m->code_fd >= 0; i++) {
		const struct segment *g = &m->segments[i];
		uint64_t at = address - g->vaddr;

		if (!(g->protection & PROT_EXEC) || at >= g->file_size)
			continue;
		if (size > g->file_size - at)
			size = g->file_size - at;
		n = pread(m->code_fd, bytes, size, (off_t)(g->offset + at));
		return n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static void module_free(struct module *m)
{
	if (m->code_opened && m->code_fd >= 0)
		close(m->code_fd);
	free(m->path);
	free(m->segments);
	free(m->watches);
	free(m->excluded);
	free(m);
}

void modules_free(struct modules *modules)
{
	if (!modules)
		return;
	while (modules->first) {
		struct module *m = modules->first;

		modules->first = m->next;
		module_free(m);
	}
	while (modules->foreign) {
		struct foreign *f = modules->foreign;

		modules->foreign = f->next;
		free(f);
	}
	free(modules);
}

static bool is_foreign(const struct modules *modules, const struct stat *st)
{
	for (const struct foreign *f = modules->foreign; f; f = f->next)
		if (f->dev == st->st_dev && f->ino == st->st_ino)
			return true;
	return false;
}

static struct module *find(const struct modules *modules, const char *path, const struct stat *st)
{
	for (struct module *m = modules->first; m; m = m->next)
		if (m->kind == TF_MODULE_FILE && m->dev == st->st_dev && m->ino == st->st_ino &&
		    m->changed.tv_sec == st->st_mtim.tv_sec &&
		    m->changed.tv_nsec == st->st_mtim.tv_nsec && strcmp(m->path, path) == 0)
			return m;
	return NULL;
}

/* Returns the name without its folder, so that no debug file is searched beside the module. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Reads the module from the file fd or, if fd is -1, from memory, and adds module and symbols to
 * the trace.
 */
static int add(struct session *s, struct module *m, struct elf_file *elf, int fd,
	       uint64_t file_size)
{
	struct tf_module trace = { .kind = m->kind, .path = m->path, .file_size = file_size };
	struct elf_symbols symbols = { 0 };
	int status = -1;

	m->build_id_size = elf_file_build_id(elf, m->build_id, sizeof(m->build_id));
	trace.build_id_size = (uint8_t)m->build_id_size;
	memcpy(trace.build_id, m->build_id, m->build_id_size);
	if (!elf_file_segments(elf, &m->segments, &m->n_segments) ||
	    !elf_file_symbols(elf, m->served ? base_name(m->path) : m->path, &symbols)) {
		output_memory(s->output);
		goto out;
	}
	if (output_add_module(s->output, &trace, &m->index) < 0)
		goto out;
	status = symbols.count ? output_add_symbols(s->output, m->index, symbols.at, symbols.count)
			       : 0;
	if (status < 0)
		goto out;
	if (status > 0)
		session_warn(s,
			     "the symbols of %s are left out: they would take too much of "
			     "--max-size",
			     m->path);
	status = -1;
	if (marks_resolve(s, m, fd) < 0 || functions_resolve(s, m, symbols.at, symbols.count) < 0 ||
	    exclusion_rules_resolve(s, m, symbols.at, symbols.count) < 0)
		goto out;
	m->next = s->code.modules->first;
	s->code.modules->first = m;
	status = 0;
out:
	elf_symbols_free(&symbols);
	return status;
}

static int mark_foreign(struct session *s, const struct stat *st)
{
	struct foreign *f = malloc(sizeof(*f));

	if (!f)
		return output_memory(s->output);
	*f = (struct foreign){ s->code.modules->foreign, st->st_dev, st->st_ino };
	s->code.modules->foreign = f;
	return 0;
}

int modules_file(struct session *s, const char *path, const char *open_path, struct module **module)
{
	struct elf_file *elf;
	struct module *m;
	struct stat st;
	int fd;

	*module = NULL;
	if (stat(open_path, &st) < 0 || !S_ISREG(st.st_mode) || is_foreign(s->code.modules, &st))
		return 0;
	*module = find(s->code.modules, path, &st);
	if (*module)
		return 0;
	fd = open(open_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	elf = elf_file_open(fd);
	if (!elf) {
		close(fd);
		return mark_foreign(s, &st);
	}
	m = calloc(1, sizeof(*m));
	if (m)
		*m = (struct module){ .kind = TF_MODULE_FILE,
				      .path = strdup(path),
				      .dev = st.st_dev,
				      .ino = st.st_ino,
				      .changed = st.st_mtim };
	if (!m || !m->path)
		output_memory(s->output);
	else if (add(s, m, elf, fd, (uint64_t)st.st_size) == 0)
		*module = m;
	elf_file_close(elf);
	close(fd);
	if (*module)
		return 0;
	if (m)
		module_free(m);
	return -1;
}

/* Adds a module of which only the name is known. */
static int add_bare(struct session *s, struct module *m)
{
	struct tf_module trace = { .kind = m->kind, .path = m->path };

	session_warn(s,
		     "the symbols of %s are not known: its file system has not answered in time, "
		     "perhaps as its server is recorded too",
		     m->path);
	if (output_add_module(s->output, &trace, &m->index) < 0)
		return -1;
	m->next = s->code.modules->first;
	s->code.modules->first = m;
	return 0;
}

int modules_served_file(struct session *s, const char *path, const char *open_path,
			const struct stat *identity, struct module **module)
{
	struct elf_file *elf = NULL;
	struct stat st = { 0 };
	struct module *m;
	int fd, status;
	bool late;

	*module = is_foreign(s->code.modules, identity) ? NULL
							: find(s->code.modules, path, identity);
	if (*module || is_foreign(s->code.modules, identity))
		return 0;
	fd = file_servers_copy(open_path, &late);
	if (fd >= 0 && fstat(fd, &st) == 0)
		elf = elf_file_open(fd);
	m = elf || late ? calloc(1, sizeof(*m)) : NULL;
	if (m)
		*m = (struct module){ .kind = TF_MODULE_FILE,
				      .path = strdup(path),
				      .dev = identity->st_dev,
				      .ino = identity->st_ino,
				      .served = true,
				      .code_opened = true,
				      .code_fd = -1 };
	if (!elf && !late)
		status = mark_foreign(s, identity);
	else if (!m || !m->path)
		status = output_memory(s->output);
	else
		status = elf ? add(s, m, elf, fd, (uint64_t)st.st_size) : add_bare(s, m);
	if (status == 0)
		*module = m;
	else if (m)
		module_free(m);
	elf_file_close(elf);
	if (fd >= 0)
		close(fd);
	return status;
}

int modules_vdso(struct session *s, const struct task *t, uint64_t start, uint64_t end,
		 struct module **module)
{
	enum { MAX_IMAGE = 1 << 20 };
	size_t size = end - start;
	struct elf_file *elf;
	struct module *m;
	uint8_t *image;
	int status = 0;

	*module = NULL;
	for (m = s->code.modules->first; m; m = m->next)
		if (m->kind == TF_MODULE_VDSO) {
			*module = m;
			return 0;
		}
	if (size > MAX_IMAGE)
		return 0;
	image = malloc(size);
	if (!image)
		return output_memory(s->output);
	elf = task_read(t, start, image, size) == size ? elf_file_memory(image, size) : NULL;
	if (elf) {
		m = calloc(1, sizeof(*m));
		if (m)
			*m = (struct module){ .kind = TF_MODULE_VDSO, .path = strdup("[vdso]") };
		status = m && m->path ? add(s, m, elf, -1, size) : output_memory(s->output);
		if (status == 0)
			*module = m;
		else if (m)
			module_free(m);
		elf_file_close(elf);
	}
	free(image);
	return status;
}

const struct module *modules_at(const struct modules *modules, uint32_t index)
{
	const struct module *m = modules->first;

	while (m && m->index != index)
		m = m->next;
	return m;
}

const char *modules_path(const struct modules *modules, uint32_t index)
{
	const struct module *m = modules_at(modules, index);

	return m ? m->path : "";
}
