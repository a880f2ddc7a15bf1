/* SPDX-License-Identifier: MIT */
#include "traceformat/codings/vector_columns.h"

#include "traceformat/common/array.h"
#include "traceformat/traceformat.h"

/* ---- packing ----------------------------------------------------------------------------- */

/* A count. */
struct entry {
	uint64_t times;
	uint32_t exit, executed; /* 0: the exit is not partial */
	uint32_t row;            /* number of the record */
};

struct entries {
	ARRAY(struct entry);
};

/* Takes the counts of a record. Returns false if memory is out. */
static bool take_entries(struct span *record, uint32_t row, exit_is_partial *is_partial,
			 const void *context, struct entries *entries)
{
	uint64_t n = take_varint(record);
	uint32_t exit = 0;

	if (!RESERVE(*entries, entries->count + n))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		struct entry *e = &entries->at[entries->count++];

		exit += (uint32_t)take_varint(record);
		*e = (struct entry){ .exit = exit, .row = row, .times = take_varint(record) };
		if (is_partial(context, exit))
			e->executed = (uint32_t)take_varint(record);
	}
	return true;
}

/* Takes all records, whose heads go to *heads. Returns false if memory is out. */
static bool take_records(struct span in, uint64_t n, exit_is_partial *is_partial,
			 const void *context, struct entries *entries, struct buffer *heads)
{
	uint64_t last = 0;

	for (uint32_t row = 0; row < n; row++) {
		uint64_t size = take_varint(&in);
		struct span record = span_of(take_bytes(&in, size), size);
		uint64_t interval = take_varint(&record);

		put_varint(heads, interval - last);
		put_varint(heads, take_varint(&record)); /* thread */
		put_varint(heads, take_varint(&record)); /* instructions */
		if (!take_entries(&record, row, is_partial, context, entries))
			return false;
		last = interval;
	}
	return !heads->failed;
}

static uint32_t key_of(const struct entry *e, bool by_exit)
{
	return by_exit ? e->exit : e->executed;
}

/* Sorts by a key, and keeps the order of equal keys. Returns false if memory is out. */
static bool sort(struct entries *entries, bool by_exit)
{
	struct entry *sorted = calloc(entries->count + 1, sizeof(*sorted));
	uint32_t greatest = 0;
	size_t *place, sum = 0;

	for (size_t i = 0; i < entries->count; i++)
		if (greatest < key_of(&entries->at[i], by_exit))
			greatest = key_of(&entries->at[i], by_exit);
	place = calloc(greatest + 1ul, sizeof(*place));
	if (!sorted || !place) {
		free(sorted);
		free(place);
		return false;
	}
	for (size_t i = 0; i < entries->count; i++)
		place[key_of(&entries->at[i], by_exit)]++;
	for (size_t key = 0; key <= greatest; key++) {
		size_t n = place[key];

		place[key] = sum;
		sum += n;
	}
	for (size_t i = 0; i < entries->count; i++)
		sorted[place[key_of(&entries->at[i], by_exit)]++] = entries->at[i];
	free(entries->at);
	entries->at = sorted;
	entries->capacity = entries->count + 1;
	free(place);
	return true;
}

/* Returns the end of the column that begins at entry i. */
static size_t column_end(const struct entries *entries, size_t i)
{
	const struct entry *first = &entries->at[i];

	while (i < entries->count && entries->at[i].exit == first->exit &&
	       entries->at[i].executed == first->executed)
		i++;
	return i;
}

static void put_names(struct buffer *out, const struct entries *entries)
{
	uint64_t n = 0;
	uint32_t last = 0;

	for (size_t i = 0; i < entries->count; i = column_end(entries, i))
		n++;
	put_varint(out, n);
	for (size_t i = 0; i < entries->count; i = column_end(entries, i)) {
		put_varint(out, entries->at[i].exit - last);
		last = entries->at[i].exit;
	}
	for (size_t i = 0; i < entries->count; i = column_end(entries, i))
		put_varint(out, entries->at[i].executed);
}

static void put_absences(struct buffer *out, uint64_t n)
{
	if (!n)
		return;
	put_varint(out, 0);
	put_varint(out, n - 1);
}

static void put_column(struct buffer *out, const struct entry *at, const struct entry *end,
		       uint64_t n)
{
	uint64_t next = 0;

	for (; at < end; at++) {
		put_absences(out, at->row - next);
		put_varint(out, at->times);
		next = at->row + 1ul;
	}
	put_absences(out, n - next);
}

bool vector_columns_pack(struct span records, uint64_t n, exit_is_partial *is_partial,
			 const void *context, struct buffer *columns)
{
	struct entries entries = { 0 };
	struct buffer heads = { 0 };
	bool good = take_records(records, n, is_partial, context, &entries, &heads) &&
		    sort(&entries, false) && sort(&entries, true);

	if (good) {
		put_names(columns, &entries);
		put_bytes(columns, heads.data, heads.size);
	}
	for (size_t i = 0, next; good && i < entries.count; i = next) {
		next = column_end(&entries, i);
		put_column(columns, &entries.at[i], &entries.at[next], n);
	}
	free(entries.at);
	buffer_free(&heads);
	return good && !columns->failed;
}

/* ---- unpacking --------------------------------------------------------------------------- */

