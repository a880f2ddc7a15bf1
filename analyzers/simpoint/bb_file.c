/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/bb_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/simpoint/bb_line.h"
#include "analyzers/common/parallel.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unpack.h"
#include "traceformat/common/foreign.h"

/*
 * Text is gathered into a block of some MiB that ends with a line, and parsed in as many parts as
 * there are cores; each part makes a piece.
 */
enum { BLOCK_SIZE = 16 << 20, MAX_PARTS = 64, MAX_LINE = 128 << 20 };

/* Ids above this are numbered anew if there are more of them than pairs. */
enum { DENSE_IDS = 1 << 20 };

struct bb_piece {
	struct bb_piece *next;
	uint32_t *ids;
	double *values;
	size_t n, room;
};

/* The results of a part of a block. */
struct part {
	const char *text, *end;
	struct bb_piece *piece;
	ARRAY(struct bb_row) rows; /* ids and values not set yet: they move as the piece grows */
	uint64_t n_lines;
	uint64_t interval_size;
	uint64_t empty, bare;            /* vectors without pairs, ids without a colon */
	uint64_t skipped, first_skipped; /* lines that look like vectors; number of the first */
	double sum;                      /* of all counts */
	bool has_zero;                   /* an id of 0 */
	uint32_t max_id;
	size_t first_empty; /* row; SIZE_MAX: none */
	const char *wrong;  /* NULL, or what is wrong in line number n_lines, at wrong_at */
	const char *wrong_at;
};

struct bb_parser {
	const char *name;
	bool as_simpoint;
	unsigned jobs;
	struct bb_rows *rows;
	char *block;
	size_t size, room;
	size_t line; /* where the last line of the block begins, which is not whole */
	uint64_t n_lines, empty, bare, skipped, first_skipped;
	double sum;
	uint64_t pairs_size; /* of the memory that pairs take, bytes */
	bool begun, has_zero, ended, failed;
	struct part parts[MAX_PARTS];
};

/* ---- rows -------------------------------------------------------------------------------- */

static struct bb_row *add_row(struct bb_rows *rows)
{
	CHECKED_RESERVE(*rows, rows->n + 1);
	return &rows->at[rows->n++];
}

static void piece_reserve(struct bb_piece *piece, size_t count)
{
	size_t room = piece->room;

	if (count <= room)
		return;
	if (!array_reserve(&piece->ids, &room, count, sizeof(*piece->ids)) ||
	    !array_reserve(&piece->values, &piece->room, count, sizeof(*piece->values)))
		out_of_memory();
}

void bb_set_row(struct bb_rows *rows, size_t i, const struct bb_row *row)
{
	struct bb_piece *piece = checked_array(1, sizeof(*piece));

	piece->n = piece->room = row->n;
	piece->ids = checked_array(row->n, sizeof(*piece->ids));
	piece->values = checked_array(row->n, sizeof(*piece->values));
	memcpy(piece->ids, row->ids, row->n * sizeof(*row->ids));
	memcpy(piece->values, row->values, row->n * sizeof(*row->values));
	piece->next = rows->pieces;
	rows->pieces = piece;
	rows->at[i] = (struct bb_row){ piece->ids, piece->values, row->n, row->sum };
}

void bb_free(struct bb_rows *rows)
{
	struct bb_piece *next;

	for (struct bb_piece *piece = rows->pieces; piece; piece = next) {
		next = piece->next;
		free(piece->ids);
		free(piece->values);
		free(piece);
	}
	free(rows->at);
	free(rows->id_of);
	*rows = (struct bb_rows){ 0 };
}

/* ---- a part of a block ------------------------------------------------------------------- */

static void take_row(struct part *part, size_t first)
{
	struct bb_row row = { .n = (uint32_t)(part->piece->n - first) };

	for (size_t i = first; i < part->piece->n; i++)
		row.sum += part->piece->values[i];
	part->sum += row.sum;
	if (row.n == 0) {
		part->empty++;
		if (part->first_empty == SIZE_MAX)
			part->first_empty = part->rows.count;
	}
	CHECKED_RESERVE(part->rows, part->rows.count + 1);
	part->rows.at[part->rows.count++] = row;
}

