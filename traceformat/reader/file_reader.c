/* SPDX-License-Identifier: MIT */
/*
 * Opens a trace: by its INDEX if it is finished, else by walking from section header to section
 * header, each proved by its hash. After an invalid header the reader searches for the next sync
 * word and records the gap.
 */
#include "traceformat/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "traceformat/common/error.h"
#include "traceformat/common/foreign.h"
#include "traceformat/reader/copies.h"

/*
 * Refuses a file that does not begin as a trace does; the error names the file's kind if it is
 * known.
 */
static int refuse_foreign(const struct tf_reader *r, const uint8_t *bytes, size_t size,
			  struct tf_error *error)
{
	const char *text = foreign_text(bytes, size);

	return text ? fail(error, TF_E_FOREIGN, "%s: is not a trace, but %s", r->name, text)
		    : fail(error, TF_E_FOREIGN, "%s: is not a trace (wrong magic number)", r->name);
}

/* Reads and proves the file header, FILE_HEADER_SIZE bytes. */
static int get_file_header(struct tf_reader *r, uint8_t *h, struct tf_error *error)
{
	int64_t n = reader_read_at(r, h, FILE_HEADER_SIZE, 0, error);

	if (n < 0)
		return TF_E_IO;
	if (n == 0)
		return fail(error, TF_E_TRUNCATED, "%s: is empty, not a trace", r->name);
	if (memcmp(h, FILE_MAGIC, n < 8 ? (size_t)n : 8))
		return refuse_foreign(r, h, (size_t)n, error);
	if (n < FILE_HEADER_SIZE)
		return fail(error, TF_E_TRUNCATED, "%s: ends inside the file header", r->name);
	if (get_le64(h + 56) != XXH3_64bits(h, 56))
		return fail(error, TF_E_DAMAGED, "%s: the file header's checksum does not hold",
			    r->name);
	return 0;
}

static int read_file_header(struct tf_reader *r, struct tf_error *error)
{
	uint8_t h[FILE_HEADER_SIZE];
	int status = get_file_header(r, h, error);

	if ((status == TF_E_DAMAGED || status == TF_E_FOREIGN) && copies_file_header(r, h) &&
	    !memcmp(h, FILE_MAGIC, 8) && get_le64(h + 56) == XXH3_64bits(h, 56)) {
		r->header_restored = true;
		status = 0;
	}
	if (status < 0)
		return status;
	r->major = get_le16(h + 8);
	r->minor = get_le16(h + 10);
	if (get_le16(h + 12) > TF_FORMAT_MAJOR ||
	    (get_le16(h + 12) == TF_FORMAT_MAJOR && get_le16(h + 14) > TF_FORMAT_MINOR))
		return fail(error, TF_E_VERSION,
			    "%s: needs a reader of format %u.%u, this one knows %u.%u; get a newer "
			    "one",
			    r->name, get_le16(h + 12), get_le16(h + 14), TF_FORMAT_MAJOR,
			    TF_FORMAT_MINOR);
	if (get_le32(h + 24) & ~(uint32_t)KNOWN_INCOMPAT)
		return fail(error, TF_E_VERSION,
			    "%s: uses features 0x%x that this reader does not know; get a newer "
			    "one",
			    r->name, get_le32(h + 24) & ~(uint32_t)KNOWN_INCOMPAT);
	if (get_le32(h + 16) != FILE_HEADER_SIZE || get_le32(h + 20) != BYTE_ORDER_MARK)
		return fail(error, TF_E_DAMAGED, "%s: the file header breaks the format's rules",
			    r->name);
	r->incompat = get_le32(h + 24);
	r->compat = get_le32(h + 28);
	memcpy(r->uuid, h + 32, 16);
	r->created_ns = get_le64(h + 48);
	r->walked_to = FILE_HEADER_SIZE;
	return 0;
}

/* Adds the i-th section to its thread's chunks if it is a chunk. */
static bool list_chunk(struct tf_reader *r, size_t i)
{
	const struct section *s = &r->sections.at[i];
	struct thread_chunks *chunks;

	if (!is_chunk(s))
		return true;
	if (!RESERVE(r->chunks, s->thread + 1))
		return false;
	if (r->chunks.count <= s->thread)
		r->chunks.count = s->thread + 1;
	chunks = &r->chunks.at[s->thread];
	if (!RESERVE(chunks->sections, chunks->sections.count + 1))
		return false;
	chunks->sections.at[chunks->sections.count++] = (uint32_t)i;
	return true;
}

