/* SPDX-License-Identifier: MIT */
/*
 * Makes a hostile trace of a good one, with right hashes, for test scripts:
 *	edit_trace IN OUT [EDIT]...
 *	drop:KIND[:N]			the n-th section of a kind, from 0, or all
 *	double:KIND:N			once more, at the end
 *	set:KIND:N:FIELD:VALUE		of its header: kind flags thread codec first count extra number
 *	varint:KIND:N:FROM:I:VALUE	the i-th varint behind byte FROM of its payload
 *	byte:KIND:N:AT:VALUE		a byte of its payload
 *	feature:BITS			compatible features, added
 *	open				no INDEX, no trailer
 */
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/loose_trace.h"

static int fail(const char *why, const char *what)
{
	fprintf(stderr, "edit_trace: %s: %s\n", what, why);
	exit(2);
}

static unsigned kind_of(const char *name)
{
	for (uint16_t kind = 1; kind < 64; kind++)
		if (!strcmp(tf_section_kind_name(kind), name))
			return kind;
	return (unsigned)strtoul(name, NULL, 0);
}

static void set_field(struct loose_section *s, const char *field, uint64_t value)
{
	struct section *h = &s->header;

	if (!strcmp(field, "kind"))
		h->kind = (uint16_t)value;
	else if (!strcmp(field, "flags"))
		h->flags = (uint8_t)value;
	else if (!strcmp(field, "thread"))
		h->thread = (uint32_t)value;
	else if (!strcmp(field, "codec"))
		h->codec = (uint32_t)value;
	else if (!strcmp(field, "first"))
		h->first = value;
	else if (!strcmp(field, "count"))
		h->count = value;
	else if (!strcmp(field, "extra"))
		h->extra = (uint32_t)value;
	else if (!strcmp(field, "number"))
		s->number_change = (uint32_t)value;
	else
		fail("no such field", field);
}

/* An edit of one section: what, KIND, N, and up to three more words. */
static void edit_section(struct loose_trace *t, const char *edit, char **w, unsigned n_words)
{
	int i = n_words > 2 ? loose_trace_find(t, kind_of(w[1]), (unsigned)atoi(w[2])) : -1;
	struct loose_section *s = i < 0 ? NULL : &t->sections[i];

	if (!s)
		fail("no such section", edit);
	if (!strcmp(w[0], "drop")) {
		loose_trace_drop(t, (unsigned)i);
	} else if (!strcmp(w[0], "double")) {
		loose_trace_double(t, (unsigned)i, t->n_sections);
	} else if (!strcmp(w[0], "set") && n_words == 5) {
		set_field(s, w[3], strtoull(w[4], NULL, 0));
	} else if (!strcmp(w[0], "varint") && n_words == 6) {
		if (!loose_part_set_varint(&s->parts[0], strtoull(w[3], NULL, 0), (unsigned)atoi(w[4]),
					   strtoull(w[5], NULL, 0)))
			fail("no such varint", edit);
	} else if (!strcmp(w[0], "byte") && n_words == 5 &&
		   strtoull(w[3], NULL, 0) < s->parts[0].bytes.size) {
		s->parts[0].bytes.data[strtoull(w[3], NULL, 0)] = (uint8_t)strtoul(w[4], NULL, 0);
	} else {
		fail("not an edit", edit);
	}
}

static void edit_trace(struct loose_trace *t, const char *edit)
{
	char copy[256], *words[6], *rest = copy;
	unsigned n = 0;
	int i;

	snprintf(copy, sizeof(copy), "%s", edit);
	while (n < 6 && (words[n] = strsep(&rest, ":")))
		n++;
	if (!strcmp(words[0], "open")) {
		t->finished = false;
	} else if (!strcmp(words[0], "feature") && n == 2) {
		put_le32(t->header + 28, get_le32(t->header + 28) | (uint32_t)atoi(words[1]));
	} else if (!strcmp(words[0], "drop") && n == 2) {
		while ((i = loose_trace_find(t, kind_of(words[1]), 0)) >= 0)
			loose_trace_drop(t, (unsigned)i);
	} else {
		edit_section(t, edit, words, n);
	}
}

static void read_file(const char *path, struct buffer *bytes)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!file)
		fail("cannot open", path);
	while (buffer_reserve(bytes, 1 << 16) && (n = fread(bytes->data + bytes->size, 1, 1 << 16, file)))
		bytes->size += n;
	fclose(file);
}

int main(int argc, char **argv)
{
	struct buffer in = { 0 }, out = { 0 };
	struct loose_trace t = { 0 };
	FILE *file;

	if (argc < 3)
		fail("IN OUT [EDIT]...", "usage");
	read_file(argv[1], &in);
	if (!loose_trace_take(&t, in.data, in.size, MAX_RAW_SIZE))
		fail("not a trace", argv[1]);
	for (int i = 3; i < argc; i++)
		edit_trace(&t, argv[i]);
	loose_trace_put(&t, &out);
	file = fopen(argv[2], "wb");
	if (!file || fwrite(out.data, 1, out.size, file) != out.size || fclose(file))
		fail("cannot write", argv[2]);
	loose_trace_free(&t);
	buffer_free(&in);
	buffer_free(&out);
	return 0;
}