/* Takes the pairs of a vector whose line is text .. end, after its T. */
static void parse_vector(struct part *part, const char *text, const char *end, bool as_simpoint)
{
	struct bb_piece *piece = part->piece;
	size_t first = piece->n;
	struct bb_pair pair;
	enum bb_found found;

	while ((found = as_simpoint ? bb_pair_as_simpoint(&text, end, &pair)
				    : bb_pair(&text, end, &pair)) == BB_PAIR) {
		piece_reserve(piece, piece->n + 1);
		piece->ids[piece->n] = pair.id;
		piece->values[piece->n++] = pair.value;
		part->bare += pair.bare;
		part->has_zero |= pair.id == 0;
		if (pair.id > part->max_id)
			part->max_id = pair.id;
	}
	if (found == BB_END && piece->n - first <= UINT32_MAX) {
		take_row(part, first);
		return;
	}
	part->wrong = found == BB_END ? "has too many pairs" : bb_wrong(found);
	part->wrong_at = text;
}

/* Looks for "(Interval Size 100000)" in a comment. */
static void look_at_comment(struct part *part, const char *text, const char *end)
{
	static const char words[] = "(Interval Size ";
	const char *found = memmem(text, (size_t)(end - text), words, sizeof(words) - 1);

	uint64_t size = found ? strtoull(found + sizeof(words) - 1, NULL, 10) : 0;

	if (size && (double)size <= BB_MAX_COUNT)
		part->interval_size = size;
}

static void look_at_other(struct part *part, const char *text, const char *end)
{
	if (*text == '#')
		look_at_comment(part, text, end);
	else if (bb_looks_like_vector(text, end) && !part->skipped++)
		part->first_skipped = part->n_lines;
}

/* An archive begins with its own header, in the line of the first vector. */
static void refuse_binary(struct part *part, const char *line)
{
	part->wrong = "text has no zero bytes; unpack an archive first";
	part->wrong_at = line;
}

struct parse {
	struct part *parts;
	bool as_simpoint;
};

static void parse_part(void *opaque, size_t i)
{
	const struct parse *parse = opaque;
	struct part *part = &parse->parts[i];

	for (const char *line = part->text, *end; line < part->end && !part->wrong;
	     line = end + 1) {
		if (parse->as_simpoint && part->empty)
			break;
		end = memchr(line, '\n', (size_t)(part->end - line));
		part->n_lines++;
		if (*line == 'T')
			parse_vector(part, line + 1, end, parse->as_simpoint);
		else if (!parse->as_simpoint && memchr(line, '\0', (size_t)(end - line)) &&
			 !bb_looks_like_vector(line, end))
			refuse_binary(part, line);
		else
			look_at_other(part, line, end);
	}
}

/* ---- a block ----------------------------------------------------------------------------- */

/* Cuts the first `size` bytes of the block, which end with a line break, into parts. */
static unsigned cut_block(struct bb_parser *p, size_t size)
{
	unsigned wanted = p->jobs < MAX_PARTS ? p->jobs : MAX_PARTS, n = 0;
	const char *text = p->block, *end = p->block + size;

	for (unsigned i = 0; i < wanted && text < end; i++) {
		const char *cut = text + (size_t)(end - text) / (wanted - i);

		cut = cut < end ? (const char *)memchr(cut, '\n', (size_t)(end - cut)) + 1 : end;
		p->parts[n++] = (struct part){
			.text = text,
			.end = cut,
			.first_empty = SIZE_MAX,
			.piece = checked_array(1, sizeof(struct bb_piece)),
		};
		text = cut;
	}
	return n;
}

static void complain(struct bb_parser *p, const struct part *part)
{
	const char *line_end = memchr(part->wrong_at, '\n', (size_t)(part->end - part->wrong_at));
	int length = line_end - part->wrong_at < 20 ? (int)(line_end - part->wrong_at) : 20;

	command_error("%s, line %" PRIu64 ": at '%.*s': %s", p->name, p->n_lines, length,
		      part->wrong_at, part->wrong);
	p->failed = true;
}