/* A record that is being made. There are many, which should all be in a cache. */
struct row {
	uint32_t counts;
	uint32_t exit; /* of the count before */
	union {
		uint64_t size; /* of its counts, in bytes, while they are measured */
		uint8_t *at;   /* where its next count is written */
	};
};

struct columns {
	struct span exits, executed, heads, counts; /* the parts of the bytes */
	uint64_t n_columns, n_rows;
	struct row *rows;
	uint64_t size; /* of all counts so far, in bytes */
};

enum purpose { MEASURE, WRITE };

static unsigned varint_size(uint64_t v)
{
	return (unsigned)(70 - __builtin_clzll(v | 1)) / 7;
}

/* Passes over n varints and returns a span over them. */
static struct span pass(struct span *in, uint64_t n)
{
	struct span from = *in;

	for (uint64_t i = 0; i < n && !in->bad; i++)
		take_varint(in);
	from.end = in->at;
	return from;
}

/* Takes a varint that mostly has one byte and must not exceed max. */
FORCE_INLINE uint64_t take_small(struct span *s, uint64_t max)
{
	uint64_t v = s->at < s->end && *s->at < 0x80 ? *s->at++ : take_varint(s);

	s->bad |= v > max;
	return v;
}

/* Measures or writes a count. Returns its size in bytes if it was measured. */
FORCE_INLINE unsigned use_count(enum purpose purpose, struct row *row, uint32_t exit,
				uint32_t executed, uint64_t times)
{
	uint32_t more = exit - row->exit;
	unsigned size = 0;

	row->exit = exit;
	if (purpose == WRITE) {
		row->at = write_varint(row->at, more);
		row->at = write_varint(row->at, times);
		if (executed)
			row->at = write_varint(row->at, executed);
	} else {
		size = varint_size(more) + varint_size(times);
		if (executed)
			size += varint_size(executed);
		row->counts++;
		row->size += size;
	}
	return size;
}

/* Measures or writes the counts of a column. */
FORCE_INLINE void use_column(enum purpose purpose, struct columns *c, struct span *counts,
			     uint32_t exit, uint32_t executed)
{
	struct row *rows = c->rows;
	struct span in = *counts;
	uint64_t n = c->n_rows, size = 0;

	for (uint64_t i = 0; i < n && !in.bad; i++) {
		uint64_t times = in.at < in.end && !*in.at ? *in.at++ : take_varint(&in);

		if (times)
			size += use_count(purpose, &rows[i], exit, executed, times);
		else
			i += take_small(&in, n - i - 1);
	}
	c->size += size;
	*counts = in;
}

FORCE_INLINE bool use_columns(enum purpose purpose, struct columns *c)
{
	struct span exits = c->exits, executed = c->executed, counts = c->counts;
	uint32_t exit = 0;

	for (uint64_t i = 0; i < c->n_columns; i++) {
		exit += (uint32_t)take_varint_max(&exits, UINT32_MAX - exit);
		use_column(purpose, c, &counts, exit,
			   (uint32_t)take_varint_max(&executed, UINT32_MAX));
		if (exits.bad || executed.bad || counts.bad || c->size > MAX_VECTOR_BYTES)
			return false;
	}
	return !span_left(&counts);
}

static bool measure_columns(struct columns *c)
{
	return use_columns(MEASURE, c);
}

static void write_columns(struct columns *c)
{
	use_columns(WRITE, c);
}

/* Writes the heads of all records to `records`, and leaves room for their counts. */
static bool put_heads(struct columns *c, struct buffer *records)
{
	enum { MOST = 6 * MAX_VARINT }; /* bytes of a head */
	struct span in = c->heads;
	uint64_t interval = 0;

	if (!buffer_reserve(records, c->size + c->n_rows * MOST))
		return false;
	for (struct row *row = c->rows; row < c->rows + c->n_rows; row++) {
		uint8_t head[MOST], *end = head;
		uint64_t thread, instructions, size = row->size;

		interval += take_varint(&in);
		thread = take_varint(&in);
		instructions = take_varint(&in);
		end = write_varint(end, interval);
		end = write_varint(end, thread);
		end = write_varint(end, instructions);
		end = write_varint(end, row->counts);
		put_varint(records, (uint64_t)(end - head) + size);
		put_bytes(records, head, (size_t)(end - head));
		row->at = records->data + records->size;
		row->exit = 0;
		records->size += size;
	}
	return true;
}

int vector_columns_unpack(struct span in, uint64_t n, struct buffer *records)
{
	struct columns c = { .n_rows = n };
	int status = TF_E_DAMAGED;

	if (n > MAX_VECTOR_RECORDS)
		return TF_E_DAMAGED;
	c.n_columns = take_varint(&in);
	c.exits = pass(&in, c.n_columns);
	c.executed = pass(&in, c.n_columns);
	c.heads = pass(&in, 3 * n);
	c.counts = in;
	c.rows = calloc(n + 1, sizeof(*c.rows));
	if (!c.rows)
		return TF_E_MEMORY;
	if (!in.bad && measure_columns(&c))
		status = put_heads(&c, records) ? 0 : TF_E_MEMORY;
	if (status == 0)
		write_columns(&c);
	free(c.rows);
	return status;
}
