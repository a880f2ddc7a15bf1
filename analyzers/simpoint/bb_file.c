/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/bb_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/simpoint/bb_line.h"
#include "analyzers/simpoint/parallel.h"
#include "analyzers/simpoint/trace_vectors.h"
#include "analyzers/simpoint/unpack.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

/*
 * Text is gathered into a block of some MiB that ends with a line, and parsed in as many parts as
 * there are cores; each part makes a piece.
 */
enum { BLOCK_SIZE = 16 << 20, MAX_PARTS = 64 };

struct bb_piece {
	struct bb_piece *next;
	uint32_t *ids;
	double *values;
	size_t n, room;
};

/* What a part of a block came to. */
struct part {
	const char *text, *end;
	struct bb_piece *piece;
	struct bb_row *rows;	/* ids and values not set yet: they move as the piece grows */
	size_t n_rows, room;
	uint64_t n_lines;
	uint64_t interval_size;
	uint64_t empty, bare;	/* vectors without pairs, ids without a colon */
	bool has_zero;		/* an id of 0 */
	uint32_t max_id;
	size_t first_empty;	/* row; SIZE_MAX: none */
	const char *wrong;	/* NULL, or what is wrong in line number n_lines, at wrong_at */
	const char *wrong_at;
};

struct bb_parser {
	const char *name;
	bool as_simpoint;
	unsigned jobs;
	struct bb_rows *rows;
	char *block;
	size_t size, room;
	uint64_t n_lines, empty, bare;
	bool has_zero, ended, failed;
	struct part parts[MAX_PARTS];
};

/* ---- rows -------------------------------------------------------------------------------- */

static struct bb_row *add_row(struct bb_rows *rows)
{
	MAKE_ROOM(rows->at, rows->n, rows->room);
	return &rows->at[rows->n++];
}

static void piece_reserve(struct bb_piece *piece, size_t count)
{
	if (count <= piece->room)
		return;
	piece->room = count + count / 2 + 64;
	piece->ids = checked(reallocarray(piece->ids, piece->room, sizeof(*piece->ids)));
	piece->values = checked(reallocarray(piece->values, piece->room, sizeof(*piece->values)));
}

void bb_append(struct bb_rows *rows, const uint32_t *ids, const double *values, uint32_t n)
{
	struct bb_piece *piece = checked_array(1, sizeof(*piece));
	struct bb_row *row = add_row(rows);

	piece_reserve(piece, n);
	piece->next = rows->pieces;
	rows->pieces = piece;
	*row = (struct bb_row){ piece->ids, piece->values, n, 0 };
	for (uint32_t i = 0; i < n; i++) {
		piece->ids[i] = ids[i];
		piece->values[i] = values[i];
		row->sum += values[i];
		if (ids[i] > rows->n_dims)
			rows->n_dims = ids[i];
	}
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
	*rows = (struct bb_rows){ 0 };
}

/* ---- a part of a block ------------------------------------------------------------------- */

static void take_row(struct part *part, size_t first)
{
	struct bb_row row = { .n = (uint32_t)(part->piece->n - first) };

	for (size_t i = first; i < part->piece->n; i++)
		row.sum += part->piece->values[i];
	if (row.n == 0) {
		part->empty++;
		if (part->first_empty == SIZE_MAX)
			part->first_empty = part->n_rows;
	}
	MAKE_ROOM(part->rows, part->n_rows, part->room);
	part->rows[part->n_rows++] = row;
}

/* Takes the pairs of a vector whose line is text .. end, behind its T. */
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

