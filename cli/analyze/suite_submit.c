/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_submit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"
#include "cli/common/save_file.h"
#include "cli/common/shell_word.h"

/* Slurm's default MaxArraySize is 1001, and is the limit of a task's number. */
enum { MOST_IN_ARRAY = 1000 };

struct submission_plan {
	const struct submission *submission;
	const struct suite_jobs *jobs;
	struct suite_tasks stages[N_STAGES];
	char *directory; /* absolute */
	char *command;   /* trace-analyze */
	char *folder;    /* of scripts */
};

/* ---- command lines ------------------------------------------------------------------------- */

static void put_word(FILE *out, const char *format, const char *text)
{
	char *word = text_format(format, text);

	putc(' ', out);
	put_shell_word(out, word);
	free(word);
}

/* Writes the words that all command lines of a suite begin with. */
static void put_suite(FILE *out, const struct submission_plan *plan)
{
	put_shell_word(out, plan->command);
	fputs(" --all", out);
	put_word(out, "--suite=%s/suite.list", plan->directory);
	put_word(out, "--output=%s", plan->directory);
}

static void put_task(FILE *out, const struct submission_plan *plan, const struct suite_task *task)
{
	char *name = task_name(task);

	put_suite(out, plan);
	put_word(out, "--task=%s", name);
	putc('\n', out);
	free(name);
}

static void put_collect(FILE *out, const struct submission_plan *plan)
{
	put_suite(out, plan);
	if (plan->submission->only)
		put_word(out, "--only=%s", plan->submission->only);
	fputs(" --collect", out);
}

/* ---- plans --------------------------------------------------------------------------------- */

static void list_all(struct submission_plan *plan)
{
	for (unsigned stage = 0; stage < N_STAGES; stage++)
		list_tasks(plan->jobs, (enum stage)stage, plan->submission->part_size,
			   &plan->stages[stage]);
}

static bool begin_plan(struct submission_plan *plan, const struct submission *submission,
		       const struct suite_jobs *jobs)
{
	*plan = (struct submission_plan){ .submission = submission, .jobs = jobs };
	plan->directory = realpath(jobs->directory, NULL);
	if (!plan->directory) {
		command_error("%s: %m", jobs->directory);
		return false;
	}
	if (strchr(plan->directory, '\n')) {
		command_error("the name of a folder has a line break, which a list cannot have");
		free(plan->directory);
		return false;
	}
	plan->command = command_beside_this("trace-analyze");
	list_all(plan);
	return true;
}

static void end_plan(struct submission_plan *plan)
{
	for (unsigned stage = 0; stage < N_STAGES; stage++)
		free(plan->stages[stage].at);
	free(plan->directory);
	free(plan->command);
	free(plan->folder);
}

int print_commands(const struct submission *submission, const struct suite_jobs *jobs)
{
	struct submission_plan plan;
	unsigned stage = 0;

	if (!begin_plan(&plan, submission, jobs))
		return EXIT_FAILED;
	while (stage + 1 < N_STAGES && !plan.stages[stage].count)
		stage++;
	for (size_t i = 0; i < plan.stages[stage].count; i++)
		put_task(stdout, &plan, &plan.stages[stage].at[i]);
	end_plan(&plan);
	return command_close_stdout();
}

/* ---- Slurm --------------------------------------------------------------------------------- */

/*
 * Runs the line of the file $1 whose number, from 0, is that of the task of the array plus $2. sh
 * reads a command line from the file, which no option of sbatch has to quote.
 */
static const char task_script[] =
	"#!/bin/sh\n"
	"# Runs a line of a list of commands: that of this task of an array of jobs.\n"
	"# $1: the list; $2: lines of it before the array's first task.\n"
	"line=$(sed -n \"$((SLURM_ARRAY_TASK_ID + $2 + 1))p\" \"$1\")\n"
	"[ -n \"$line\" ] || { echo \"$1 has no line for task $SLURM_ARRAY_TASK_ID\" >&2; exit 1; }\n"
	"eval \"exec $line\"\n";

static void put_file(FILE *out, const struct submission_plan *plan, const char *name)
{
	char *path = text_format("%s/%s", plan->folder, name);

	put_shell_word(out, path);
	free(path);
}

/* Writes the lines that submit a stage in arrays of at most MOST_IN_ARRAY jobs. */
static void put_stage(FILE *out, const struct submission_plan *plan, unsigned stage)
{
	size_t count = plan->stages[stage].count;

	for (size_t first = 0; first < count; first += MOST_IN_ARRAY) {
		size_t n = count - first < MOST_IN_ARRAY ? count - first : MOST_IN_ARRAY;

		fprintf(out,
			"submit --job-name=trace-%s --array=0-%zu --output=", stage_words[stage],
			n - 1);
		put_file(out, plan, stage_words[stage]);
		fprintf(out, ".%zu.%%a.log ", first / MOST_IN_ARRAY);
		put_file(out, plan, "task.sh");
		putc(' ', out);
		put_file(out, plan, stage_words[stage]);
		fprintf(out, " %zu\n", first);
	}
	if (count)
		fprintf(out, "echo \"%s: %zu %s, jobs $new\"\nafter=$after$new new=\n",
			stage_words[stage], count, count == 1 ? "task" : "tasks");
}

