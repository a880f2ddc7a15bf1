/* SPDX-License-Identifier: MIT */
#include "analyzers/common/part_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/quantity.h"

static char reason[256];

/* ---- variables of the environment --------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t *number)
{
	return text && *text && strspn(text, "0123456789") == strlen(text) &&
	       parse_count(text, number);
}

/* Reads a variable. Returns NULL, or the reason why its value is refused. */
static const char *variable(const char *name, uint64_t *number)
{
	const char *text = getenv(name);

	if (parse_number(text, number))
		return NULL;
	if (text)
		snprintf(reason, sizeof(reason), "%s is '%.60s', which is not a number", name,
			 text);
	else
		snprintf(reason, sizeof(reason), "%s is not set", name);
	return reason;
}

static const char *two_variables(const char *part, const char *n_parts, struct part_choice *choice)
{
	const char *wrong = variable(part, &choice->part);

	return wrong ? wrong : variable(n_parts, &choice->n_parts);
}

/* ---- sources ------------------------------------------------------------------------------ */

static const char *slurm_step(struct part_choice *choice)
{
	uint64_t step;
	const char *wrong = variable("SLURM_STEP_ID", &step);

	return wrong ? wrong : two_variables("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", choice);
}

/* Computes the part from the ids of an array: first, last, and the step between them. */
static const char *array(const char *id_name, const char *first_name, const char *last_name,
			 const char *step_name, struct part_choice *choice)
{
	uint64_t id, first, last, step;
	const char *wrong = variable(id_name, &id);

	if (!wrong)
		wrong = variable(first_name, &first);
	if (!wrong)
		wrong = variable(last_name, &last);
	if (!wrong)
		wrong = variable(step_name, &step);
	if (wrong)
		return wrong;
	if (!step || id < first || id > last || (id - first) % step)
		return "the id of the array's task is not one of the array's";
	choice->part = (id - first) / step;
	choice->n_parts = (last - first) / step + 1;
	return NULL;
}

static const char *slurm_array(struct part_choice *choice)
{
	uint64_t count;
	const char *wrong = array("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN",
				  "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", choice);

	if (!wrong)
		wrong = variable("SLURM_ARRAY_TASK_COUNT", &count);
	if (!wrong && count != choice->n_parts)
		wrong = "the array's ids have holes; give it ids without holes, such as 0-63";
	return wrong;
}

static const char *sge_array(struct part_choice *choice)
{
	return array("SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", choice);
}

static const char *mpi(struct part_choice *choice)
{
	if (getenv("OMPI_COMM_WORLD_RANK"))
		return two_variables("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", choice);
	if (getenv("PMI_RANK"))
		return two_variables("PMI_RANK", "PMI_SIZE", choice);
	return "neither OMPI_COMM_WORLD_RANK nor PMI_RANK is set";
}

static const char *pbs_array(struct part_choice *choice)
{
	return variable("PBS_ARRAY_INDEX", &choice->part);
}

static const char *lsf_array(struct part_choice *choice)
{
	const char *wrong = two_variables("LSB_JOBINDEX", "LSB_JOBINDEX_END", choice);

	if (!wrong && !choice->part--)
		wrong = "LSB_JOBINDEX is 0, but the ids of a job array begin with 1";
	return wrong;
}

static const struct source {
	const char *name;
	const char *(*read)(struct part_choice *choice);
} sources[] = {
	{ "slurm-array", slurm_array }, { "slurm-step", slurm_step }, { "mpi", mpi },
	{ "pbs-array", pbs_array },     { "sge-array", sge_array },   { "lsf-array", lsf_array },
};

static const struct source *find_source(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strlen(sources[i].name) == length && !memcmp(sources[i].name, text, length))
			return &sources[i];
	return NULL;
}

/* ---- choices ------------------------------------------------------------------------------ */

static const char *check(const struct part_choice *choice)
{
	if (!choice->n_parts)
		return "the number of parts is missing; write it behind a slash, as in pbs-array/64";
	if (choice->n_parts > MOST_PARTS)
		return "there cannot be more than 2^30 parts";
	if (choice->part < choice->n_parts)
		return NULL;
	snprintf(reason, sizeof(reason),
		 "there is no part %" PRIu64 " of %" PRIu64 "; parts count from 0", choice->part,
		 choice->n_parts);
	return reason;
}

const char *part_choice_parse(struct part_choice *choice, const char *text)
{
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	const struct source *source = find_source(text, length);
	const char *wrong = NULL;
	char first[32];

	*choice = (struct part_choice){ 0 };
	snprintf(first, sizeof(first), "%.*s", length < 32 ? (int)length : 31, text);
	if (source)
		wrong = source->read(choice);
	else if (!slash || !parse_number(first, &choice->part))
		wrong = "I/N is expected, or slurm-array, slurm-step, mpi, pbs-array, sge-array or "
			"lsf-array";
	if (!wrong && slash && !parse_number(slash + 1, &choice->n_parts))
		wrong = "a number of parts is expected behind the slash";
	return wrong ? wrong : check(choice);
}

char *part_choice_name(const struct part_choice *choice, const char *pattern)
{
	const char *place = choice->n_parts ? strstr(pattern, "%p") : NULL;
	int width = snprintf(NULL, 0, "%" PRIu64, choice->n_parts - 1);

	if (!place)
		return checked_copy(pattern);
	return text_format("%.*s%0*" PRIu64 "%s", (int)(place - pattern), pattern, width,
			   choice->part, place + 2);
}
