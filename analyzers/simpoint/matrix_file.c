/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/matrix_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/unpack.h"

/* A matrix of more values is refused: it would not fit into memory. */
static const size_t max_values = (size_t)1 << 31;

/* Greater numbers are refused: the squares of their differences must stay finite. */
static const double max_value = 1e100;

void matrix_write(FILE *out, bool binary, const double *values, const double *weights, size_t rows,
		  unsigned dim)
{
	const uint32_t head[2] = { (uint32_t)rows, 1 }, width = dim;

	if (binary)
		fwrite(head, sizeof(head), 1, out);
	else
		fprintf(out, "%zu:w\n", rows);
	for (size_t i = 0; i < rows; i++) {
		const double *row = values + i * dim,
			     weight = weights ? weights[i] : 1.0 / (double)rows;

		if (binary) {
			fwrite(&weight, sizeof(weight), 1, out);
			fwrite(&width, sizeof(width), 1, out);
			fwrite(row, sizeof(*row), dim, out);
			continue;
		}
		fprintf(out, "%.20g %u: ", weight, dim);
		for (unsigned j = 0; j < dim; j++)
			fprintf(out, "%.20g ", row[j]);
		putc('\n', out);
	}
}

/*
 * A matrix that is being read. Memory grows with the values read, so false claims in a file cost
 * none.
 */
struct reading {
	FILE *in;
	struct points *m;
	ARRAY(double) values, weights; /* of m */
};

/* Begins a row of dim values; false if another row has other dimensions, or there are too many. */
static bool begin_row(struct reading *r, unsigned dim, double weight)
{
	struct points *m = r->m;

	if ((m->n && dim != m->dim) || dim == 0 || m->n + 1 > max_values / dim)
		return false;
	m->dim = dim;
	CHECKED_RESERVE(r->weights, m->n + 1);
	m->weights = r->weights.at;
	m->weights[m->n] = weight;
	return true;
}

static void put_value(struct reading *r, double value)
{
	CHECKED_RESERVE(r->values, r->values.count + 1);
	r->values.at[r->values.count++] = value;
	r->m->at = r->values.at;
}

static bool is_usable(const struct points *m)
{
	const double *row = m->at + (m->n - 1) * m->dim, weight = m->weights[m->n - 1];

	for (unsigned j = 0; j < m->dim; j++)
		if (!(fabs(row[j]) <= max_value))
			return false;
	return weight >= 0 && weight <= max_value;
}

/* Each of these reads one row; weight is what it has if the file has no weights. */

static bool read_binary_row(struct reading *r, bool weighted, double weight)
{
	uint32_t dim;
	double value;

	if ((weighted && fread(&weight, sizeof(weight), 1, r->in) != 1) ||
	    fread(&dim, sizeof(dim), 1, r->in) != 1 || !begin_row(r, dim, weight))
		return false;
	for (uint32_t j = 0; j < dim; j++) {
		if (fread(&value, sizeof(value), 1, r->in) != 1)
			return false;
		put_value(r, value);
	}
	r->m->n++;
	return true;
}

static bool read_text_row(struct reading *r, bool weighted, double weight)
{
	unsigned dim;
	double value;

	if ((weighted && fscanf(r->in, "%lf", &weight) != 1) || fscanf(r->in, "%9u:", &dim) != 1 ||
	    !begin_row(r, dim, weight))
		return false;
	for (unsigned j = 0; j < dim; j++) {
		if (fscanf(r->in, "%lf", &value) != 1)
			return false;
		put_value(r, value);
	}
	r->m->n++;
	return true;
}

/* Reads "ROWS:w", or "ROWS:" if there are no weights. */
static bool read_text_head(FILE *in, size_t *rows, bool *weighted)
{
	char colon, mark;

	if (fscanf(in, "%zu%c", rows, &colon) != 2 || colon != ':')
		return false;
	mark = (char)getc(in);
	*weighted = mark == 'w';
	return mark == 'w' || mark == '\n' || mark == '\r';
}

static bool read_rows(FILE *in, bool binary, struct points *m)
{
	uint32_t head[2] = { 0, 1 };
	struct reading reading = { .in = in, .m = m };
	size_t rows;
	bool weighted;

	if (binary ? fread(head, sizeof(head), 1, in) != 1 : !read_text_head(in, &rows, &weighted))
		return false;
	if (binary) {
		rows = head[0];
		weighted = head[1];
	}
	if (rows == 0 || rows > max_values)
		return false;
	while (m->n < rows) {
		double weight = 1.0 / (double)rows;

		if (!(binary ? read_binary_row(&reading, weighted, weight)
			     : read_text_row(&reading, weighted, weight)) ||
		    !is_usable(m))
			return false;
	}
	return true;
}

/* Returns whether something follows the last row, in text other than white space. */
static bool has_more(FILE *in, bool binary)
{
	int c;

	do
		c = getc(in);
	while (!binary && isspace(c));
	return c != EOF;
}

bool matrix_read(const char *path, bool binary, struct points *m)
{
	FILE *in = expect_file(path, "a matrix of numbers",
			       binary ? ACCEPT_NUMBERS : ACCEPT_COMPRESSED)
			   ? (binary ? unpack_stream(path) : unpack_text(path))
			   : NULL;

	*m = (struct points){ 0 };
	if (!in)
		return false;
	bool read = read_rows(in, binary, m);
	bool more = read && has_more(in, binary);

	fclose(in);
	if (read && !more)
		return true;
	if (more)
		command_error("%s: has more than the %zu rows that its beginning tells", path,
			      m->n);
	else if (m->n && !is_usable(m))
		command_error("%s: row %zu has a value that is no number from -1e100 to 1e100, or "
			      "a weight below 0",
			      path, m->n);
	else
		command_error("%s: is not a matrix as -save%s writes it", path,
			      binary ? "...BinFmt" : "...TxtFmt");
	points_free(m);
	return false;
}
