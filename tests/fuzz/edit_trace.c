/* SPDX-License-Identifier: MIT */
/*
 * Makes a hostile trace with right hashes from a good one, for test scripts:
 *	edit_trace IN OUT [EDIT]...
 *	drop:KIND[:N]			the n-th section of a kind, from 0, or all
 *	double:KIND:N			once more, at the end
 *	set:KIND:N:FIELD:VALUE		of its header: kind flags thread codec first count extra number
 *	varint:KIND:N:FROM:I:VALUE	the i-th varint behind byte FROM of its payload
 *	byte:KIND:N:AT:VALUE		a byte of its payload
 *	string:KIND:OLD:NEW		the strings OLD of the first section of a kind become NEW
 *	add:KIND:FILE			a section of the bytes of a file, before the last one
 *	feature:BITS			compatible features, added
 *	open				no INDEX, no trailer
 */
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/loose_trace.h"
#include "tests/fuzz/trace_fields.h"

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

/* Does an edit of one section. Its words are the edit's name, KIND, N, and up to three more. */
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
		if (!loose_part_set_varint(&s->parts[0], strtoull(w[3], NULL, 0),
					   (unsigned)atoi(w[4]), strtoull(w[5], NULL, 0)))
			fail("no such varint", edit);
	} else if (!strcmp(w[0], "byte") && n_words == 5 &&
		   strtoull(w[3], NULL, 0) < s->parts[0].bytes.size) {
		s->parts[0].bytes.data[strtoull(w[3], NULL, 0)] = (uint8_t)strtoul(w[4], NULL, 0);
	} else {
		fail("not an edit", edit);
	}
}

static void read_file(const char *path, struct buffer *bytes)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!file)
		fail("cannot open", path);
	while (buffer_reserve(bytes, 1 << 16) &&
	       (n = fread(bytes->data + bytes->size, 1, 1 << 16, file)))
		bytes->size += n;
	fclose(file);
}

/* Returns the field of a part that holds the string; NULL if there is none. */
static const struct field *find_string(const struct fields *fields, const struct loose_part *p,
				       const char *text)
{
	for (size_t i = 1; i < fields->count; i++) {
		const struct field *f = &fields->at[i];

		if (f->type == FIELD_STRING && f->size == strlen(text) &&
		    !memcmp(p->bytes.data + f->at, text, f->size))
			return f;
	}
	return NULL;
}

static bool replace_string(const struct loose_section *s, struct loose_part *p, const char *old,
			   const char *new)
{
	struct fields fields = { 0 };
	struct buffer changed = { 0 };
	const struct field *f;

	fields_find(&fields, s, p);
	f = find_string(&fields, p, old);
	if (f) {
		put_bytes(&changed, p->bytes.data, f[-1].at);
		put_string(&changed, new);
		put_bytes(&changed, p->bytes.data + f->at + f->size,
			  p->bytes.size - f->at - f->size);
		buffer_free(&p->bytes);
		p->bytes = changed;
	}
	fields_free(&fields);
	return f;
}

static void edit_strings(struct loose_trace *t, const char *edit, char **w)
{
	int i = loose_trace_find(t, kind_of(w[1]), 0);
	bool any = false;

	while (i >= 0 && strcmp(w[2], w[3]) &&
	       replace_string(&t->sections[i], &t->sections[i].parts[0], w[2], w[3]))
		any = true;
	if (!any)
		fail("no such string", edit);
}

static void edit_trace(struct loose_trace *t, const char *edit)
{
	char copy[4096], *words[6], *rest = copy;
	unsigned n = 0;
	int i;

	snprintf(copy, sizeof(copy), "%s", edit);
	while (n < 6 && (words[n] = strsep(&rest, ":")))
		n++;
	if (!strcmp(words[0], "open")) {
		t->finished = false;
	} else if (!strcmp(words[0], "feature") && n == 2) {
		put_le32(t->header + 28, get_le32(t->header + 28) | (uint32_t)atoi(words[1]));
	} else if (!strcmp(words[0], "string") && n == 4) {
		edit_strings(t, edit, words);
	} else if (!strcmp(words[0], "add") && n == 3) {
		struct loose_section *s = loose_trace_add(t, kind_of(words[1]), 0);

		read_file(words[2], &s->parts[0].bytes);
		loose_trace_swap(t, t->n_sections - 1, t->n_sections - 2);
	} else if (!strcmp(words[0], "drop") && n == 2) {
		while ((i = loose_trace_find(t, kind_of(words[1]), 0)) >= 0)
			loose_trace_drop(t, (unsigned)i);
	} else {
		edit_section(t, edit, words, n);
	}
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
