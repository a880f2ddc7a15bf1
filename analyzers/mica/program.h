/* SPDX-License-Identifier: MIT */
/* A program's planned analyses and their files: the equivalent of a run of MICA. */
#ifndef MICA_PROGRAM_H
#define MICA_PROGRAM_H

#include "analyzers/mica/plan.h"
#include "analyzers/mica/team.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"

struct mica_output {
	struct mica_form form;
	struct mica_setup setup;
	char *path;
	struct save_file *file;
	struct mica_output *also; /* another one of the same analysis, or NULL */
	bool silent;              /* what is written does not count */
};

struct mica_program {
	const struct mica_plan *plan;
	const char *directory;
	struct mica_team *team; /* feeds the runs; NULL: nobody helps */
	unsigned n_runs;
	struct mica_run runs[MICA_KINDS];
	bool is_off;                            /* between instructions that toggle the analyses */
	struct mica_output outputs[MICA_KINDS]; /* plan->n_files */
};

/*
 * Begins files in a directory. pid: 0, or part of their names. Returns false after a message; stop
 * the program either way. The struct must not move; plan, directory and team must outlive it.
 */
bool mica_program_start(struct mica_program *program, const struct mica_plan *plan,
			struct mica_team *team, const char *directory, unsigned pid);

/*
 * Begins or ends a warm-up: executions up to its end fill the memories of the analyses, and nothing
 * else is left of them. A program begins without a warm-up.
 */
void mica_program_begin_warmup(struct mica_program *program);
void mica_program_end_warmup(struct mica_program *program);

/* `program` is void so that it can be a mica_expander's consume. */
void mica_program_feed(void *program, const struct mica_event *events, size_t count);

/*
 * Feeds an execution of a superblock, if the program takes such; for use as that of a
 * mica_expander.
 */
bool mica_program_takes_superblocks(const struct mica_program *program);
void mica_program_superblock(void *program, const struct mica_superblock_exec *exec);

/* Ends the last interval, when the team has done its work, and gives the files their names. Returns
 * EXIT_DONE, or EXIT_FAILED after a message. */
int mica_program_end(struct mica_program *program);

/* Drops unfinished files. */
void mica_program_stop(struct mica_program *program);

#endif