static bool add_section(struct tf_reader *r, const struct section *s)
{
	if (!RESERVE(r->sections, r->sections.count + 1))
		return false;
	r->sections.at[r->sections.count++] = *s;
	return list_chunk(r, r->sections.count - 1);
}

bool reader_list_chunks(struct tf_reader *r)
{
	bool listed = true;

	for (size_t t = 0; t < r->chunks.count; t++)
		r->chunks.at[t].sections.count = 0;
	for (size_t i = 0; i < r->sections.count && listed; i++)
		listed = list_chunk(r, i);
	return listed;
}

bool reader_index(struct tf_reader *r, uint8_t *t, struct section *index, struct buffer *entries)
{
	uint8_t header[SECTION_HEADER_SIZE];
	uint64_t hash;

	if (r->file_size < FILE_HEADER_SIZE + SECTION_HEADER_SIZE + TRAILER_SIZE ||
	    reader_bytes(r, r->file_size - TRAILER_SIZE, t, TRAILER_SIZE, NULL) < 0)
		return false;
	*index = (struct section){ .offset = get_le64(t) };
	return !memcmp(t + 24, TRAILER_MAGIC, 8) && get_le64(t + 8) == r->file_size &&
	       index->offset >= FILE_HEADER_SIZE &&
	       index->offset <= r->file_size - SECTION_HEADER_SIZE - TRAILER_SIZE &&
	       reader_bytes(r, index->offset, header, sizeof(header), NULL) == 0 &&
	       section_header_read(header, index, &hash) && index->kind == SECTION_INDEX &&
	       index->stored < r->file_size && index->raw < r->file_size &&
	       index->offset + section_span(index) + TRAILER_SIZE == r->file_size &&
	       reader_payload(r, index, entries, NULL) == 0;
}

/*
 * Reads the INDEX that a valid trailer points to. Returns 1, or 0 if there is none or it is
 * damaged.
 */
static int read_index(struct tf_reader *r, struct tf_error *error)
{
	uint8_t t[TRAILER_SIZE], hashed[32];
	struct section index, s = { 0 };
	struct buffer raw = { 0 };
	uint64_t end = FILE_HEADER_SIZE;
	bool good = reader_index(r, t, &index, &raw);

	if (good) {
		memcpy(hashed, t, 16);
		memcpy(hashed + 16, r->uuid, 16);
		good = get_le64(t + 16) == XXH3_64bits(hashed, 32);
	}
	good = good && raw.size % INDEX_ENTRY_SIZE == 0;
	for (size_t i = 0; good && i < raw.size; i += INDEX_ENTRY_SIZE) {
		index_entry_read(raw.data + i, &s);
		good = s.offset == end && s.stored < r->file_size &&
		       section_span(&s) <= index.offset - end && s.number == i / INDEX_ENTRY_SIZE;
		end += section_span(&s);
	}
	if (!good || end != index.offset || s.kind != SECTION_END) {
		buffer_free(&raw);
		return 0;
	}
	r->sections.count = 0;
	r->sought_copies = r->copies.count;
	for (size_t i = 0; i < r->chunks.count; i++)
		r->chunks.at[i].sections.count = 0;
	for (size_t i = 0; i < raw.size; i += INDEX_ENTRY_SIZE) {
		index_entry_read(raw.data + i, &s);
		if (!add_section(r, &s)) {
			buffer_free(&raw);
			return fail_memory(error);
		}
	}
	buffer_free(&raw);
	r->walked_to = r->file_size;
	r->finished = true;
	return 1;
}

