/* SPDX-License-Identifier: MIT */
/*
 * Writes the sections of a trace one after the other, and builds those of the dictionary. Sections
 * that a trace has twice (FORMAT.md 3.4) are kept in memory, as they are stored, until the trace is
 * finished: they are much smaller than the recorded chunks.
 */
#include "traceformat/writer/writer.h"

#include <errno.h>
#include <sys/uio.h>

#include "traceformat/codings/vector_columns.h"
#include "traceformat/common/array.h"
#include "traceformat/common/error.h"

/* ---- copies ---------------------------------------------------------------------------------- */

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

/* Keeps a section that has been written, if its kind is copied. Returns false if memory is out. */
static bool copies_keep(struct tf_writer *w, const struct section *s, uint64_t hash,
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

/* ---- sections -------------------------------------------------------------------------------- */

static int write_all(struct tf_writer *w, struct iovec *parts, int count, struct tf_error *error)
{
	while (count) {
		ssize_t done = writev(w->fd, parts, count);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			fail_at(&w->failure, TF_E_IO, w->size, w->n_sections,
				"%s: cannot write at offset %llu: %s", w->name,
				(unsigned long long)w->size, strerror(errno));
			if (error)
				*error = w->failure;
			return TF_E_IO;
		}
		w->size += (uint64_t)done;
		while (count && (size_t)done >= parts->iov_len) {
			done -= (ssize_t)parts->iov_len;
			parts++;
			count--;
		}
		if (count) {
			parts->iov_base = (char *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	return 0;
}

int writer_bytes(struct tf_writer *w, const void *bytes, size_t size, struct tf_error *error)
{
	struct iovec part = { (void *)bytes, size };

	return write_all(w, &part, 1, error);
}

int writer_section(struct tf_writer *w, struct section *s, const uint8_t *payload, size_t size,
		   struct tf_error *error)
{
	static const uint8_t padding[8];
	uint8_t header[SECTION_HEADER_SIZE], entry[INDEX_ENTRY_SIZE];
	uint64_t hash = payload_hash(s->codec, payload, size);
	struct iovec parts[3] = {
		{ header, sizeof(header) },
		{ (void *)payload, size },
		{ (void *)padding, -size & 7 },
	};

	if (w->failure.status) {
		if (error)
			*error = w->failure;
		return w->failure.status;
	}
	s->offset = w->size;
	s->number = w->n_sections;
	s->stored = size;
	section_header_write(s, hash, header);
	index_entry_write(s, entry);
	put_bytes(&w->index, entry, sizeof(entry));
	if (w->index.failed || !copies_keep(w, s, hash, payload))
		return fail_memory(error);
	if (write_all(w, parts, 3, error) < 0)
		return TF_E_IO;
	w->n_sections++;
	return 0;
}

/*
 * Returns the zstd level of a section of the dictionary. Sections that a trace has twice are worth
 * more time: with level 2 instead of 1, traces of small programs are 5 % smaller, and recording
 * takes 0.5 % longer. Level 3 would take 1.5 % longer, and level 9, which saves 12 %, 8 %.
 */
static int level_of(const struct tf_writer *w, const struct section *s)
{
	return w->level == 1 && section_copied(s) ? 2 : w->level;
}

static bool is_partial(const void *writer, uint32_t exit)
{
	const struct tf_writer *w = writer;

	return ((const struct writer_exit *)fixed_vector_at(&w->exits, exit))->entry.outcome ==
	       TF_PARTIAL;
}

/* Makes columns of pending vectors. Returns false if memory is out. */
static bool pack_vectors(const struct tf_writer *w, struct pending *p)
{
	struct buffer columns = { 0 };
	bool packed = vector_columns_pack(span_of(p->bytes.data, p->bytes.size), p->count,
					  is_partial, w, &columns);

	buffer_free(&p->bytes);
	p->bytes = columns;
	return packed;
}

static int write_pending(struct tf_writer *w, struct pending *p, enum section_kind kind,
			 unsigned flags, struct tf_error *error)
{
	bool has_versions = kind == SECTION_VECTORS || kind == SECTION_INTERVALS;
	struct section s = { .kind = (uint16_t)kind,
			     .version = has_versions,
			     .flags = (uint8_t)flags,
			     .thread = TF_NONE,
			     .first = p->first,
			     .count = p->count,
			     .extra = p->extra };

	if (p->bytes.failed)
		return fail_memory(error);
	if (p->bytes.size == 0)
		return 0;
	if (kind == SECTION_VECTORS && !pack_vectors(w, p))
		return fail_memory(error);
	if (p->bytes.size > MAX_RAW_SIZE)
		return fail(error, TF_E_ARGUMENT, "%s: a %s record is too large", w->name,
			    tf_section_kind_name(s.kind));
	s.raw = p->bytes.size;
	w->packed.size = 0;
	if (kind != SECTION_META)
		s.codec = payload_encode(w->compressor, level_of(w, &s), p->bytes.data,
					 p->bytes.size, &w->packed);
	if (kind == SECTION_META || !dictionary_plausible(w->packed.size, p->bytes.size)) {
		s.codec = CODEC_STORED;
		w->packed.size = 0;
		put_bytes(&w->packed, p->bytes.data, p->bytes.size);
	}
	if (w->packed.failed)
		return fail_memory(error);
	return writer_section(w, &s, w->packed.data, w->packed.size, error);
}

int writer_dictionary(struct tf_writer *w, struct pending batch[N_PENDING], struct tf_error *error)
{
	static const struct {
		enum section_kind kind;
		unsigned flags;
	} order[] = {
		{ SECTION_META, SECTION_SAFE_TO_COPY },
		{ SECTION_MODULES, SECTION_CRITICAL },
		{ SECTION_SYMBOLS, 0 },
		{ SECTION_PROCESSES, SECTION_CRITICAL },
		{ SECTION_THREADS, SECTION_CRITICAL },
		{ SECTION_MAPPINGS, 0 },
		{ SECTION_FUNCTIONS, 0 },
		{ SECTION_REGIONS, 0 },
		{ SECTION_KINDS, SECTION_CRITICAL },
		{ SECTION_BLOCKS, SECTION_CRITICAL },
		{ SECTION_PATHS, SECTION_CRITICAL },
		{ SECTION_SCHEDULE, SECTION_CRITICAL },
		{ SECTION_SAMPLERS, 0 },
		{ SECTION_SAMPLES, 0 },
		{ SECTION_VECTORS, SECTION_CRITICAL },
		{ SECTION_INTERVALS, SECTION_CRITICAL },
	};
	int status = 0;

	for (size_t i = 0; status == 0 && i < sizeof(order) / sizeof(*order); i++)
		status = write_pending(w, &batch[order[i].kind], order[i].kind, order[i].flags,
				       error);
	for (unsigned i = 0; i < N_PENDING; i++)
		batch[i].bytes.size = 0;
	return status;
}

void writer_close_schedule(struct tf_writer *w)
{
	struct pending *p = &w->pending[SECTION_SCHEDULE];

	if (!w->scheduled)
		return;
	put_varint(&p->bytes, w->scheduled_thread);
	put_varint(&p->bytes, w->scheduled);
	p->count++;
	w->scheduled = 0;
}

void writer_take_pending(struct tf_writer *w, struct pending batch[N_PENDING])
{
	writer_close_schedule(w);
	for (unsigned i = 0; i < N_PENDING; i++) {
		struct pending *p = &w->pending[i], taken = *p;

		p->bytes = batch[i].bytes;
		p->bytes.size = 0;
		p->first += p->count;
		p->count = 0;
		batch[i] = taken;
	}
	w->last_pc = w->last_bias = 0;
	w->last_time = w->last_ip = 0;
	w->last_block = 0;
	w->pending[SECTION_PATHS].extra = w->exits.count;
}
