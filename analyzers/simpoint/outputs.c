/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/outputs.h"

#include <inttypes.h>
#include <string.h>

#include "analyzers/simpoint/matrix_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"

/* The input of the writers below. */
struct output {
	const struct simpoint_options *options;
	const struct clustering *clustering;
	const struct selection *selection;
	const struct points *points;
	const double *matrix;
	size_t rows;
	unsigned dim;
	const bool *chosen; /* points to write */
	double total;       /* their weight */
};

typedef void writer(const struct output *output, FILE *out);

/* Writes a file; path NULL: none is wanted. */
static int save(const char *path, const char *suffix, const struct output *output, writer *write)
{
	int status = EXIT_FAILED;

	if (!path)
		return EXIT_DONE;
	char *name = text_format("%s%s", path, suffix);
	struct save_file *file = save_file_begin(name);

	if (file) {
		write(output, save_file_stream(file));
		status = save_file_end(file);
	}
	free(name);
	return status;
}

static void write_simpoints(const struct output *o, FILE *out)
{
	for (unsigned i = 0; i < o->selection->n; i++)
		if (o->chosen[i])
			fprintf(out, "%zu %u\n", o->selection->at[i].interval,
				o->selection->at[i].number);
}

static void write_weights(const struct output *o, FILE *out)
{
	for (unsigned i = 0; i < o->selection->n; i++)
		if (o->chosen[i])
			fprintf(out, "%g %u\n", o->selection->at[i].weight / o->total,
				o->selection->at[i].number);
}

static void write_labels(const struct output *o, FILE *out)
{
	for (size_t i = 0; i < o->points->n; i++)
		fprintf(out, "%" PRIu32 " %g\n", o->selection->labels[i],
			o->selection->distances[i]);
}

static void write_vector_weights(const struct output *o, FILE *out)
{
	for (size_t i = 0; i < o->points->n; i++)
		fprintf(out, "%.20g\n", o->points->weights[i]);
}

/* Writes centres, each weighted by the points that are nearest to it. */
static void write_initial(const struct output *o, FILE *out)
{
	const struct clustering *c = o->clustering;
	struct clustering initial = { .k = c->k, .dim = c->dim, .centres = c->initial };
	uint32_t *labels = checked_array(o->points->n, sizeof(*labels));
	double *weights = checked_array(c->k, sizeof(*weights)), sum = 0;

	kmeans_label(o->points, &initial, labels, NULL);
	for (size_t i = 0; i < o->points->n; i++)
		weights[labels[i]] += o->points->weights[i];
	for (unsigned k = 0; k < c->k; k++)
		sum += weights[k];
	for (unsigned k = 0; k < c->k; k++)
		weights[k] /= sum;
	matrix_write(out, false, c->initial, weights, c->k, c->dim);
	free(labels);
	free(weights);
}

static void write_final(const struct output *o, FILE *out)
{
	const struct clustering *c = o->clustering;

	matrix_write(out, false, c->centres, c->weights, c->k, c->dim);
}

static void write_text(const struct output *o, FILE *out)
{
	matrix_write(out, false, o->matrix, o->points ? o->points->weights : NULL, o->rows, o->dim);
}

static void write_binary(const struct output *o, FILE *out)
{
	matrix_write(out, true, o->matrix, o->points ? o->points->weights : NULL, o->rows, o->dim);
}

static int by_weight(const void *a, const void *b)
{
	const struct simpoint *x = *(const struct simpoint *const *)a;
	const struct simpoint *y = *(const struct simpoint *const *)b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->cluster < y->cluster ? -1 : x->cluster > y->cluster;
}

/* Chooses the heaviest points until they have the share; returns their weight. */
static double choose_heaviest(const struct selection *s, double share, bool *chosen)
{
	const struct simpoint **sorted = checked_array(s->n, sizeof(*sorted));
	double sum = 0;

	memset(chosen, 0, s->n);
	for (unsigned i = 0; i < s->n; i++)
		sorted[i] = &s->at[i];
	qsort(sorted, s->n, sizeof(*sorted), by_weight);
	for (unsigned i = 0; i < s->n && sum < share; i++) {
		chosen[sorted[i] - s->at] = true;
		sum += sorted[i]->weight;
	}
	free(sorted);
	return sum;
}

/* Writes points and weights; with a coverage below 1, also those of only the heaviest points. */
static int write_selection(struct output *output, const char *suffix)
{
	const struct simpoint_options *o = output->options;
	bool *chosen = checked_array(output->selection->n, sizeof(*chosen));
	char *heaviest;
	int status;

	memset(chosen, true, output->selection->n);
	output->chosen = chosen;
	output->total = 1;
	status = save(o->files[SAVE_SIMPOINTS], suffix, output, write_simpoints);
	if (status == EXIT_DONE)
		status = save(o->files[SAVE_WEIGHTS], suffix, output, write_weights);
	if (status == EXIT_DONE && o->coverage < 1) {
		heaviest = text_format(".lpt%g%s", o->coverage, suffix);
		output->total = choose_heaviest(output->selection, o->coverage, chosen);
		status = save(o->files[SAVE_SIMPOINTS], heaviest, output, write_simpoints);
		if (status == EXIT_DONE)
			status = save(o->files[SAVE_WEIGHTS], heaviest, output, write_weights);
		free(heaviest);
	}
	free(chosen);
	return status;
}

int outputs_write(const struct simpoint_options *o, const char *suffix,
		  const struct clustering *clustering, const struct selection *selection,
		  const struct points *points)
{
	struct output output = {
		.options = o,
		.clustering = clustering,
		.selection = selection,
		.points = points,
	};
	int status = write_selection(&output, suffix);

	if (status == EXIT_DONE)
		status = save(o->files[SAVE_LABELS], suffix, &output, write_labels);
	if (status == EXIT_DONE)
		status = save(o->files[SAVE_INITIAL], suffix, &output, write_initial);
	if (status == EXIT_DONE)
		status = save(o->files[SAVE_FINAL], suffix, &output, write_final);
	return status;
}

int outputs_write_points(const struct simpoint_options *o, const struct points *points,
			 const double *projection, size_t n_rows)
{
	struct output vectors = {
		.points = points,
		.matrix = points->at,
		.rows = points->n,
		.dim = points->dim,
	};
	struct output matrix = { .matrix = projection, .rows = n_rows, .dim = points->dim };
	int status = save(o->files[SAVE_VECTOR_WEIGHTS], "", &vectors, write_vector_weights);

	if (status == EXIT_DONE)
		status = save(o->files[SAVE_VECTORS], "", &vectors, write_text);
	if (status == EXIT_DONE)
		status = save(o->files[SAVE_VECTORS_BINARY], "", &vectors, write_binary);
	if (status == EXIT_DONE && projection)
		status = save(o->files[SAVE_PROJECTION], "", &matrix, write_text);
	if (status == EXIT_DONE && projection)
		status = save(o->files[SAVE_PROJECTION_BINARY], "", &matrix, write_binary);
	return status;
}