/* Returns the offset of the next valid section header at or after `from`, or file_size. */
static uint64_t find_section(struct tf_reader *r, uint64_t from)
{
	enum { STEP = 1 << 16 };
	static const char sync[] = SECTION_SYNC;
	uint8_t *window = malloc(STEP + SECTION_HEADER_SIZE);
	struct section s;
	uint64_t hash, found = r->file_size;

	from = (from + 7) & ~UINT64_C(7);
	while (window && from + SECTION_HEADER_SIZE <= r->file_size && found == r->file_size) {
		uint64_t left = r->file_size - from;
		size_t size = left < STEP + SECTION_HEADER_SIZE ? (size_t)left
								: STEP + SECTION_HEADER_SIZE;

		if (reader_bytes(r, from, window, size, NULL) < 0)
			break;
		for (size_t i = 0; i + SECTION_HEADER_SIZE <= size && i < STEP; i += 8)
			if (!memcmp(window + i, sync, 8) &&
			    section_header_read(window + i, &s, &hash)) {
				found = from + i;
				break;
			}
		from += STEP;
	}
	free(window);
	return found;
}

/* Returns true if the section stands after later ones, or twice, which is an accident. */
static bool is_stale(const struct tf_reader *r, const struct section *s)
{
	return r->sections.count && s->number <= r->sections.at[r->sections.count - 1].number;
}

/* Walks the sections after walked_to. */
static int walk(struct tf_reader *r, struct tf_error *error)
{
	while (r->walked_to + SECTION_HEADER_SIZE <= r->file_size) {
		uint8_t header[SECTION_HEADER_SIZE];
		struct section s = { .offset = r->walked_to };
		uint64_t hash, next;
		int status = reader_bytes(r, s.offset, header, sizeof(header), error);

		if (status < 0)
			return status;
		if (!section_header_read(header, &s, &hash)) {
			next = find_section(r, s.offset + 8);
			if (next == r->file_size)
				break;
			r->bytes_lost += next - r->walked_to;
			r->walked_to = next;
			continue;
		}
		if (s.stored > r->file_size || section_span(&s) > r->file_size - s.offset)
			break;
		r->walked_to += section_span(&s);
		if (s.kind == SECTION_INDEX)
			continue;
		if (is_stale(r, &s)) {
			r->bytes_lost += section_span(&s);
			continue;
		}
		if (!add_section(r, &s))
			return fail_memory(error);
	}
	return 0;
}

static int measure(struct tf_reader *r, struct tf_error *error)
{
	struct stat st;

	if (r->source.read_at) {
		r->file_size = r->source.size;
		return 0;
	}
	if (fstat(r->fd, &st) < 0)
		return fail(error, TF_E_IO, "%s: %s", r->name, strerror(errno));
	r->file_size = (uint64_t)st.st_size;
	return 0;
}

static int read_sections(struct tf_reader *r, struct tf_error *error)
{
	size_t before = r->sections.count;
	int status = measure(r, error);

	if (status == 0 && r->bytes_lost == 0)
		status = read_index(r, error);
	if (status == 0)
		status = walk(r, error);
	if (status == 0 && !r->finished && !before && reader_missing(r))
		status = copies_insert_missing(r, error);
	if (status < 0)
		return status;
	return (int)(r->sections.count - before);
}

int tf_refresh(struct tf_reader *r, struct tf_error *error)
{
	int status;

	if (r->finished)
		return 0;
	status = read_sections(r, error);
	if (status > 0 && r->loaded) {
		int loaded = tf_load(r, error);

		if (loaded < 0)
			return loaded;
	}
	return status;
}

uint64_t reader_tail(const struct tf_reader *r)
{
	return r->file_size - (r->walked_to < r->file_size ? r->walked_to : r->file_size);
}

/* Opens a trace on a file, or, with fd -1, on a source. */
static int open_bytes(int fd, const struct tf_source *source, const char *name,
		      struct tf_reader **reader, struct tf_error *error)
{
	struct tf_reader *r = calloc(1, sizeof(*r));
	int status;

	if (!r || !(r->name = strdup(name))) {
		free(r);
		return fail_memory(error);
	}
	pthread_mutex_init(&r->lock, NULL);
	r->fd = fd;
	r->source = *source;
	status = measure(r, error);
	if (status == 0)
		status = read_file_header(r, error);
	if (status == 0)
		status = read_sections(r, error);
	if (status < 0) {
		r->source.close = NULL; /* the caller's, as the file is */
		tf_close(r);
		return status;
	}
	*reader = r;
	return 0;
}

