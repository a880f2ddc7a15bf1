/* SPDX-License-Identifier: MIT */
/* Writes the results: the report, and the files that the options name. */
#include "analyzers/simpoint/simpoints.h"

#include <inttypes.h>

#include "analyzers/simpoint/looppoint_json.h"
#include "analyzers/simpoint/plan_json.h"
#include "analyzers/simpoint/principal.h"
#include "analyzers/simpoint/region_csv.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"

/* Shares and distances in the projected space that should be 0 are off by rounding; one instruction
 * of a whole program is more than this. */
static const double rounding = 1e-12;

static double rounded(double value)
{
	return value > -rounding && value < rounding ? 0 : value;
}

/* Returns true if clusters may have several points. */
static bool has_strata(const struct simpoints *s)
{
	return s->o.per_cluster > 1 || s->o.total || s->o.select != SELECT_CENTRE;
}

static void put_points(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "cluster", REPORT_U64, "" },
		{ "interval", REPORT_U64, "" },
		{ "weight", REPORT_F64, "" },
		{ "intervals", REPORT_U64, "" },
		{ "start", REPORT_U64, "" },
		{ "end", REPORT_U64, "" },
		{ "distance", REPORT_F64, "" },
		{ "radius", REPORT_F64, "" },
		{ "stability", REPORT_F64, "" },
		{ "function", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_table(r, "points", columns);
	for (unsigned i = 0; i < s->selection.n; i++) {
		const struct simpoint *p = &s->selection.at[i];
		const struct region *region = &s->regions[i];

		report_row(r, (uint64_t)p->number, (uint64_t)p->interval, p->weight,
			   (uint64_t)p->intervals, region->start.instructions,
			   region->end.instructions, rounded(p->distance), rounded(p->radius),
			   p->stability, region->function);
	}
}

static const char *module_path(const struct bound *bound)
{
	return bound->module ? bound->module->path : NULL;
}

/* Reports where points begin and end: addresses, and how often each had been executed. */
static void put_bounds(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "cluster", REPORT_U64, "" },
		{ "start_pc", REPORT_HEX, "" },
		{ "start_count", REPORT_U64, "" },
		{ "end_pc", REPORT_HEX, "" },
		{ "end_count", REPORT_U64, "" },
		{ "end_relative_count", REPORT_U64, "" },
		{ "start_module", REPORT_STRING, "" },
		{ "start_offset", REPORT_HEX, "" },
		{ "end_module", REPORT_STRING, "" },
		{ "end_offset", REPORT_HEX, "" },
		{ NULL, 0, NULL },
	};

	report_table(r, "bounds", columns);
	for (unsigned i = 0; i < s->selection.n; i++) {
		const struct region *at = &s->regions[i];
		const struct place *start = &at->start.marker, *end = &at->end.marker;

		report_row(r, (uint64_t)s->selection.at[i].number, start->pc, start->count, end->pc,
			   end->count, relative_count(at), module_path(&at->start),
			   start->module_offset, module_path(&at->end), end->module_offset);
	}
}

static void put_runs(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "k", REPORT_U64, "" },          { "clusters", REPORT_U64, "" },
		{ "bic", REPORT_F64, "" },        { "seed", REPORT_ID, "" },
		{ "iterations", REPORT_U64, "" }, { "squares", REPORT_F64, "" },
		{ "error", REPORT_F64, "%" },     { NULL, 0, NULL },
	};

	report_table(r, "runs", columns);
	for (size_t i = 0; i < s->search.runs.count; i++) {
		const struct clustering *c = search_best(&s->search, i);

		report_row(r, (uint64_t)s->search.runs.at[i].k, (uint64_t)c->k, c->bic,
			   (uint64_t)c->seed, (uint64_t)c->iterations, c->squares,
			   100 * rounded(s->search.runs.at[i].error));
	}
}

/* Reports the numbers of clusters that the rules choose. */
static void put_choices(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "rule", REPORT_STRING, "" },
		{ "k", REPORT_U64, "" },
		{ "chosen", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	static const char *const names[N_CHOICES] = { "bic", "error", "elbow", "budget" };

	report_table(r, "choices", columns);
	for (unsigned i = 0; i < N_CHOICES; i++)
		if (s->search.choices[i] != SIZE_MAX)
			report_row(r, names[i], (uint64_t)s->search.runs.at[s->search.choices[i]].k,
				   i == s->o.choice ? "yes" : "no");
}

