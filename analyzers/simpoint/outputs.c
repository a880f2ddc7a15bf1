/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/outputs.h"

#include <inttypes.h>
#include <string.h>

#include "analyzers/simpoint/matrix_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/escape.h"
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
	const struct regions_info *info;
	const struct region *regions;
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
				o->selection->at[i].cluster);
}

static void write_weights(const struct output *o, FILE *out)
{
	for (unsigned i = 0; i < o->selection->n; i++)
		if (o->chosen[i])
			fprintf(out, "%g %u\n", o->selection->at[i].weight / o->total,
				o->selection->at[i].cluster);
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

/* ---- regions ----------------------------------------------------------------------------- */

/* Returns the number of a region. */
static unsigned region_id(const struct simpoint *point)
{
	return point->cluster + 1;
}

/*
 * The greatest length of a command that is written; readers of these files loop forever after a
 * line of 2,000 bytes.
 */
enum { COMMAND_SHOWN = 1800 };

static void write_command(const struct output *o, FILE *out)
{
	char *command = escape_text(o->info->command);

	fprintf(out, "# Regions based on: %.*s\n", COMMAND_SHOWN, command);
	free(command);
}

static void write_totals(const struct output *o, FILE *out)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < o->selection->n; i++)
		sum += o->regions[i].end - o->regions[i].start;
	fprintf(out, "# Total instructions in %u regions = %" PRIu64 "\n", o->selection->n, sum);
	fprintf(out, "# Total instructions in workload = %" PRIu64 "\n", o->info->instructions);
	fprintf(out, "# Total slices in workload = %zu\n", o->info->intervals);
}

/* Returns a start as PinPoints counts it: from 1, but 0 for the first slice. */
static uint64_t counted_from_one(uint64_t start)
{
	return start ? start + 1 : 0;
}

static void write_regions(const struct output *o, FILE *out)
{
	write_command(o, out);
	fputs("comment,thread-id,region-id,simulation-region-start-icount,"
	      "simulation-region-end-icount,region-weight\n",
	      out);
	for (unsigned i = 0; i < o->selection->n; i++) {
		const struct simpoint *point = &o->selection->at[i];
		uint64_t start = counted_from_one(o->regions[i].start), end = o->regions[i].end;

		fprintf(out,
			"# Region = %u Slice = %zu Icount = %" PRIu64 " Length = %" PRIu64
			" Weight = %.5f\n",
			region_id(point), point->interval, start, end - start + 1, point->weight);
		fprintf(out,
			"cluster %u from slice %zu,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%.6f\n\n",
			point->cluster, point->interval, o->info->thread, region_id(point), start,
			end, point->weight);
	}
	write_totals(o, out);
}

/*
 * Writes the name of a module without its folder. Fields are never quoted, and readers cut lines at
 * blanks, so characters that would divide a field become underscores.
 */
static void write_image(FILE *out, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

	if (!name || !*name) {
		fputs("no_image", out);
		return;
	}
	if (strchr("=+-@", *name)) { /* a spreadsheet would execute it */
		putc('_', out);
		name++;
	}
	for (; *name; name++)
		putc((unsigned char)*name <= ' ' || strchr(",|\"#:\x7f", *name) ? '_' : *name, out);
}

/* Returns a place's offset from the lowest address of its module, or 0 if there is none. */
static uint64_t image_offset(const struct place *place, const char *module, uint64_t low)
{
	return module && place->pc >= low ? place->pc - low : 0;
}

static void write_place(FILE *out, const struct place *place, const char *module, uint64_t low)
{
	fprintf(out, "0x%" PRIx64 ",", place->pc);
	write_image(out, module);
	fprintf(out, ",0x%" PRIx64 ",%" PRIu64 ",", image_offset(place, module, low), place->count);
}

static void write_place_comment(FILE *out, const char *which, const struct place *place,
				const char *module, uint64_t low)
{
	fprintf(out, "#%s: pc : 0x%" PRIx64 " image: ", which, place->pc);
	write_image(out, module);
	fprintf(out, " offset: 0x%" PRIx64 " absolute_count: %" PRIu64 " ",
		image_offset(place, module, low), place->count);
}

static void write_pc_comments(const struct simpoint *point, const struct region *region, FILE *out)
{
	uint64_t length = region->end - region->start;

	fprintf(out,
		"# RegionId = %u Slice = %zu Icount = %" PRIu64 " Length = %" PRIu64
		" Weight = %.5f Multiplier = %.3f ClusterSlicecount = %zu ClusterIcount = %" PRIu64
		"\n",
		region_id(point), point->interval, region->start, length, point->weight,
		(double)region->cluster_instructions / (double)length, point->intervals,
		region->cluster_instructions);
	write_place_comment(out, "Start", &region->first, region->first_module, region->first_low);
	fputs("source-info: Unknown:0\n", out);
	write_place_comment(out, "End", &region->behind, region->behind_module, region->behind_low);
	fprintf(out, " relative_count: %" PRIu64 ".0 source-info: Unknown:0\n",
		relative_count(region));
}

static void write_pc_region(const struct output *o, const struct simpoint *point,
			    const struct region *region, FILE *out)
{
	uint64_t length = region->end - region->start;

	write_pc_comments(point, region, out);
	fprintf(out, "cluster %u from slice %zu,%" PRIu64 ",%u,", point->cluster, point->interval,
		o->info->thread, region_id(point));
	write_place(out, &region->first, region->first_module, region->first_low);
	write_place(out, &region->behind, region->behind_module, region->behind_low);
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,simulation\n\n", relative_count(region),
		length, point->weight, (double)region->cluster_instructions / (double)length);
}

static void write_pc_regions(const struct output *o, FILE *out)
{
	write_command(o, out);
	fputs("comment,thread-id,region-id,start-pc,start-image-name,start-image-offset,"
	      "start-pc-count,end-pc,end-image-name,end-image-offset,end-pc-count,"
	      "end-pc-relative-count,region-length,region-weight,region-multiplier,region-type\n",
	      out);
	for (unsigned i = 0; i < o->selection->n; i++)
		write_pc_region(o, &o->selection->at[i], &o->regions[i], out);
	write_totals(o, out);
}

int outputs_write_regions(const char *path, const struct regions_info *info,
			  const struct selection *selection, const struct region *regions)
{
	struct output output = { .info = info, .selection = selection, .regions = regions };

	return save(path, "", &output, write_regions);
}

int outputs_write_pc_regions(const char *path, const struct regions_info *info,
			     const struct selection *selection, const struct region *regions)
{
	struct output output = { .info = info, .selection = selection, .regions = regions };

	return save(path, "", &output, write_pc_regions);
}
