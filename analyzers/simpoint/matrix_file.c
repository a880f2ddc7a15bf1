/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/matrix_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/open_input.h"

/* A matrix of more values is refused: it would not fit into memory. */
static const size_t max_values = (size_t)1 << 31;

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
		const double *row = values + i * dim, weight = weights ? weights[i] : 1;

		if (binary) {
			fwrite(&weight, sizeof(weight), 1, out);
			fwrite(&width, sizeof(width), 1, out);
			fwrite(row, sizeof(*row), dim, out);
			continue;
		}
		fprintf(out, "%.20g %u:", weight, dim);
		for (unsigned j = 0; j < dim; j++)
			fprintf(out, " %.20g", row[j]);
		putc('\n', out);
	}
}

/* Makes room when the first row has told its dimensions; false if a later one has others. */
static bool set_dim(struct points *m, size_t row, unsigned dim, size_t most)
{
	if (row > 0)
		return dim == m->dim;
	if (dim == 0 || m->n > most / dim)
		return false;
	m->dim = dim;
	m->at = checked_array(m->n * dim, sizeof(*m->at));
	return true;
}

/* Each of these reads one row; false if it is not there as it should be. */

static bool read_binary_row(FILE *in, struct points *m, size_t i, size_t most, bool weighted)
{
	uint32_t dim;

	return (!weighted || fread(&m->weights[i], sizeof(*m->weights), 1, in) == 1) &&
	       fread(&dim, sizeof(dim), 1, in) == 1 && set_dim(m, i, dim, most) &&
	       fread(m->at + i * m->dim, sizeof(*m->at), m->dim, in) == m->dim;
}

static bool read_text_row(FILE *in, struct points *m, size_t i, size_t most)
{
	unsigned dim;

	if (fscanf(in, "%lf %u:", &m->weights[i], &dim) != 2 || !set_dim(m, i, dim, most))
		return false;
	for (unsigned j = 0; j < dim; j++)
		if (fscanf(in, "%lf", &m->at[i * dim + j]) != 1)
			return false;
	return true;
}

static bool read_rows(FILE *in, bool binary, struct points *m)
{
	uint32_t head[2] = { 0, 1 };
	size_t rows, most = most_values(in);

	if (binary ? fread(head, sizeof(head), 1, in) != 1 : fscanf(in, "%zu:%*s", &rows) != 1)
		return false;
	m->n = binary ? head[0] : rows;
	if (m->n == 0 || m->n > most)
		return false;
	m->weights = checked_array(m->n, sizeof(*m->weights));
	for (size_t i = 0; i < m->n; i++) {
		m->weights[i] = 1.0 / (double)m->n;
		if (binary ? !read_binary_row(in, m, i, most, head[1])
			   : !read_text_row(in, m, i, most))
			return false;
		for (unsigned j = 0; j < m->dim; j++)
			if (!isfinite(m->at[i * m->dim + j]))
				return false;
	}
	return true;
}

bool matrix_read(const char *path, bool binary, struct points *m)
{
	FILE *in = open_input(path);

	*m = (struct points){ 0 };
	if (!in) {
		command_error("%s: %m", path);
		return false;
	}
	bool read = read_rows(in, binary, m);

	fclose(in);
	if (read)
		return true;
	command_error("%s: is not a matrix as -save%s writes it", path,
		      binary ? "...BinFmt" : "...TxtFmt");
	points_free(m);
	return false;
}