static void put_strata(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "stratum", REPORT_U64, "" },   { "weight", REPORT_F64, "" },
		{ "intervals", REPORT_U64, "" }, { "points", REPORT_U64, "" },
		{ "radius", REPORT_F64, "" },    { NULL, 0, NULL },
	};

	report_table(r, "strata", columns);
	for (unsigned i = 0; i < s->selection.n_strata; i++) {
		const struct stratum *t = &s->selection.strata[i];

		report_row(r, (uint64_t)t->cluster, t->weight, (uint64_t)t->intervals,
			   (uint64_t)t->points, rounded(t->radius));
	}
}

/* Returns copies of the points of intervals, of which struct simpoints may keep two kinds. */
static struct points points_by_interval(const struct simpoints *s)
{
	const struct many_points *m = &s->many;
	struct points p = { .n = s->points.n,
			    .dim = m->points.n ? m->points.dim : s->points.dim,
			    .weights = s->points.weights };

	p.at = checked_array(p.n * p.dim, sizeof(*p.at));
	for (size_t i = 0; i < p.n; i++)
		for (unsigned j = 0; j < p.dim; j++)
			p.at[i * p.dim + j] = m->points.n ? (double)float_point(&m->points,
										m->stands[i])[j]
							  : point(&s->points, i)[j];
	return p;
}

/* Reports the cluster of each interval, and its place among the others. */
static void put_intervals(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "interval", REPORT_U64, "" }, { "cluster", REPORT_U64, "" },
		{ "x", REPORT_F64, "" },        { "y", REPORT_F64, "" },
		{ "z", REPORT_F64, "" },        { NULL, 0, NULL },
	};
	struct points points = points_by_interval(s);
	struct principal principal;

	principal_project(&points, PRINCIPAL_COMPONENTS, &principal);
	report_f64(r, "x_variance", "%", 100 * principal.shares[0]);
	report_f64(r, "y_variance", "%", 100 * principal.shares[1]);
	report_f64(r, "z_variance", "%", 100 * principal.shares[2]);
	report_table(r, "interval_list", columns);
	for (size_t i = 0; i < points.n; i++) {
		const double *at = principal.at + i * PRINCIPAL_COMPONENTS;

		report_row(r, (uint64_t)i, (uint64_t)s->whole.labels[i], at[0], at[1], at[2]);
	}
	principal_free(&principal);
	free(points.at);
}

static const char *const combinations[] = { "concatenated", "sum", "sorted" };
static const char *const selections[] = { "centre", "random", "medoid", "systematic" };

static void put_origin(const struct simpoints *s, struct report *r)
{
	const char *repacked = s->origin.ids[ORIGIN_REPACKED];
	const char *repaired = s->origin.ids[ORIGIN_REPAIRED];

	report_string(r, "uuid", s->uuid);
	if (*repacked)
		report_string(r, "repacked_from", repacked);
	if (*repaired)
		report_string(r, "repaired_from", repaired);
}

struct report *simpoints_report(const struct simpoints *s, FILE *out, enum report_format format)
{
	struct report *r = report_begin(out, format);
	const struct simpoint_options *o = &s->o;

	if (format != REPORT_CSV) {
		const char *input = o->input                 ? o->input
				    : o->files[LOAD_VECTORS] ? o->files[LOAD_VECTORS]
							     : o->files[LOAD_VECTORS_BINARY];

		report_string(r, s->reader ? "trace" : "vectors", input);
		if (s->reader) {
			put_origin(s, r);
			if (s->all_threads)
				report_string(r, "thread_vectors", combinations[o->thread_vectors]);
			else
				report_id(r, "thread", o->thread);
			report_string(r, "counter",
				      o->counter == COUNTER_EXACT ? "exact" : "exp-bbv");
		}
		if (s->rows.interval_size)
			report_u64(r, "interval_size", "instructions", s->rows.interval_size);
		report_u64(r, "intervals", "", s->points.n);
		if (s->rows.n) {
			const struct quality *q = &s->quality;

			report_u64(r, "blocks", "", s->rows.n_dims);
			report_f64(r, "spread", "%", 100 * rounded(s->spread));
			report_f64(r, "vector_error", "%", 100 * rounded(q->error));
			report_f64(r, "mean_distance", "%", 100 * rounded(q->distance));
			report_f64(r, "code_coverage", "%", 100 * q->coverage);
			report_f64(r, "singletons", "%", 100 * q->singletons);
		}
		report_u64(r, "clusters", "", s->selection.n_strata);
		if (has_strata(s)) {
			report_u64(r, "selected", "", s->selection.n);
			report_string(r, "select", selections[o->select]);
		}
	}
	if (o->list_intervals && format != REPORT_CSV)
		put_intervals(s, r);
	put_points(s, r);
	if (format != REPORT_CSV) {
		if (s->reader && !s->recorded)
			put_bounds(s, r);
		if (has_strata(s))
			put_strata(s, r);
		put_runs(s, r);
		if (!o->as_simpoint)
			put_choices(s, r);
	}
	return r;
}

