/* SPDX-License-Identifier: MIT */
#include "recorder/samples/text_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traceformat/common/array.h"

static bool add(struct text_symbols *s, uint64_t address, uint64_t size, const char *name)
{
	if (!RESERVE(*s, s->count + 1))
		return false;
	s->at[s->count] = (struct tf_symbol){
		.value = address,
		.size = size,
		.kind = STT_FUNC,
		.name = strdup(name),
	};
	return s->at[s->count++].name;
}

static int compare(const void *a, const void *b)
{
	const struct tf_symbol *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Adds the symbols in the lines of a file. */
static bool read_lines(struct text_symbols *s, FILE *file,
		       bool (*take)(struct text_symbols *symbols, const char *line))
{
	char *line = NULL;
	size_t room = 0;
	bool good = true;

	while (good && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		good = take(s, line);
	}
	free(line);
	if (s->count)
		qsort(s->at, s->count, sizeof(*s->at), compare);
	return good;
}

void text_symbols_free(struct text_symbols *s)
{
	for (size_t i = 0; i < s->count; i++)
		free((char *)s->at[i].name);
	free(s->at);
	*s = (struct text_symbols){ 0 };
}

/* ---- the kernel -------------------------------------------------------------------------- */

/* Takes a line such as "ffffffff81000000 T _text". The name of a module follows its symbol's. */
static bool take_kernel_line(struct text_symbols *s, const char *line)
{
	uint64_t address;
	char type;
	int name = 0;

	if (sscanf(line, "%" SCNx64 " %c %n", &address, &type, &name) < 2 || !name ||
	    !strchr("tTwW", type) || strchr(line, '\t'))
		return true;
	return add(s, address, 0, line + name);
}

/* Returns true if the running kernel, whose notes are ELF notes, has this build-id. */
static bool is_running(const uint8_t *build_id, size_t size)
{
	uint8_t notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, notes, sizeof(notes));
	struct span s = span_of(notes, n > 0 ? (size_t)n : 0);

	if (fd >= 0)
		close(fd);
	while (span_left(&s) && !s.bad) {
		const uint8_t *head = take_bytes(&s, sizeof(Elf64_Nhdr));
		uint32_t name = head ? (get_le32(head) + 3u) & ~3u : 0;
		uint32_t length = head ? get_le32(head + 4) : 0;
		const uint8_t *is_gnu = take_bytes(&s, name),
			      *id = take_bytes(&s, (length + 3) & ~3u);

		if (id && get_le32(head + 8) == NT_GNU_BUILD_ID && name == 4 &&
		    !memcmp(is_gnu, "GNU", 4))
			return length == size && !memcmp(id, build_id, size);
	}
	return false;
}

static uint64_t address_of(const struct text_symbols *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->at[i].name, name))
			return s->at[i].value;
	return 0;
}

/* Makes each symbol end where the next one begins. The base address is random at each boot. */
static void finish_kernel(struct text_symbols *s, uint64_t begin)
{
	uint64_t text = address_of(s, "_text"), shift = begin - text;

	if (!text) { /* the kernel hides the addresses */
		text_symbols_free(s);
		return;
	}
	for (size_t i = 0; i < s->count; i++) {
		size_t next = i + 1;

		while (next < s->count && s->at[next].value == s->at[i].value)
			next++;
		s->at[i].size = next < s->count ? s->at[next].value - s->at[i].value : 1;
	}
	for (size_t i = 0; i < s->count; i++)
		s->at[i].value += shift;
}

bool text_symbols_of_kernel(struct text_symbols *s, const uint8_t *build_id, size_t size,
			    uint64_t begin)
{
	FILE *file = size && is_running(build_id, size) ? fopen("/proc/kallsyms", "re") : NULL;
	bool good;

	if (!file)
		return true;
	good = read_lines(s, file, take_kernel_line);
	fclose(file);
	if (good)
		finish_kernel(s, begin);
	return good;
}

/* ---- JIT compilers ----------------------------------------------------------------------- */

/*
 * Takes a line such as "7f12a0000000 4f LazyCompile:~main /tmp/x.js:1", with hexadecimal numbers.
 */
static bool take_jit_line(struct text_symbols *s, const char *line)
{
	uint64_t address, size;
	int name = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &address, &size, &name) < 2 || !name ||
	    !line[name] || !size || address + size < address)
		return true;
	return add(s, address, size, line + name);
}

bool text_symbols_of_jit(struct text_symbols *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;
	FILE *file = NULL;
	bool good;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		file = fdopen(fd, "r");
	if (!file) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	good = read_lines(s, file, take_jit_line);
	fclose(file);
	return good;
}