/* Appends a part's results to the rows. */
static void take_part(struct bb_parser *p, struct part *part)
{
	struct bb_piece *piece = part->piece;
	struct bb_rows *rows = p->rows;
	size_t at = 0;

	piece->next = rows->pieces;
	rows->pieces = piece;
	p->pairs_size += piece->room * (sizeof(*piece->ids) + sizeof(*piece->values));
	if (!p->ended && !p->failed) {
		size_t n = part->rows.count;

		if (p->as_simpoint && part->first_empty < n) {
			n = part->first_empty;
			p->ended = true;
			command_warning("%s: ends at an empty vector, as for SimPoint 3.2",
					p->name);
		}
		for (size_t i = 0; i < n; i++) {
			struct bb_row *row = add_row(rows);

			*row = part->rows.at[i];
			if (!row->n)
				continue;
			row->ids = piece->ids + at;
			row->values = piece->values + at;
			at += row->n;
		}
		if (part->skipped && !p->skipped)
			p->first_skipped = p->n_lines + part->first_skipped;
		p->skipped += part->skipped;
		p->sum += part->sum;
		p->n_lines += part->n_lines;
		p->empty += part->empty;
		p->bare += part->bare;
		p->has_zero |= part->has_zero;
		if (part->max_id > rows->n_dims)
			rows->n_dims = part->max_id;
		if (part->interval_size)
			rows->interval_size = part->interval_size;
		if (part->wrong && !p->ended)
			complain(p, part);
	}
	piece->n = at; /* pairs of vectors that are left out have no numbers */
	free(part->rows.at);
}

/* Skips the byte order mark of UTF-8, which SimPoint 3.2 does not know. */
static void skip_mark(struct bb_parser *p)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t size = sizeof(mark) - 1;

	if (p->begun || p->as_simpoint)
		return;
	p->begun = true;
	if (p->size < size || memcmp(p->block, mark, size))
		return;
	p->size -= size;
	p->line = p->line > size ? p->line - size : 0;
	memmove(p->block, p->block + size, p->size);
}

/* Parses the whole lines of the block and keeps the rest. */
static void parse_block(struct bb_parser *p)
{
	struct parse parse = { p->parts, p->as_simpoint };

	if (!p->line)
		return;
	skip_mark(p);

	unsigned n = cut_block(p, p->line);

	parallel_for(p->jobs, n, parse_part, &parse);
	for (unsigned i = 0; i < n; i++)
		take_part(p, &p->parts[i]);
	p->size -= p->line;
	memmove(p->block, p->block + p->line, p->size);
	p->line = 0;
}

/* ---- the parser -------------------------------------------------------------------------- */

struct bb_parser *bb_parser_new(const char *name, bool as_simpoint, unsigned jobs,
				struct bb_rows *rows)
{
	struct bb_parser *p = checked_array(1, sizeof(*p));

	p->name = name;
	p->as_simpoint = as_simpoint;
	p->jobs = jobs ? jobs : 1;
	p->rows = rows;
	return p;
}

bool bb_parser_feed(struct bb_parser *p, const char *text, size_t size)
{
	if (p->ended || p->failed)
		return !p->failed;
	if (!array_reserve(&p->block, &p->room, p->size + size + 1, 1))
		out_of_memory();
	memcpy(p->block + p->size, text, size);

	const char *last = memrchr(p->block + p->size, '\n', size);

	p->size += size;
	if (last)
		p->line = (size_t)(last - p->block) + 1;
	if (p->size >= BLOCK_SIZE)
		parse_block(p);
	if (!p->failed && p->size > MAX_LINE) {
		command_error("%s, line %" PRIu64 ": has no end within 128 MiB; a vector is one "
			      "line",
			      p->name, p->n_lines + 1);
		p->failed = true;
	}
	return !p->failed;
}

