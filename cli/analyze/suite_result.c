/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_result.h"

#include <math.h>
#include <string.h>

#include "cli/analyze/suite_metrics.h"
#include "cli/analyze/suite_statistics.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/http_file.h"
#include "cli/common/json_values.h"
#include "cli/common/report_tables.h"
#include "cli/common/save_file.h"
#include "cli/common/tracereport.h"
#include "cli/common/write_page.h"

struct result {
	const struct suite_jobs *jobs;
	const struct suite_traces *traces;
	double *values; /* n_suite_metrics a trace */
	struct suite_statistics statistics;
	ARRAY(char *) names; /* of columns: they outlive the report */
};

static const char *trace_name(const struct result *r, size_t i)
{
	return r->traces->at[r->statistics.rows[i]].name;
}

static const char *keep(struct result *r, char *name)
{
	CHECKED_RESERVE(r->names, r->names.count + 1);
	r->names.at[r->names.count++] = name;
	return name;
}

/* ---- tables with any number of columns ----------------------------------------------------- */

struct grid {
	struct report_column *columns;
	struct report_cell *cells;
	size_t count;
};

/* Begins a table whose first column has names, with room for n more. */
static struct grid begin_grid(const char *first, size_t n)
{
	struct grid grid = { checked_array(n + 2, sizeof(*grid.columns)),
			     checked_array(n + 1, sizeof(*grid.cells)), 1 };

	grid.columns[0] = (struct report_column){ first, REPORT_STRING, "" };
	return grid;
}

static void add_column(struct grid *grid, const char *name, const char *unit)
{
	grid->columns[grid->count++] = (struct report_column){ name, REPORT_F64, unit };
}

static void put_row(struct grid *grid, struct report *report, const char *name,
		    const double *values)
{
	grid->cells[0] = report_text_cell(name);
	for (size_t i = 1; i < grid->count; i++)
		grid->cells[i] = report_real_cell(values[i - 1]);
	report_row_of_cells(report, grid->cells);
}

static void end_grid(struct grid *grid)
{
	free(grid->columns);
	free(grid->cells);
}

/* ---- metrics ------------------------------------------------------------------------------- */

static void put_metrics(struct result *r, struct report *report)
{
	struct grid grid = begin_grid("trace", n_suite_metrics);

	for (size_t i = 0; i < n_suite_metrics; i++)
		add_column(&grid, keep(r, metric_name(&suite_metrics[i])), suite_metrics[i].unit);
	report_table(report, "metrics", grid.columns);
	for (size_t t = 0; t < r->traces->count; t++)
		put_row(&grid, report, r->traces->at[t].name, r->values + t * n_suite_metrics);
	end_grid(&grid);
}

static void put_traces(const struct result *r, struct report *report)
{
	static const struct report_column columns[] = {
		{ "trace", REPORT_STRING, "" },      { "path", REPORT_STRING, "" },
		{ "instructions", REPORT_U64, "" },  { "bytes", REPORT_U64, "bytes" },
		{ "in_statistics", REPORT_U64, "" }, { NULL, 0, NULL },
	};
	size_t next = 0;

	report_table(report, "traces", columns);
	for (size_t t = 0; t < r->traces->count; t++) {
		const struct suite_trace *trace = &r->traces->at[t];
		bool takes_part = next < r->statistics.n && r->statistics.rows[next] == t;
		char *path = is_url(trace->path) ? shown_url(trace->path)
						 : checked_copy(trace->path);

		next += takes_part;
		report_row(report, trace->name, path, trace->instructions, trace->bytes,
			   (uint64_t)takes_part);
		free(path);
	}
}

/* ---- statistics ---------------------------------------------------------------------------- */

/* Adds the names of the components, pc1 and so on, as columns. */
static void add_components(struct result *r, struct grid *grid, unsigned count)
{
	for (unsigned c = 1; c <= count; c++)
		add_column(grid, keep(r, text_format("pc%u", c)), "");
}

