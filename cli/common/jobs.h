/* SPDX-License-Identifier: MIT */
/* Runs commands of ours, several at a time, and keeps what they say. */
#ifndef JOBS_H
#define JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* A command that is to run, runs, or has run. The members up to owner are the caller's. */
struct job {
	char *const *arguments; /* arguments[0]: path of the command; NULL ends them */
	const char *directory;  /* where it runs; NULL: here */
	bool keeps_output;      /* in `output`; else the standard output is discarded */

	/*
	 * Called when the job has ended, before others begin in its place; it may close the job, so
	 * that thousands of them need few files. NULL: nothing is called.
	 */
	void (*ended)(struct job *job);
	void *owner; /* for ended() */

	FILE *output;   /* at its end; NULL unless kept */
	FILE *messages; /* its standard error, at its end; NULL if the job was not started */
	pid_t pid;      /* later processes may have the same number */
	bool runs;
	struct unfinished *running;
	int status;       /* of its end, as wait gives it */
	double begun;     /* seconds */
	double wall, cpu; /* seconds */
};

/*
 * Runs all jobs, each with an empty standard input, at most `at_once` at a time; 0 stands for the
 * number of cores. A line of progress has the label, unless `quiet`. Returns 0 when all have ended,
 * or EXIT_FAILED after a message if one could not be started or waited for.
 */
int run_jobs(struct job *jobs, size_t count, unsigned at_once, const char *label, bool quiet);

/* Returns the number of cores that this process may use. */
unsigned job_cores(void);

/* Returns true if the job ended with this exit code. */
bool job_ended_with(const struct job *job, int code);

/* Returns the text after "error: " or "warning: " in the first message that has either. Free it. */
char *job_first_message(const struct job *job);

/* Closes the streams of a job. */
void job_close(struct job *job);

/*
 * Returns the path of a command that is in the folder of this one, or the command's name. Free it.
 */
char *command_beside_this(const char *command);

#endif
