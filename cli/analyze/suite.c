/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite.h"

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

static int run(const struct suite_request *request, struct suite_traces *traces,
	       const struct found_analyzers *analyzers, struct suite_jobs *jobs)
{
	char *copy = text_format("%s/suite.list", request->directory);
	int status = check_suite(traces);

	if (!status)
		status = list_suite_jobs(jobs, traces, analyzers, request->only);
	if (!status && !make_suite_folders(jobs))
		status = EXIT_FAILED;
	if (!status)
		status = save_suite(traces, copy);
	if (!status) {
		read_job_records(jobs);
		if (!request->collect)
			status = run_suite_jobs(jobs, &request->limits);
	}
	if (!status)
		status = collect(request, traces, analyzers);
	if (!status)
		status = summarize(request, traces, jobs);
	free(copy);
	return status;
}

int run_suite(const struct suite_request *request, struct found_analyzers *analyzers)
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