/* "(Interval Size 100000)" in a comment. */
static void look_at_comment(struct part *part, const char *text, const char *end)
{
	static const char words[] = "(Interval Size ";
	const char *found = memmem(text, (size_t)(end - text), words, sizeof(words) - 1);

	if (found)
		part->interval_size = strtoull(found + sizeof(words) - 1, NULL, 10);
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
		else if (*line == '#')
			look_at_comment(part, line, end);
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
			.text = text, .end = cut, .first_empty = SIZE_MAX,
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

/* Appends what a part found to the rows. */
static void take_part(struct bb_parser *p, struct part *part)
{
	struct bb_piece *piece = part->piece;
	struct bb_rows *rows = p->rows;
	size_t at = 0;

	piece->next = rows->pieces;
	rows->pieces = piece;
	if (!p->ended && !p->failed) {
		size_t n = part->n_rows;

		if (p->as_simpoint && part->first_empty < n) {
			n = part->first_empty;
			p->ended = true;
			command_warning("%s: ends at an empty vector, as for SimPoint 3.2",
					p->name);
		}
		for (size_t i = 0; i < n; i++) {
			struct bb_row *row = add_row(rows);

			*row = part->rows[i];
			if (!row->n)
				continue;
			row->ids = piece->ids + at;
			row->values = piece->values + at;
			at += row->n;
		}
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
	free(part->rows);
}

/* Parses the whole lines of the block and keeps the rest. */
static void parse_block(struct bb_parser *p)
{
	char *last = p->size ? memrchr(p->block, '\n', p->size) : NULL;
	size_t size = last ? (size_t)(last - p->block) + 1 : 0;
	struct parse parse = { p->parts, p->as_simpoint };

	if (!size)
		return;

	unsigned n = cut_block(p, size);

	parallel_for(p->jobs, n, parse_part, &parse);
	for (unsigned i = 0; i < n; i++)
		take_part(p, &p->parts[i]);
	memmove(p->block, p->block + size, p->size - size);
	p->size -= size;
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

static void reserve_block(struct bb_parser *p, size_t size)
{
	if (size <= p->room)
		return;
	p->room = size + size / 2 + 4096;
	p->block = checked(realloc(p->block, p->room));
}

bool bb_parser_feed(struct bb_parser *p, const char *text, size_t size)
{
	if (p->ended || p->failed)
		return !p->failed;
	reserve_block(p, p->size + size + 1);
	memcpy(p->block + p->size, text, size);
	p->size += size;
	if (p->size >= BLOCK_SIZE)
		parse_block(p);
	return !p->failed;
}

/* All ids one more: they count from 0. */
static void shift_ids(struct bb_rows *rows)
{
	for (struct bb_piece *piece = rows->pieces; piece; piece = piece->next)
		for (size_t i = 0; i < piece->n; i++)
			piece->ids[i]++;
	rows->n_dims++;
}

static void take_last_line(struct bb_parser *p)
{
	if (p->as_simpoint) {
		if (*p->block == 'T')
			command_warning("%s: its last line has no line break and is left out, "
					"as by SimPoint 3.2", p->name);
		return;
	}
	if (*p->block == 'T')
		command_warning("%s: its last line has no line break; is the file whole?", p->name);
	p->block[p->size++] = '\n';
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
			      "--compat=simpoint3 to count ids from 0", p->name);
		p->failed = true;
	} else if (!p->failed && p->has_zero) {
		command_warning("%s: its ids count from 0: each is taken to be one more", p->name);
		shift_ids(p->rows);
	}
	if (!p->failed && p->bare)
		command_warning("%s: %" PRIu64 " ids have no colon before them", p->name, p->bare);
	if (!p->failed && p->empty && !p->as_simpoint)
		command_warning("%s: %" PRIu64 " vectors are empty", p->name, p->empty);
	bool done = !p->failed;

	free(p->block);
	free(p);
	return done;
}

bool bb_read(const char *path, bool as_simpoint, unsigned jobs, struct bb_rows *rows)
{
	enum { READ_SIZE = 1 << 20 };
	struct unpack *file = unpack_open(path);

	if (!file)
		return false;
	struct bb_parser *parser = bb_parser_new(path, as_simpoint, jobs, rows);
	char *text = checked(malloc(READ_SIZE));
	ssize_t n = unpack_read(file, text, READ_SIZE);

	if (n > 0 && begins_as_trace(text, (size_t)n)) {
		command_error("%s: is a trace, which is read from a file, not from a pipe", path);
		n = -1;
	}
	while (n > 0 && bb_parser_feed(parser, text, (size_t)n))
		n = unpack_read(file, text, READ_SIZE);
	free(text);
	unpack_close(file);
	return bb_parser_end(parser) && n >= 0;
}
