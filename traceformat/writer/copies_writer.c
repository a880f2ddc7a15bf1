/* SPDX-License-Identifier: MIT */
#include "traceformat/writer/copies_writer.h"

#include "traceformat/common/array.h"
#include "traceformat/common/error.h"

/*
 * The size below which the payload of a COPIES section is kept, unless a copied section is larger
 * itself.
 */
enum { ENOUGH = 4 << 20 };

struct copies {
	ARRAY(struct copied {
		struct buffer payload;
		uint64_t count;
	})
	sections;
};

/* Returns the COPIES section that takes `size` more bytes; NULL if memory is out. */
static struct copied *section_for(struct tf_writer *w, size_t size)
{
	struct copies *c = w->copies;
	struct copied *last;

	if (!c)
		c = w->copies = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	last = c->sections.count ? &c->sections.at[c->sections.count - 1] : NULL;
	if (last && last->payload.size + size <= ENOUGH)
		return last;
	if (!RESERVE(c->sections, c->sections.count + 1))
		return NULL;
	last = &c->sections.at[c->sections.count++];
	put_bytes(&last->payload, w->header, sizeof(w->header));
	return last;
}

static void put_copy(struct copied *to, const struct section *s, uint64_t hash,
		     const uint8_t *payload)
{
	uint8_t head[COPY_HEAD_SIZE];

	index_entry_write(s, head);
	put_le64(head + INDEX_ENTRY_SIZE, hash);
	put_bytes(&to->payload, head, sizeof(head));
	put_bytes(&to->payload, payload, s->stored);
	to->count++;
}

bool copies_keep(struct tf_writer *w, const struct section *s, uint64_t hash,
		 const uint8_t *payload)
{
	struct copied *to;

	if (!section_copied(s) || s->kind == SECTION_END || section_known(s) != 1 ||
	    s->stored > MAX_RAW_SIZE / 2)
		return true;
	to = section_for(w, s->stored);
	if (to)
		put_copy(to, s, hash, payload);
	return to && !to->payload.failed;
}

static struct section section_of(const struct copied *copied)
{
	return (struct section){
		.kind = SECTION_COPIES,
		.thread = TF_NONE,
		.count = copied->count,
		.stored = copied->payload.size,
		.raw = copied->payload.size,
	};
}

static int write_copied(struct tf_writer *w, const struct copied *copied, struct tf_error *error)
{
	struct section s = section_of(copied);

	if (copied->payload.failed)
		return fail_memory(error);
	return writer_section(w, &s, copied->payload.data, copied->payload.size, error);
}

/* Computes where END will stand after the copies, its own copy included. */
static void place_end(const struct tf_writer *w, const struct copied *own, struct section *end)
{
	struct section s = section_of(own);

	end->number = w->n_sections + 1;
	s.stored = FILE_HEADER_SIZE + COPY_HEAD_SIZE + end->stored;
	end->offset = w->size + section_span(&s);
	for (size_t i = 0; w->copies && i < w->copies->sections.count; i++) {
		s = section_of(&w->copies->sections.at[i]);
		end->number++;
		end->offset += section_span(&s);
	}
}

uint64_t copies_size(const struct tf_writer *w)
{
	uint64_t size = 0;

	for (size_t i = 0; w->copies && i < w->copies->sections.count; i++) {
		struct section s = section_of(&w->copies->sections.at[i]);

		size += section_span(&s);
	}
	return size;
}

/* Writes END's copy first, so that damage that hits both leaves everything else whole. */
int copies_write_end(struct tf_writer *w, struct section *end, const uint8_t *payload, size_t size,
		     struct tf_error *error)
{
	struct copied own = { { 0 }, 0 };
	int status;

	end->stored = size;
	place_end(w, &own, end);
	put_bytes(&own.payload, w->header, sizeof(w->header));
	put_copy(&own, end, payload_hash(end->codec, payload, size), payload);
	status = write_copied(w, &own, error);
	for (size_t i = 0; status == 0 && w->copies && i < w->copies->sections.count; i++)
		status = write_copied(w, &w->copies->sections.at[i], error);
	buffer_free(&own.payload);
	return status < 0 ? status : writer_section(w, end, payload, size, error);
}

void copies_free(struct tf_writer *w)
{
	for (size_t i = 0; w->copies && i < w->copies->sections.count; i++)
		buffer_free(&w->copies->sections.at[i].payload);
	if (w->copies)
		free(w->copies->sections.at);
	free(w->copies);
}
