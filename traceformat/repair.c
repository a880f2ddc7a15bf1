/* SPDX-License-Identifier: MIT */
/* Making a finished trace from what is left of one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "error.h"
#include "lane.h"
#include "writer.h"

struct repair {
	struct tf_reader *r;
	struct tf_writer *w;
	size_t *next_chunk;	/* by thread: chunks seen so far */
	int left_out;
};

/* Copies the stored payload under a new number. */
static int copy_section(struct repair *p, const struct section *s, struct tf_error *error)
{
	struct section copy = *s;
	uint8_t *payload = malloc(s->stored + 1);
	int status;

	if (!payload)
		return fail_memory(error);
	status = reader_bytes(p->r, s->offset + SECTION_HEADER_SIZE, payload, s->stored, error);
	if (status == 0)
		status = writer_section(p->w, &copy, payload, s->stored, error);
	free(payload);
	return status;
}

/* Counts the thread's totals anew; 0 if the chunk is usable. */
static int take_chunk(struct repair *p, const struct section *s)
{
	struct tf_totals counted;
	struct chunk head = { 0 };
	size_t k = p->next_chunk[s->thread]++;
	int status = chunk_check(p->r, s->thread, k, &counted, NULL);

	if (status == 0)
		status = chunk_read(p->r, s, 0, &head, NULL);
	if (status == 0) {
		struct writer_thread *t = fixed_vector_at(&p->w->threads, s->thread);

		totals_add(&t->totals, &head.totals);
	}
	chunk_free(&head);
	return status;
}

static bool usable(struct repair *p, const struct section *s)
{
	struct buffer raw = { 0 };
	int known = section_known(s);
	bool good;

	if (s->kind == SECTION_CHUNK && known > 0)
		return s->thread < p->w->threads.count && take_chunk(p, s) == 0;
	if (known <= 0 && !(s->flags & SECTION_SAFE_TO_COPY))
		return false;
	good = reader_payload(p->r, s, &raw, NULL) == 0;
	buffer_free(&raw);
	return good;
}

static int copy_sections(struct repair *p, struct tf_error *error)
{
	for (size_t i = 0; i < p->r->sections.count; i++) {
		const struct section *s = &p->r->sections.at[i];
		int status;

		if (s->kind == SECTION_END)
			continue;
		if (!usable(p, s)) {
			p->left_out++;
			continue;
		}
		status = copy_section(p, s, error);
		if (status < 0)
			return status;
	}
	return 0;
}

static int add_threads(struct repair *p, struct tf_error *error)
{
	for (size_t i = 0; i < p->r->threads.count; i++) {
		if (!fixed_vector_next(&p->w->threads))
			return fail_memory(error);
		p->w->threads.count++;
	}
	p->next_chunk = calloc(p->r->chunks.count + 1, sizeof(*p->next_chunk));
	return p->next_chunk ? 0 : fail_memory(error);
}

static void note_origin(struct repair *p)
{
	char uuid[40];

	for (unsigned i = 0; i < 16; i++)
		snprintf(uuid + 2 * i, 3, "%02x", p->r->uuid[i]);
	tf_writer_meta(p->w, "repaired-from", uuid, NULL);
}

static int finish(struct repair *p, struct tf_error *error)
{
	struct tf_info info;

	if (p->r->finished && tf_get_info(p->r, &info, NULL) == 0)
		return tf_writer_finish(p->w, info.wait_status, info.stop_reason, error);
	return tf_writer_finish(p->w, -1, "unfinished", error);
}

int tf_repair(struct tf_reader *r, const char *to, struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = r->created_ns ? r->created_ns : UINT64_MAX,
	};
	struct repair p = { .r = r };
	int status = tf_load(r, error), fd;

	if (status < 0)
		return status;
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(error, TF_E_IO, "%s: cannot create: %s", to, strerror(errno));
	status = writer_open(fd, to, &options, r->compat | COMPAT_REPAIRED, &p.w, error);
	if (status < 0)
		goto out;
	status = add_threads(&p, error);
	if (status == 0)
		status = copy_sections(&p, error);
	if (status == 0) {
		note_origin(&p);
		status = finish(&p, error);
	}
	p.left_out += (int)reader_missing(r) + (reader_tail(r) != 0);
out:
	tf_writer_free(p.w);
	free(p.next_chunk);
	close(fd);
	return status < 0 ? status : p.left_out;
}
