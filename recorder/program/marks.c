/* SPDX-License-Identifier: MIT */
#include "recorder/program/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/core/output.h"
#include "recorder/program/functions.h"

enum { MARK_BYTES = 8 };

/* Returns whether the place of --from or --to, which can be NULL, is a mark, and its number. */
static bool is_mark(const char *place, uint32_t *number)
{
	static const char prefix[] = "ssc:";
	unsigned long value;
	char *end;

	if (!place || strncmp(place, prefix, sizeof(prefix) - 1) != 0)
		return false;
	place += sizeof(prefix) - 1;
	errno = 0;
	value = strtoul(place, &end, 0);
	*number = (uint32_t)value;
	return end != place && !*end && !errno && value <= UINT32_MAX && *place != '-';
}

static int add(struct session *s, struct module *m, uint64_t value, bool from)
{
	struct watch w = {
		.value = value, .function = TF_NONE, .from = from, .to = !from, .any = true
	};

	return watch_add(s, m, &w);
}

/* Searches code bytes, the first of which has an ELF address, for the marks of --from and --to. */
static int find(struct session *s, struct module *m, uint64_t address, const uint8_t *code,
		size_t size, const char *place, bool from)
{
	uint8_t mark[MARK_BYTES] = { 0xbb, 0, 0, 0, 0, 0x64, 0x67, 0x90 };
	const uint8_t *at = code, *end = code + size;
	uint32_t number;

	if (!is_mark(place, &number))
		return 0;
	memcpy(&mark[1], &number, sizeof(number));
	while ((at = memmem(at, (size_t)(end - at), mark, sizeof(mark)))) {
		if (add(s, m, address + (uint64_t)(at - code), from) < 0)
			return -1;
		at += sizeof(mark);
	}
	return 0;
}

/* Searches a segment piece by piece. A file may be shorter than its segments, or become so. */
static int search(struct session *s, struct module *m, const struct segment *g, int fd)
{
	enum { PIECE = 1 << 20 };
	uint8_t *code = malloc(PIECE);
	int status = code ? 0 : output_memory(s->output);

	for (uint64_t at = 0; status == 0 && at < g->file_size;) {
		uint64_t left = g->file_size - at;
		ssize_t n = pread(fd, code, left < PIECE ? left : PIECE, (off_t)(g->offset + at));

		if (n < MARK_BYTES)
			break;
		status = find(s, m, g->vaddr + at, code, (size_t)n, s->options->from, true);
		if (status == 0)
			status = find(s, m, g->vaddr + at, code, (size_t)n, s->options->to, false);
		at += (uint64_t)n - (MARK_BYTES - 1); /* a mark may lie in two pieces */
	}
	free(code);
	return status;
}

int marks_resolve(struct session *s, struct module *m, int fd)
{
	uint32_t number;
	int status = 0;

	if (!is_mark(s->options->from, &number) && !is_mark(s->options->to, &number))
		return 0;
	for (unsigned i = 0; i < m->n_segments && status == 0; i++)
		if (m->segments[i].protection & PROT_EXEC && m->segments[i].file_size)
			status = search(s, m, &m->segments[i], fd);
	return status;
}