int tf_open_fd(int fd, const char *name, struct tf_reader **reader, struct tf_error *error)
{
	return open_bytes(fd, &(const struct tf_source){ 0 }, name, reader, error);
}

int tf_open_source(const struct tf_source *source, const char *name, struct tf_reader **reader,
		   struct tf_error *error)
{
	int status = open_bytes(-1, source, name, reader, error);

	if (status < 0 && source->close)
		source->close(source->opaque);
	return status;
}

/* Returns true if the bytes copied so far begin as a trace does. */
static bool spooled_trace(int fd)
{
	char magic[8];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, FILE_MAGIC, sizeof(magic));
}

/* Copies standard input into an anonymous file, since a reader seeks. */
static int spool_stdin(struct tf_error *error)
{
	enum { STEP = 1 << 20 };
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char *bytes = malloc(STEP);
	size_t size = 0;
	ssize_t n = -1;

	/* If standard input was closed, the new file may have got its descriptor. */
	if (fd == STDIN_FILENO)
		errno = EBADF;
	if (fd < 0 || fd == STDIN_FILENO || !bytes)
		goto out;
	while ((n = read(STDIN_FILENO, bytes, STEP)) > 0 || (n < 0 && errno == EINTR)) {
		for (ssize_t done = 0, m; done < n; done += m, size += (size_t)m) {
			m = write(fd, bytes + done, (size_t)(n - done));
			if (m < 0) {
				n = -1;
				goto out;
			}
		}
		if (size >= FOREIGN_BYTES && !spooled_trace(fd))
			break; /* the input may be endless, and its beginning identifies it */
	}
out:
	if (n < 0) {
		fail(error, TF_E_IO, "standard input: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	free(bytes);
	return fd;
}

static bool ends_as_a_trace(int fd)
{
	uint8_t t[TRAILER_SIZE];
	off_t size = lseek(fd, 0, SEEK_END);

	return size >= FILE_HEADER_SIZE + TRAILER_SIZE &&
	       pread(fd, t, sizeof(t), size - TRAILER_SIZE) == sizeof(t) &&
	       !memcmp(t + 24, TRAILER_MAGIC, 8) && get_le64(t + 8) == (uint64_t)size;
}

enum tf_file_kind tf_file_kind(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum tf_file_kind kind = TF_FILE_OTHER;
	uint8_t magic[8];

	if (fd < 0)
		return kind;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    !memcmp(magic, FILE_MAGIC, sizeof(magic)))
		kind = ends_as_a_trace(fd) ? TF_FILE_FINISHED : TF_FILE_UNFINISHED;
	close(fd);
	return kind;
}

int tf_open(const char *path, struct tf_reader **reader, struct tf_error *error)
{
	bool from_stdin = !strcmp(path, "-");
	struct stat st;
	int fd, status;

	if (from_stdin) {
		fd = spool_stdin(error);
		if (fd < 0)
			return TF_E_IO;
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return fail(error, TF_E_IO, "%s: %s", *path ? path : "''", strerror(errno));
		if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
			close(fd);
			return fail(error, TF_E_IO,
				    S_ISDIR(st.st_mode)
					    ? "%s: is a folder, not a regular file"
					    : "%s: is not a regular file; read a pipe as \"-\"",
				    path);
		}
	}
	status = tf_open_fd(fd, from_stdin ? "standard input" : path, reader, error);
	if (status < 0)
		close(fd);
	else
		(*reader)->owns_fd = true;
	return status;
}

void tf_close(struct tf_reader *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < SPARE_LANES; i++)
		if (r->spare_lanes[i])
			r->free_lane(r->spare_lanes[i]);
	reader_forget_dictionary(r);
	for (size_t i = 0; i < r->chunks.count; i++)
		free(r->chunks.at[i].sections.at);
	free(r->chunks.at);
	for (size_t i = 0; i < r->meta.count; i++) {
		free(r->meta.at[i].key);
		free(r->meta.at[i].value);
	}
	free(r->meta.at);
	free(r->copies.at);
	free(r->end.threads.at);
	free(r->sections.at);
	if (r->owns_fd)
		close(r->fd);
	if (r->source.close)
		r->source.close(r->source.opaque);
	pthread_mutex_destroy(&r->lock);
	free(r->name);
	free(r);
}
