/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/program.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/put.h"

/* ---- files ------------------------------------------------------------------------------- */

static char *path_in(const char *directory, const char *name)
{
	return text_format("%s/%s", directory, name);
}

static bool begin_file(struct mica_output *output, const char *directory, const char *name)
{
	output->path = path_in(directory, name);
	output->file = save_file_begin(output->path);
	return output->file;
}

static void put_lines(void *opaque, uint64_t (*lines)[MICA_LINE_CELLS], size_t count)
{
	struct mica_output *output = opaque;
	FILE *file = save_file_stream(output->file);

	if (output->silent)
		return;
	for (size_t i = 0; i < count; i++)
		for (unsigned cell = 0; cell < MICA_LINE_CELLS; cell++) {
			put_number(file, lines[i][cell]);
			putc_unlocked(cell + 1 < MICA_LINE_CELLS ? ' ' : '\n', file);
		}
}

static void emit(void *opaque, const struct mica_line *line)
{
	for (const struct mica_output *output = opaque; output; output = output->also)
		mica_write_line(save_file_stream(output->file), &output->form, line);
}

static void write_category(void *file, const char *category)
{
	fprintf(file, "%s\n", category);
}

/* Writes the contents of the group "other" of itypes. */
static int write_others(const struct mica_program *program, const void *itypes)
{
	struct mica_output output = { 0 };
	int status = EXIT_FAILED;

	if (begin_file(&output, program->directory, "itypes_other_group_categories.txt")) {
		itypes_others(itypes, write_category, save_file_stream(output.file));
		status = save_file_end(output.file);
	}
	free(output.path);
	return status;
}

/* ---- the program ------------------------------------------------------------------------- */

/* Returns the earlier output of the same analysis, or NULL; stack distances have two outputs. */
static struct mica_output *find_shared(struct mica_program *program, unsigned file)
{
	const struct mica_file *files = program->plan->files;

	for (unsigned i = 0; i < file; i++)
		if (files[i].analysis == &mica_stackdist && files[file].analysis == &mica_stackdist)
			return &program->outputs[i];
	return NULL;
}

static void add_output(struct mica_program *program, unsigned file)
{
	const struct mica_plan *plan = program->plan;
	struct mica_output *output = &program->outputs[file];
	struct mica_output *shared = find_shared(program, file);

	output->form = (struct mica_form){
		plan->dialect,
		plan->files[file].layout,
		plan->config.interval,
	};
	if (shared) {
		shared->also = output;
		return;
	}
	output->setup = plan->files[file].setup;
	output->setup.put_lines = put_lines;
	output->setup.opaque = output;
	struct mica_run *run = &program->runs[program->n_runs++];

	*run = (struct mica_run){
		.analysis = plan->files[file].analysis,
		.interval = plan->config.interval,
		.emit = emit,
		.opaque = output,
	};
	mica_run_start(run, &output->setup);
}

bool mica_program_start(struct mica_program *program, const struct mica_plan *plan,
			struct mica_team *team, const char *directory, unsigned pid)
{
	bool full = !plan->config.interval;

	*program = (struct mica_program){
		.plan = plan,
		.directory = directory,
		.team = team,
		.is_off = plan->config.toggled,
	};
	for (unsigned i = 0; i < plan->n_files; i++) {
		char name[64];

		mica_file_name(plan->files[i].base, plan->dialect, full, pid, name, sizeof(name));
		add_output(program, i);
		if (!begin_file(&program->outputs[i], directory, name))
			return false;
	}
	return true;
}

static void feed_runs(struct mica_program *program, const struct mica_event *events, size_t count)
{
	if (program->team) {
		mica_team_feed(program->team, program->runs, program->n_runs, events, count);
		return;
	}
	uint64_t instructions = mica_instructions(events, count);

	for (unsigned i = 0; i < program->n_runs; i++)
		mica_run_feed(&program->runs[i], events, count, instructions);
}

void mica_program_superblock(void *opaque, const struct mica_superblock_exec *exec)
{
	struct mica_program *program = opaque;

	for (unsigned i = 0; i < program->n_runs; i++)
		mica_run_superblock(&program->runs[i], exec);
}

bool mica_program_takes_superblocks(const struct mica_program *program)
{
	return !program->team && !program->plan->config.toggled;
}

/* Returns true for xchg of a register with itself. */
static bool toggles(const struct mica_insn *insn)
{
	const struct isa_facts *facts = &insn->facts;

	return facts->n_writes == 1 && facts->n_reads == 1 && !insn->has_read &&
	       !strcmp(facts->iclass, "XCHG");
}

/*
 * Feeds events between MICA's magic instructions: the one that switches on counts, the one that
 * switches off does not.
 */
static void feed_toggled(struct mica_program *program, const struct mica_event *events,
			 size_t count)
{
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		if (!toggles(events[i].insn))
			continue;
		if (!program->is_off)
			feed_runs(program, events + first, i - first);
		program->is_off = !program->is_off;
		first = i;
	}
	if (!program->is_off)
		feed_runs(program, events + first, count - first);
}

void mica_program_feed(void *opaque, const struct mica_event *events, size_t count)
{
	struct mica_program *program = opaque;

	if (program->plan->config.toggled)
		feed_toggled(program, events, count);
	else
		feed_runs(program, events, count);
}

/* ---- warm-up ------------------------------------------------------------------------------ */

void mica_program_begin_warmup(struct mica_program *program)
{
	for (unsigned i = 0; i < program->n_runs; i++)
		program->runs[i].interval = 0;
	for (unsigned i = 0; i < program->plan->n_files; i++)
		program->outputs[i].silent = true;
}

/* Starts an analysis anew. */
static void restart(struct mica_run *run)
{
	const struct mica_output *output = run->opaque;

	mica_run_stop(run);
	mica_run_start(run, &output->setup);
	run->now = (struct mica_counts){ 0 };
}

void mica_program_end_warmup(struct mica_program *program)
{
	if (program->team)
		mica_team_wait(program->team);
	for (unsigned i = 0; i < program->n_runs; i++) {
		struct mica_run *run = &program->runs[i];

		if (run->analysis->forgets_all)
			restart(run);
		else
			mica_run_forget(run);
		run->interval = program->plan->config.interval;
	}
	for (unsigned i = 0; i < program->plan->n_files; i++)
		program->outputs[i].silent = false;
}

/* ------------------------------------------------------------------------------------------- */

int mica_program_end(struct mica_program *program)
{
	int status = EXIT_DONE;

	if (program->team)
		mica_team_wait(program->team);
	for (unsigned i = 0; i < program->n_runs; i++) {
		const struct mica_run *run = &program->runs[i];

		mica_run_end(&program->runs[i]);
		if (run->analysis == &mica_itypes)
			status |= write_others(program, run->state);
	}
	for (unsigned i = 0; i < program->plan->n_files; i++) {
		status |= save_file_end(program->outputs[i].file);
		program->outputs[i].file = NULL;
	}
	return status;
}

void mica_program_stop(struct mica_program *program)
{
	if (program->team)
		mica_team_wait(program->team);
	for (unsigned i = 0; i < MICA_KINDS; i++) {
		save_file_drop(program->outputs[i].file);
		free(program->outputs[i].path);
	}
	for (unsigned i = 0; i < program->n_runs; i++)
		mica_run_stop(&program->runs[i]);
}
