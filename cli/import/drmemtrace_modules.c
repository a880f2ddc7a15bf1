/* SPDX-License-Identifier: MIT */
#include "cli/import/drmemtrace_modules.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "traceformat/common/bytes.h"

enum { LEAST_VERSION = 3, VERSION_OFFSET, VERSION_PREFERRED, READ_SIZE = 1 << 16 };
#define MOST_BYTES (UINT64_C(1) << 28)
/* Programs that are linked for a fixed address are below, those for any address above. */
#define FIXED_END (UINT64_C(1) << 32)

/* A place in the text, which ends with a NUL at `end`. */
struct text {
	const char *at, *end;
};

/* ---- an entry ---------------------------------------------------------------------------- */

/* Takes a number and the comma behind it. */
static bool take_number(struct text *t, int base, uint64_t *value)
{
	char *behind;

	*value = strtoull(t->at, &behind, base);
	if (behind == t->at || *behind != ',')
		return false;
	t->at = behind + 1;
	return true;
}

/* Passes the custom field, if there is one. */
static bool pass_custom(struct text *t)
{
	static const char begin[] = "v#";
	uint64_t version, size;

	t->at += strspn(t->at, " ");
	if (strncmp(t->at, begin, strlen(begin)) != 0)
		return true;
	t->at += strlen(begin);
	if (!take_number(t, 10, &version) || !take_number(t, 10, &size) ||
	    size > (uint64_t)(t->end - t->at))
		return false;
	t->at += size;
	return true;
}

/* Takes the path, up to the end of the line. The caller frees it. */
static char *take_path(struct text *t)
{
	const char *end;
	size_t size;

	t->at += strspn(t->at, " ");
	size = strcspn(t->at, "\r\n");
	end = t->at + size;
	if (!size)
		return NULL;
	t->at = end + strspn(end, "\r\n");
	return text_format("%.*s", (int)size, end - size);
}

static bool take_entry(struct drmemtrace_modules *modules, struct text *t, uint64_t version)
{
	struct drmemtrace_module m = { .index = TF_NONE };
	uint64_t id, containing, start, ignored, preferred = 0;

	if (!take_number(t, 10, &id) || id != modules->entries.count ||
	    !take_number(t, 10, &containing) || containing > id || !take_number(t, 16, &start) ||
	    !take_number(t, 16, &m.end) || m.end < start || !take_number(t, 16, &ignored))
		return false;
	if (version >= VERSION_OFFSET && !take_number(t, 16, &ignored))
		return false;
	if (version >= VERSION_PREFERRED && !take_number(t, 16, &preferred))
		return false;
	m.path = pass_custom(t) ? take_path(t) : NULL;
	if (!m.path)
		return false;
	m.first = start;
	m.containing = (uint32_t)containing;
	if (containing != id)
		m.bias = modules->entries.at[containing].bias;
	else if (version >= VERSION_PREFERRED)
		m.bias = start - preferred;
	else
		m.bias = start < FIXED_END ? 0 : start;
	CHECKED_RESERVE(modules->entries, modules->entries.count + 1);
	modules->entries.at[modules->entries.count++] = m;
	return true;
}

/* ---- the file ---------------------------------------------------------------------------- */

static void forget(struct drmemtrace_modules *modules)
{
	for (size_t i = 0; i < modules->entries.count; i++)
		free(modules->entries.at[i].path);
	modules->entries.count = 0;
}

/* Passes a line. Returns false if the text ends before the line does. */
static bool pass_line(struct text *t)
{
	const char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));

	if (end)
		t->at = end + 1;
	return end != NULL;
}

/* Takes all entries. Returns what is wrong, or NULL. */
static const char *take_table(struct drmemtrace_modules *modules, struct text t)
{
	unsigned version, count;

	if (sscanf(t.at, "Module Table: version %u, count %u", &version, &count) != 2)
		return "is no table of modules of DynamoRIO";
	if (version < LEAST_VERSION || version > VERSION_PREFERRED)
		return "has another version than 3, 4 or 5";
	if (!pass_line(&t) || !pass_line(&t))
		return "ends early";
	for (unsigned i = 0; i < count; i++)
		if (!take_entry(modules, &t, version))
			return "has an entry that cannot be understood";
	return NULL;
}

/* Opens a regular file: opening another one, such as a pipe, could wait for ever. */
static FILE *open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fdopen(fd, "r");
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Reads the whole file, with a NUL behind it. */
static bool read_file(const char *path, struct buffer *text)
{
	FILE *file = open_regular(path);
	char piece[READ_SIZE];
	size_t n;

	if (!file)
		return false;
	while (text->size < MOST_BYTES && (n = fread(piece, 1, sizeof(piece), file)) > 0)
		put_bytes(text, piece, n);
	put_u8(text, 0);
	fclose(file);
	return true;
}

bool drmemtrace_read_modules(struct drmemtrace_modules *modules, const char *path)
{
	struct buffer text = { 0 };
	const char *wrong;

	if (!read_file(path, &text))
		return false;
	if (text.failed)
		out_of_memory();
	wrong = take_table(modules, (struct text){ (const char *)text.data,
						   (const char *)text.data + text.size - 1 });
	if (wrong) {
		command_warning("%s: %s, so the trace has no modules", shown_name(path), wrong);
		forget(modules);
	}
	buffer_free(&text);
	return true;
}

void drmemtrace_modules_free(struct drmemtrace_modules *modules)
{
	forget(modules);
	free(modules->entries.at);
}

/* ---- the trace --------------------------------------------------------------------------- */

static bool add_records(struct drmemtrace_modules *modules, struct import_job *job)
{
	for (size_t i = 0; i < modules->entries.count; i++) {
		struct drmemtrace_module *m = &modules->entries.at[i];
		struct tf_module record = { .path = m->path };
		struct tf_error error;

		if (!strcmp(m->path, "<unknown>"))
			continue;
		if (m->containing != i) {
			m->index = modules->entries.at[m->containing].index;
			continue;
		}
		if (!strcmp(m->path, "[vdso]"))
			record.kind = TF_MODULE_VDSO;
		if (!code_check(&job->code,
				tf_writer_add_module(job->code.writer, &record, &m->index, &error),
				&error))
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct drmemtrace_module *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void add_place(struct code_table *code, const struct drmemtrace_module *m)
{
	CHECKED_RESERVE(code->places, code->places.count + 1);
	code->places.at[code->places.count++] = (struct module_place){ m->first, m->end, m->bias,
								       m->index };
}

/* Adds the places, ascending. Where places overlap, all of them that do are left out. */
static void add_places(struct drmemtrace_modules *modules, struct code_table *code)
{
	struct drmemtrace_module *at = modules->entries.at;
	size_t n = modules->entries.count;
	uint64_t reached = 0; /* by the places before */

	if (n)
		qsort(at, n, sizeof(*at), compare);
	for (size_t i = 0; i < n; i++) {
		bool overlaps = at[i].first < reached || (i + 1 < n && at[i + 1].first < at[i].end);

		if (!overlaps && at[i].index != TF_NONE)
			add_place(code, &at[i]);
		reached = at[i].end > reached ? at[i].end : reached;
	}
}

bool drmemtrace_add_modules(struct drmemtrace_modules *modules, struct import_job *job)
{
	if (!add_records(modules, job))
		return false;
	add_places(modules, &job->code);
	return true;
}
