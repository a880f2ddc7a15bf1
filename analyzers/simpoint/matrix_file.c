/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/matrix_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unpack.h"

/* A matrix of more values is refused: it would not fit into memory. */
static const size_t max_values = (size_t)1 << 31;

/* Greater numbers are refused: the squares of their differences must stay finite. */
static const double max_value = 1e100;

/* How many values the file can have; each takes two bytes or more. */
static size_t most_values(FILE *in)
{
	struct stat st;
	bool known = fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode);

	return known && (size_t)st.st_size / 2 < max_values ? (size_t)st.st_size / 2 : max_values;
}

void matrix_write(FILE *out, bool binary, const double *values, const double *weights, size_t rows,
		  unsigned dim)
{
	const uint32_t head[2] = { (uint32_t)rows, 1 }, width = dim;

	if (binary)
		fwrite(head, sizeof(head), 1, out);
	else
		fprintf(out, "%zu:w\n", rows);
	for (size_t i = 0; i < rows; i++) {
		const double *row = values + i * dim, weight = weights ? weights[i] :
								1.0 / (double)rows;

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
 * Makes room for one row more, which has dim values. Rows are made as they are read, so that what a
 * file claims takes no memory. False if another row had other dimensions, or there are too many.
 */
static bool add_row(struct points *m, size_t *room, unsigned dim, size_t most)
{
	if (m->n && dim != m->dim)
		return false;
	if (dim == 0 || dim > most || (m->n + 1) > most / dim)
		return false;
	m->dim = dim;
	if (m->n == *room) {
		*room = *room ? 2 * *room : 1;
		m->at = checked(reallocarray(m->at, *room, dim * sizeof(*m->at)));
		m->weights = checked(reallocarray(m->weights, *room, sizeof(*m->weights)));
	}
	memset(m->at + m->n++ * dim, 0, dim * sizeof(*m->at));
	return true;
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

static bool read_binary_row(FILE *in, struct points *m, size_t *room, size_t most, bool weighted,
			    double weight)
{
	uint32_t dim;

	if ((weighted && fread(&weight, sizeof(weight), 1, in) != 1) ||
	    fread(&dim, sizeof(dim), 1, in) != 1 || !add_row(m, room, dim, most))
		return false;
	m->weights[m->n - 1] = weight;
	return fread(m->at + (m->n - 1) * dim, sizeof(*m->at), dim, in) == dim;
}

static bool read_text_row(FILE *in, struct points *m, size_t *room, size_t most, bool weighted,
			  double weight)
{
	unsigned dim;

	if ((weighted && fscanf(in, "%lf", &weight) != 1) || fscanf(in, "%u:", &dim) != 1 ||
	    !add_row(m, room, dim, most))
		return false;
	m->weights[m->n - 1] = weight;
	for (unsigned j = 0; j < dim; j++)
		if (fscanf(in, "%lf", &m->at[(m->n - 1) * dim + j]) != 1)
			return false;
	return true;
}

/* "ROWS:w", or "ROWS:" if there are no weights. */
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
	size_t rows, room = 0, most = most_values(in);
	bool weighted;

	if (binary ? fread(head, sizeof(head), 1, in) != 1 : !read_text_head(in, &rows, &weighted))
		return false;
	if (binary) {
		rows = head[0];
		weighted = head[1];
	}
	if (rows == 0 || rows > most)
		return false;
	while (m->n < rows) {
		double weight = 1.0 / (double)rows;

		if (!(binary ? read_binary_row(in, m, &room, most, weighted, weight) :
			       read_text_row(in, m, &room, most, weighted, weight)) ||
		    !is_usable(m))
			return false;
	}
	return true;
}

bool matrix_read(const char *path, bool binary, struct points *m)
{
	FILE *in = unpack_stream(path);

	*m = (struct points){ 0 };
	if (!in)
		return false;
	bool read = read_rows(in, binary, m);

	fclose(in);
	if (read)
		return true;
	if (m->n && !is_usable(m))
		command_error("%s: row %zu has a value that is no number from -1e100 to 1e100, or "
			      "a weight below 0", path, m->n);
	else
		command_error("%s: is not a matrix as -save%s writes it", path,
			      binary ? "...BinFmt" : "...TxtFmt");
	points_free(m);
	return false;
}