/* Adds one to all ids, which count from 0. */
static void shift_ids(struct bb_rows *rows)
{
	for (struct bb_piece *piece = rows->pieces; piece; piece = piece->next)
		for (size_t i = 0; i < piece->n; i++)
			piece->ids[i]++;
	rows->n_dims++;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns all ids that occur, ascending; sets their number. */
static uint32_t *sorted_ids(const struct bb_rows *rows, size_t n_pairs, uint32_t *n)
{
	uint32_t *ids = checked_array(n_pairs, sizeof(*ids));
	size_t at = 0, kept = 0;

	for (const struct bb_piece *piece = rows->pieces; piece; piece = piece->next)
		for (size_t i = 0; i < piece->n; i++)
			ids[at++] = piece->ids[i];
	qsort(ids, n_pairs, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < n_pairs; i++)
		if (!kept || ids[i] != ids[kept - 1])
			ids[kept++] = ids[i];
	*n = (uint32_t)kept;
	return ids;
}

/* Numbers the ids if they are few among many, so that they take memory by their number. */
static void number_ids(struct bb_rows *rows)
{
	size_t n_pairs = 0;

	rows->n_numbers = rows->n_dims;
	for (const struct bb_piece *piece = rows->pieces; piece; piece = piece->next)
		n_pairs += piece->n;
	if (rows->n_dims <= DENSE_IDS || n_pairs >= rows->n_dims)
		return;
	rows->id_of = sorted_ids(rows, n_pairs, &rows->n_numbers);
	for (struct bb_piece *piece = rows->pieces; piece; piece = piece->next)
		for (size_t i = 0; i < piece->n; i++) {
			const uint32_t *found = bsearch(&piece->ids[i], rows->id_of,
							rows->n_numbers, sizeof(uint32_t),
							compare_ids);

			piece->ids[i] = (uint32_t)(found - rows->id_of) + 1;
		}
}

/* Warns of lines that were left out. */
static void warn_of_skipped(const struct bb_parser *p)
{
	if (p->skipped)
		command_warning("%s, line %" PRIu64 ": looks like a vector, but does not begin "
				"with T, and is left out%s",
				p->name, p->first_skipped, p->skipped > 1 ? ", and others" : "");
}

static void take_last_line(struct bb_parser *p)
{
	if (p->as_simpoint) {
		if (*p->block == 'T')
			command_warning("%s: its last line has no line break and is left out, "
					"as by SimPoint 3.2",
					p->name);
		return;
	}
	p->block[p->size++] = '\n';
	p->line = p->size;
	skip_mark(p);
	if (*p->block == 'T')
		command_warning("%s: its last line has no line break; the file may be truncated",
				p->name);
	parse_block(p);
}

bool bb_parser_end(struct bb_parser *p)
{
	if (!p->failed && !p->ended)
		parse_block(p);
	if (!p->failed && !p->ended && p->size)
		take_last_line(p);
	if (!p->failed && p->has_zero && p->as_simpoint) {
		command_error("%s: has the id 0, which SimPoint 3.2 refuses; leave out "
			      "--compat=simpoint3 to count ids from 0",
			      p->name);
		p->failed = true;
	} else if (!p->failed && p->has_zero) {
		command_warning("%s: its ids count from 0: each is taken to be one more", p->name);
		shift_ids(p->rows);
	}
	if (!p->failed && p->bare)
		command_warning("%s: %" PRIu64 " ids have no colon before them", p->name, p->bare);
	if (!p->failed && p->empty && !p->as_simpoint)
		command_warning("%s: %" PRIu64 " vectors are empty", p->name, p->empty);
	if (!p->failed && p->sum > BB_MAX_COUNT) {
		command_error("%s: the sum of its counts is more than 2^53", p->name);
		p->failed = true;
	}
	if (!p->failed) {
		warn_of_skipped(p);
		number_ids(p->rows);
	}
	bool done = !p->failed;

	free(p->block);
	free(p);
	return done;
}

/* Refuses a file that is known to be of another kind, by its first bytes. */
static bool may_be_vectors(const char *path, const char *text, size_t size)
{
	const char *other = foreign_text(text, size);

	if (begins_as_trace(text, size))
		command_error("%s: is a trace, which is read from a file, not from a pipe", path);
	else if (size && other && !strstr(other, "trace-simpoint reads them"))
		command_error("%s: is neither a trace nor vectors, but %s", path, other);
	else
		return true;
	return false;
}

/*
 * Reports once that memory is out of proportion to the file, as can happen with a compressed one.
 */
static void tell_memory(const struct bb_parser *p, uint64_t file_size, bool *told)
{
	const uint64_t expected = UINT64_C(256) << 20;
	uint64_t size = p->room + p->pairs_size + p->rows->capacity * sizeof(*p->rows->at);

	if (*told || size <= expected + 100 * file_size)
		return;
	*told = true;
	command_warning("%s: its vectors need more than %" PRIu64 " MiB of memory", p->name,
			size >> 20);
}

bool bb_read(const char *path, bool as_simpoint, unsigned jobs, struct bb_rows *rows)
{
	enum { READ_SIZE = 1 << 20 };
	struct unpack *file = unpack_open(path);
	bool told = false;

	if (!file)
		return false;
	struct bb_parser *parser = bb_parser_new(path, as_simpoint, jobs, rows);
	char *text = checked(malloc(READ_SIZE));
	ssize_t n = unpack_read(file, text, READ_SIZE);

	if (n >= 0 && !may_be_vectors(path, text, (size_t)n))
		n = -1;
	while (n > 0 && bb_parser_feed(parser, text, (size_t)n)) {
		tell_memory(parser, unpack_size(file), &told);
		n = unpack_read(file, text, READ_SIZE);
	}
	rows->size = unpack_size(file);
	free(text);
	unpack_close(file);
	return bb_parser_end(parser) && n >= 0;
}