static void put_components(struct result *r, struct report *report)
{
	static const struct report_column columns[] = {
		{ "component", REPORT_STRING, "" }, { "variance", REPORT_F64, "" },
		{ "share", REPORT_F64, "%" },       { "sum_of_shares", REPORT_F64, "%" },
		{ "kept", REPORT_U64, "" },         { NULL, 0, NULL },
	};
	const struct principal *p = &r->statistics.principal;
	double sum = 0;

	report_table(report, "components", columns);
	for (unsigned c = 0; c < p->components; c++) {
		char *name = text_format("pc%u", c + 1);

		sum += p->shares[c];
		report_row(report, name, p->shares[c] * p->variance, 100 * p->shares[c], 100 * sum,
			   (uint64_t)(c < r->statistics.kept));
		free(name);
	}
}

static void put_characteristics(struct result *r, struct report *report)
{
	const struct suite_statistics *s = &r->statistics;
	struct grid grid = begin_grid("characteristic", s->kept + 2);
	double *values = checked_array(s->kept + 2, sizeof(*values));

	add_column(&grid, "mean", "");
	add_column(&grid, "standard_deviation", "");
	add_components(r, &grid, s->kept);
	report_table(report, "characteristics", grid.columns);
	for (size_t j = 0; j < s->dim; j++) {
		char *name = metric_name(&suite_metrics[s->columns[j]]);

		values[0] = s->mean[j];
		values[1] = s->deviation[j];
		for (unsigned c = 0; c < s->kept; c++)
			values[2 + c] = s->principal.directions[(size_t)c * s->dim + j];
		put_row(&grid, report, name, values);
		free(name);
	}
	free(values);
	end_grid(&grid);
}

static void put_coordinates(struct result *r, struct report *report)
{
	const struct suite_statistics *s = &r->statistics;
	struct grid grid = begin_grid("trace", s->kept);

	add_components(r, &grid, s->kept);
	report_table(report, "coordinates", grid.columns);
	for (size_t i = 0; i < s->n; i++)
		put_row(&grid, report, trace_name(r, i), suite_point(s, i));
	end_grid(&grid);
}

static void put_distances(struct result *r, struct report *report)
{
	const struct suite_statistics *s = &r->statistics;
	struct grid grid = begin_grid("trace", s->n);

	for (size_t i = 0; i < s->n; i++)
		add_column(&grid, trace_name(r, i), "");
	report_table(report, "distances", grid.columns);
	for (size_t i = 0; i < s->n; i++)
		put_row(&grid, report, trace_name(r, i), s->distances + i * s->n);
	end_grid(&grid);
}

