/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite.h"

#include <string.h>

#include "cli/analyze/suite_result.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

/* ---- the summary --------------------------------------------------------------------------- */

static void put_counts(struct report *report, const struct suite_jobs *jobs)
{
	uint64_t counts[N_OUTCOMES] = { 0 }, kept = 0;

	for (size_t i = 0; i < jobs->count; i++) {
		counts[jobs->at[i].outcome]++;
		kept += jobs->at[i].kept && job_is_over(&jobs->at[i]);
	}
	report_u64(report, "jobs", "jobs", jobs->count);
	for (unsigned i = OUTCOME_DONE; i < N_OUTCOMES; i++)
		report_u64(report, outcome_words[i], "jobs", counts[i]);
	report_u64(report, outcome_words[OUTCOME_MISSING], "jobs", counts[OUTCOME_MISSING]);
	report_u64(report, "kept_from_earlier_runs", "jobs", kept);
}

static bool is_failure(const struct suite_job *job)
{
	return job->outcome != OUTCOME_DONE && job->outcome != OUTCOME_SKIPPED;
}

/* Lists the jobs that did not do all they could. Returns EXIT_FAILED if there are any. */
static int put_failures(struct report *report, const struct suite_jobs *jobs)
{
	static const struct report_column columns[] = {
		{ "trace", REPORT_STRING, "" },
		{ "analyzer", REPORT_STRING, "" },
		{ "outcome", REPORT_STRING, "" },
		{ "message", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	size_t count = 0;

	for (size_t i = 0; i < jobs->count; i++)
		count += is_failure(&jobs->at[i]);
	(count ? report_table : report_data_table)(report, "not_done", columns);
	for (size_t i = 0; i < jobs->count; i++) {
		const struct suite_job *job = &jobs->at[i];

		if (is_failure(job))
			report_row(report, job->trace->name, job->name, outcome_words[job->outcome],
				   job->message);
	}
	return count ? EXIT_FAILED : EXIT_DONE;
}

static int summarize(const struct suite_request *request, const struct suite_traces *traces,
		     const struct suite_jobs *jobs)
{
	struct report *report = report_begin(stdout, request->format);
	int status;

	report_u64(report, "traces", "traces", traces->count);
	put_counts(report, jobs);
	status = put_failures(report, jobs);
	report_end(report);
	return command_close_stdout() ? EXIT_FAILED : status;
}

/* ---- the suite ----------------------------------------------------------------------------- */

/* Makes the results of all analyzers that have run, also in earlier runs with another --only. */
static int collect(const struct suite_request *request, const struct suite_traces *traces,
		   const struct found_analyzers *analyzers)
{
	struct suite_jobs all = { .directory = request->directory };
	int status = list_suite_jobs(&all, traces, analyzers, NULL);

	if (!status) {
		read_job_records(&all);
		status = save_suite_result(&all, traces);
	}
	free_suite_jobs(&all);
	return status;
}

/* Runs or submits what is not over. Returns EXIT_DONE if there can be results then. */
static int run_or_submit(const struct suite_request *request, const struct suite_traces *traces,
			 const struct found_analyzers *analyzers, struct suite_jobs *jobs)
{
	int status;

	if (request->submit.kind == SUBMIT_COMMANDS)
		return print_commands(&request->submit, jobs);
	if (request->submit.kind == SUBMIT_SLURM)
		return submit_to_slurm(&request->submit, jobs);
	status = request->collect
			 ? EXIT_DONE
			 : run_suite_jobs(jobs, request->submit.part_size, &request->limits);
	if (!status)
		status = collect(request, traces, analyzers);
	return status ? status : summarize(request, traces, jobs);
}

static int run(const struct suite_request *request, struct suite_traces *traces,
	       const struct found_analyzers *analyzers, struct suite_jobs *jobs)
{
	char *copy = text_format("%s/suite.list", request->directory);
	int status = check_suite(traces);

	if (!status)
		status = list_suite_jobs(jobs, traces, analyzers, request->submit.only);
	if (!status && !make_suite_folders(jobs))
		status = EXIT_FAILED;
	if (!status)
		status = save_suite(traces, copy);
	if (!status) {
		read_job_records(jobs);
		status = run_or_submit(request, traces, analyzers, jobs);
	}
	free(copy);
	return status;
}

int run_suite(const struct suite_request *request, const struct found_analyzers *analyzers)
{
	struct suite_jobs jobs = { .directory = request->directory };
	struct suite_traces traces;
	int status = read_suite(request->list, &traces);

	if (!status)
		status = run(request, &traces, analyzers, &jobs);
	free_suite_jobs(&jobs);
	free_suite(&traces);
	return status;
}

/* ---- one task ------------------------------------------------------------------------------ */

/* Removes all traces but the one of a task, so that a task reads no other trace. */
static void keep_trace(struct suite_traces *traces, const char *task)
{
	size_t length = strcspn(task, "/"), kept = 0;

	for (size_t i = 0; i < traces->count; i++) {
		struct suite_trace *trace = &traces->at[i];

		if (strlen(trace->name) == length && !strncmp(trace->name, task, length)) {
			traces->at[kept++] = *trace;
		} else {
			free(trace->name);
			free(trace->path);
		}
	}
	traces->count = kept;
}

/* Says why a task is not done. */
static int explain(const struct suite_jobs *jobs, const struct suite_task *task)
{
	const struct suite_job *job = task->job;
	bool part_done = task->kind == TASK_PART && has_part(jobs, task, task->part);

	if (part_done || job->outcome == OUTCOME_DONE || job->outcome == OUTCOME_SKIPPED)
		return EXIT_DONE;
	if (lacks_parts(jobs, task))
		command_error("%s/%s: some of the %u parts have no result", job->trace->name,
			      job->name, task->parts);
	else
		command_error("%s/%s: is %s: %s", job->trace->name, job->name,
			      outcome_words[job->outcome],
			      job->message ? job->message : "there is no message");
	return EXIT_FAILED;
}

static int run_task(const struct suite_request *request, const struct suite_traces *traces,
		    const struct found_analyzers *analyzers, struct suite_jobs *jobs)
{
	static const struct run_limits limits = { .at_once = 1, .quiet = true };
	struct suite_task task;
	struct suite_tasks tasks = { .at = &task, .count = 1 };
	int status = list_suite_jobs(jobs, traces, analyzers, NULL);

	if (!status)
		status = parse_task(jobs, request->task, &task);
	if (!status && !make_suite_folders(jobs))
		status = EXIT_FAILED;
	if (status)
		return status;
	read_job_records(jobs);
	if (!job_is_over(task.job) && !(task.kind == TASK_PART && has_part(jobs, &task, task.part)))
		status = run_tasks(jobs, &tasks, "analyzing", &limits);
	return status ? status : explain(jobs, &task);
}

int run_suite_task(const struct suite_request *request, const struct found_analyzers *analyzers)
{
	struct suite_jobs jobs = { .directory = request->directory };
	struct suite_traces traces;
	int status = read_suite(request->list, &traces);

	if (!status)
		keep_trace(&traces, request->task);
	for (size_t i = 0; i < traces.count && !status; i++)
		status = check_suite_trace(&traces.at[i]) ? EXIT_DONE : EXIT_FAILED;
	if (!status)
		status = run_task(request, &traces, analyzers, &jobs);
	free_suite_jobs(&jobs);
	free_suite(&traces);
	return status;
}