static int save_json(const struct simpoints *s)
{
	struct save_file *file;

	if (!s->o.files[SAVE_JSON])
		return EXIT_DONE;
	file = save_file_begin(s->o.files[SAVE_JSON]);
	if (!file)
		return EXIT_FAILED;
	plan_json_write(s, save_file_stream(file));
	return save_file_end(file);
}

/* Saves the size of an interval, as Scarab's scripts read it. */
static int save_segment_size(const struct simpoints *s)
{
	const char *path = s->o.files[SAVE_SEGMENT_SIZE];
	struct save_file *file;

	if (!path)
		return EXIT_DONE;
	if (!s->rows.interval_size) {
		command_error("%s: does not say the size of its intervals, which Scarab needs; use "
			      "--interval",
			      s->o.input);
		return EXIT_FAILED;
	}
	file = save_file_begin(path);
	if (!file)
		return EXIT_FAILED;
	fprintf(save_file_stream(file), "%" PRIu64 "\n", s->rows.interval_size);
	return save_file_end(file);
}

/* The files of every run, under names of their own. */
static int save_runs(const struct simpoints *s)
{
	int status = EXIT_DONE;

	for (size_t r = 0; r < s->search.runs.count && status == EXIT_DONE; r++) {
		const struct clustering *c = search_best(&s->search, r);
		struct selection selection;
		char suffix[64];

		snprintf(suffix, sizeof(suffix), ".run_%zu_k_%u", r + 1, s->search.runs.at[r].k);
		if (!simpoints_select(s, c, &selection))
			return EXIT_FAILED;
		status = outputs_write(&s->o, suffix, c, &selection, &s->points);
		selection_free(&selection);
	}
	return status;
}

static int save_regions(const struct simpoints *s)
{
	const char *const *files = s->o.files;
	int status = EXIT_DONE;

	if (files[SAVE_REGIONS])
		status = region_csv_write(files[SAVE_REGIONS], &s->info, &s->selection, s->regions);
	if (status == EXIT_DONE && files[SAVE_PC_REGIONS])
		status = pcregions_csv_write(files[SAVE_PC_REGIONS], &s->info, &s->selection,
					     s->regions);
	if (status == EXIT_DONE && files[SAVE_LOOPPOINT])
		status = looppoint_json_write(files[SAVE_LOOPPOINT], &s->selection, s->regions);
	return status;
}

int simpoints_save(const struct simpoints *s)
{
	int status = outputs_write_points(&s->o, &s->points, s->projection.at, s->projection.rows);

	if (status == EXIT_DONE)
		status = s->o.save_all
				 ? save_runs(s)
				 : outputs_write(&s->o, "", &s->whole, &s->selection, &s->points);
	if (status == EXIT_DONE)
		status = save_regions(s);
	if (status == EXIT_DONE)
		status = save_segment_size(s);
	return status == EXIT_DONE ? save_json(s) : status;
}

void simpoints_note_shape(const struct simpoints *s)
{
	if (s->points.n == 1)
		command_note(
			"there is only one interval, which is the simulation point; a smaller --interval gives more");
	else if (s->spread <= s->o.resolution)
		command_note("the program is uniform: its %zu intervals differ by %.2g %% of their "
			     "instructions, so a few of them, or one, represent all",
			     s->points.n, 100 * rounded(s->spread));
}