static void put_tree(const struct result *r, struct report *report)
{
	static const struct report_column merges[] = {
		{ "first", REPORT_U64, "" },
		{ "second", REPORT_U64, "" },
		{ "distance", REPORT_F64, "" },
		{ "traces", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	static const struct report_column leaves[] = {
		{ "leaf", REPORT_U64, "" },
		{ "trace", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	const struct suite_statistics *s = &r->statistics;

	report_table(report, "leaves", leaves);
	for (size_t i = 0; i < s->n; i++)
		report_row(report, (uint64_t)s->order[i], trace_name(r, s->order[i]));
	report_table(report, "merges", merges);
	for (size_t i = 0; i + 1 < s->n; i++)
		report_row(report, (uint64_t)s->merges[i].first, (uint64_t)s->merges[i].second,
			   s->merges[i].distance, (uint64_t)s->merges[i].size);
}

static void put_clusters(const struct result *r, struct report *report)
{
	static const struct report_column numbers[] = {
		{ "clusters", REPORT_U64, "" },
		{ "bic", REPORT_F64, "" },
		{ "mean_square", REPORT_F64, "" },
		{ "chosen", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	static const struct report_column traces[] = {
		{ "trace", REPORT_STRING, "" },
		{ "cluster", REPORT_U64, "" },
		{ "distance_to_centre", REPORT_F64, "" },
		{ "representative", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	const struct suite_statistics *s = &r->statistics;

	report_table(report, "numbers_of_clusters", numbers);
	for (size_t i = 0; i < s->clusters.n; i++)
		report_row(report, (uint64_t)i + 1, s->clusters.at[i].bic,
			   s->clusters.at[i].squares, (uint64_t)(i == s->clusters.chosen));
	report_table(report, "clusters", traces);
	for (size_t i = 0; i < s->n; i++)
		report_row(report, trace_name(r, i), (uint64_t)chosen_clusters(s)->labels[i],
			   s->to_centre[i], (uint64_t)s->representative[i]);
}

static void put_statistics(struct result *r, struct report *report)
{
	const struct suite_statistics *s = &r->statistics;

	if (s->n < 2)
		return;
	put_components(r, report);
	put_characteristics(r, report);
	put_coordinates(r, report);
	put_distances(r, report);
	put_tree(r, report);
	put_clusters(r, report);
}

static struct report *make_report(struct result *r, FILE *out, enum report_format format)
{
	const struct suite_statistics *s = &r->statistics;
	struct report *report = report_begin(out, format);

	report_u64(report, "traces_in_suite", "traces", r->traces->count);
	report_u64(report, "traces_in_statistics", "traces", s->n);
	report_u64(report, "characteristics_used", "characteristics", s->dim);
	report_u64(report, "components_kept", "components", s->kept);
	report_u64(report, "clusters_chosen", "clusters", s->n > 1 ? chosen_clusters(s)->k : 0);
	put_traces(r, report);
	put_metrics(r, report);
	put_statistics(r, report);
	return report;
}

/* ---- files --------------------------------------------------------------------------------- */

static int save_table(struct result *r)
{
	char *path = text_format("%s/suite.csv", r->jobs->directory);
	struct save_file *file = save_file_begin(path);
	int status = EXIT_FAILED;

	if (file) {
		struct report *report = report_begin(save_file_stream(file), REPORT_CSV);

		put_metrics(r, report);
		report_end(report);
		status = save_file_end(file);
	}
	free(path);
	return status;
}

static int save_json(struct result *r)
{
	char *path = text_format("%s/suite.json", r->jobs->directory);
	struct save_file *file = save_file_begin(path);
	int status = EXIT_FAILED;

	if (file) {
		report_end(make_report(r, save_file_stream(file), REPORT_JSON));
		status = save_file_end(file);
	}
	free(path);
	return status;
}

/* Returns the results as the page has them. */
static json_t *page_document(struct result *r)
{
	json_t *document = checked(json_object()), *pages = checked(json_array()), *results;
	char *text = NULL;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	report_end(make_report(r, out, REPORT_JSON));
	if (fclose(out))
		out_of_memory();
	results = checked(json_loads(text, 0, NULL));
	for (size_t i = 0; i < r->jobs->count; i++)
		if (!strcmp(r->jobs->at[i].name, PAGE_JOB) &&
		    job_has_result(r->jobs, &r->jobs->at[i]))
			json_element(pages, json_text(r->jobs->at[i].trace->name));
	json_member(results, "pages", pages);
	json_member(document, "tracelab_report", json_number(1));
	json_member(document, "generator", json_word("tracelab " TRACELAB_VERSION));
	json_member(document, "suite", results);
	free(text);
	return document;
}

static int save_page(struct result *r)
{
	char *path = text_format("%s/suite.html", r->jobs->directory);
	struct save_file *file = save_file_begin(path);
	json_t *document = page_document(r);
	int status = EXIT_FAILED;

	if (file) {
		write_page(save_file_stream(file), document);
		status = save_file_end(file);
	}
	json_decref(document);
	free(path);
	return status;
}

int save_suite_result(const struct suite_jobs *jobs, const struct suite_traces *traces)
{
	struct result r = { .jobs = jobs,
			    .traces = traces,
			    .values = read_suite_metrics(jobs, traces) };
	bool *use = checked_array(n_suite_metrics, sizeof(*use));
	int status;

	for (size_t i = 0; i < n_suite_metrics; i++)
		use[i] = suite_metrics[i].characteristic;
	suite_statistics(r.values, traces->count, n_suite_metrics, use, &r.statistics);
	status = save_table(&r) | save_json(&r) | save_page(&r);
	suite_statistics_free(&r.statistics);
	for (size_t i = 0; i < r.names.count; i++)
		free(r.names.at[i]);
	free(r.names.at);
	free(r.values);
	free(use);
	return status;
}
