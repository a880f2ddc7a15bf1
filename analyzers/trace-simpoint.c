/* SPDX-License-Identifier: MIT */
/*
 * trace-simpoint - chooses simulation points, as SimPoint 3.2 does or better.
 *
 * Basic block vectors are projected to few dimensions (project.h) and clustered (kmeans.h); the
 * number of clusters is chosen by a score (search.h); the interval nearest to the center of each
 * stands for it (selection.h).
 */
#include <math.h>
#include <stdlib.h>

#include "analyzers/simpoint/plan_json.h"
#include "analyzers/simpoint/presets.h"
#include "analyzers/simpoint/simpoints.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/memory_watch.h"
#include "cli/common/save_file.h"

static int check_files(const struct simpoint_options *o, bool is_from_trace)
{
	if ((o->files[SAVE_PC_REGIONS] || o->files[SAVE_LOOPPOINT]) && !is_from_trace)
		return command_usage_error("--save-pc-regions, --save-looppoint: need a trace, not "
					   "vectors");
	if (o->other && (!is_from_trace || !is_trace(o->other)))
		return command_usage_error("more than one input given; only recorded vectors are "
					   "compared with those of another run");
	if (o->mark && !is_from_trace)
		return command_usage_error("--interval-mark: needs a trace, not vectors");
	if (o->preset && !o->prefix)
		return command_usage_error("--preset names the files of -o");
	if (o->preset == PRESET_LOOPPOINT && !is_from_trace)
		return command_usage_error("--preset=looppoint: needs a trace, not vectors");
	if ((o->files[SAVE_REGIONS] || o->pc_file) && !o->input)
		return command_usage_error("regions and functions need vectors with ids");
	return EXIT_DONE;
}

/* Returns true if the trace has executions, or vectors whose intervals end at known addresses. */
static bool has_addresses(const struct simpoints *s)
{
	struct tf_info info;

	return !s->recorded || (tf_get_info(s->reader, &info, NULL) == 0 && info.n_intervals);
}

/*
 * Leaves out the file of addresses, which older vectors do not have. Returns false after a message
 * if the user has named such a file.
 */
static bool leave_out_addresses(struct simpoints *s, char *const names[N_FILES])
{
	const char **file = &s->o.files[SAVE_PC_REGIONS];
	bool named = *file && *file != names[SAVE_PC_REGIONS];

	if (has_addresses(s))
		return true;
	if (named || s->o.files[SAVE_LOOPPOINT]) { /* the preset's too, which has no other use */
		command_error(
			"%s: its basic block vectors do not have the addresses where intervals "
			"end; record them again with this version",
			s->o.input);
		s->status = EXIT_UNSUITABLE;
		return false;
	}
	*file = NULL;
	return true;
}

static void free_all(struct simpoints *s)
{
	bb_free(&s->rows);
	pc_names_free(&s->names);
	intervals_clear(&s->intervals);
	projection_free(&s->projection);
	points_free(&s->points);
	if (s->many.points.n)
		clustering_free(&s->whole);
	many_points_free(&s->many);
	run_cache_free(&s->cache);
	vector_run_close(s->run);
	search_free(&s->search);
	free(s->distances);
	free(s->shares);
	selection_free(&s->selection);
	free(s->starts);
	free(s->filtered);
	free(s->regions);
	free(s->initial);
	free(s->o.ks.at);
	free(s->o.command);
	proven_markers_free(&s->proven);
	parallel_regions_free(&s->parallel);
	tf_close(s->other);
	tf_close(s->reader);
}

static void report(const struct simpoints *s)
{
	if (s->o.format == REPORT_JSON)
		plan_json_write(s, stdout);
	else
		report_end(simpoints_report(s, stdout, s->o.format));
}

int main(int argc, char **argv)
{
	struct simpoints s = { .spread = NAN, .status = EXIT_FAILED };
	char *names[N_FILES] = { NULL };
	bool done, from_trace;
	int status;

	command_init("trace-simpoint");
	status = simpoint_parse(argc, argv, &s.o, &done);
	if (done) {
		free(s.o.ks.at);
		free(s.o.command);
		return status;
	}
	from_trace = s.o.input && is_trace(s.o.input);
	status = check_files(&s.o, from_trace);
	if (status != EXIT_DONE) {
		free(s.o.ks.at);
		free(s.o.command);
		return status;
	}
	preset_name_files(&s.o, from_trace, names);
	protect_input(s.o.input);
	protect_input(s.o.other);
	protect_input(s.o.pc_file);
	memory_watch_input(s.o.input);
	memory_watch_input(s.o.pc_file);
	if (s.o.compare)
		s.status = simpoints_compare(&s);
	else if (simpoints_read(&s) && leave_out_addresses(&s, names) && simpoints_cluster(&s) &&
		 simpoints_locate(&s)) {
		simpoints_note_shape(&s);
		if (preset_make_folders(&s.o, names))
			s.status = simpoints_save(&s);
		if (s.status == EXIT_DONE && !s.o.quiet)
			report(&s);
	}
	free_all(&s);
	for (int i = 0; i < N_FILES; i++)
		free(names[i]);

	int written = command_close_stdout();

	return s.status == EXIT_DONE ? written : s.status;
}