/*
 * Stages do not depend on the success of the ones before (afterany): a failure does not stop other
 * jobs.
 */
static void put_script(FILE *out, const struct submission_plan *plan)
{
	fputs("#!/bin/sh\n"
	      "# Submits a suite of trace-analyze to Slurm. sbatch's options can be given by its\n"
	      "# variables: SBATCH_ACCOUNT, SBATCH_PARTITION, SBATCH_TIMELIMIT, SBATCH_MEM_PER_CPU...\n"
	      "after= new=\n"
	      "cancel() {\n"
	      "\t[ -z \"$after$new\" ] || scancel $(echo \"$after$new\" | tr : ' ')\n"
	      "\texit 1\n"
	      "}\n"
	      "submit() {\n"
	      "\tid=$(sbatch --parsable ${after:+--dependency=afterany$after} \"$@\") || cancel\n"
	      "\tnew=$new:${id%%;*}\n"
	      "}\n",
	      out);
	for (unsigned stage = 0; stage < N_STAGES; stage++)
		put_stage(out, plan, stage);
	fputs("submit --job-name=trace-collect --output=", out);
	put_file(out, plan, "collect.log");
	putc(' ', out);
	put_file(out, plan, "collect.sh");
	fputs("\necho \"collect: job $new\"\n", out);
}

static void put_tasks(FILE *out, const struct submission_plan *plan, unsigned stage)
{
	for (size_t i = 0; i < plan->stages[stage].count; i++)
		put_task(out, plan, &plan->stages[stage].at[i]);
}

static FILE *begin_file(const struct submission_plan *plan, const char *name,
			struct save_file **file, char **path)
{
	*path = text_format("%s/%s", plan->folder, name);
	*file = save_file_begin(*path);
	return *file ? save_file_stream(*file) : NULL;
}

static bool end_file(struct save_file *file, char *path)
{
	bool good = file && save_file_end(file) == EXIT_DONE;

	free(path);
	return good;
}

static bool write_files(const struct submission_plan *plan)
{
	struct save_file *file;
	bool good = true;
	char *path;
	FILE *out;

	for (unsigned stage = 0; stage < N_STAGES && good; stage++) {
		out = begin_file(plan, stage_words[stage], &file, &path);
		if (out)
			put_tasks(out, plan, stage);
		good = end_file(file, path);
	}
	out = good ? begin_file(plan, "task.sh", &file, &path) : NULL;
	if (out)
		fputs(task_script, out);
	good = good && end_file(file, path);
	out = good ? begin_file(plan, "collect.sh", &file, &path) : NULL;
	if (out) {
		fputs("#!/bin/sh\nexec ", out);
		put_collect(out, plan);
		putc('\n', out);
	}
	good = good && end_file(file, path);
	out = good ? begin_file(plan, "submit.sh", &file, &path) : NULL;
	if (out)
		put_script(out, plan);
	return good && end_file(file, path);
}

/*
 * Makes a folder of its own for each submission, as jobs that wait read their lists when they
 * begin.
 */
static bool make_folder(struct submission_plan *plan)
{
	for (unsigned number = 1; number < INT_MAX; number++) {
		free(plan->folder);
		plan->folder = text_format("%s/suite.slurm.%u", plan->directory, number);
		if (plan->submission->dry_run || mkdir(plan->folder, 0777) == 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	command_error("cannot make %s: %m", plan->folder);
	return false;
}

static void copy_stream(FILE *from, FILE *to)
{
	int c;

	rewind(from);
	while ((c = getc(from)) != EOF)
		putc(c, to);
}

static int run_script(const struct submission_plan *plan)
{
	char *path = text_format("%s/submit.sh", plan->folder);
	char *words[] = { (char *)"/bin/sh", path, NULL };
	struct job job = { .arguments = words, .keeps_output = true };
	int status = run_jobs(&job, 1, 1, "submitting", true);

	if (!status) {
		copy_stream(job.messages, stderr);
		copy_stream(job.output, stdout);
		if (!job_ended_with(&job, 0)) {
			command_error("%s: the jobs could not be submitted", path);
			status = EXIT_FAILED;
		}
	}
	job_close(&job);
	free(path);
	return command_close_stdout() ? EXIT_FAILED : status;
}

int submit_to_slurm(const struct submission *submission, const struct suite_jobs *jobs)
{
	struct submission_plan plan;
	int status = EXIT_FAILED;

	if (!begin_plan(&plan, submission, jobs))
		return EXIT_FAILED;
	if (make_folder(&plan)) {
		if (submission->dry_run) {
			put_script(stdout, &plan);
			status = command_close_stdout();
		} else if (write_files(&plan)) {
			status = run_script(&plan);
		}
	}
	end_plan(&plan);
	return status;
}
