/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/modes.h"

#include <math.h>
#include <stdio.h>

#include "cli/common/checked.h"

enum { MOST = 10 }; /* number of instructions whose share of the time is compared */

/* ---- rows -------------------------------------------------------------------------------- */

static void report_mode(const struct ibs_profiles *p, unsigned i, double cycles,
			struct report *report)
{
	const struct ibs_tally *tally = &p->tallies[i];
	const double *samples = p->samples[i];
	double executions = NAN, ops = NAN, expected = NAN, time = NAN, most = NAN;

	if (tally->samples) {
		executions = 100 * ibs_distance(samples, p->executions, p->n_insns);
		ops = 100 * ibs_distance(samples, p->ops, p->n_insns);
		expected = 100 * ibs_expected_distance(p->ops, p->n_insns, tally->samples);
		time = 100 * ibs_distance(samples, p->cycles, p->n_insns);
		most = 100 * ibs_recovered(samples, p->cycles, p->n_insns, MOST);
	}
	report_row(report, ibs_mode_names[i / IBS_N_RANDOMIZATIONS],
		   ibs_randomization_names[i % IBS_N_RANDOMIZATIONS], tally->samples,
		   tally->skipped, executions, ops, expected, time, most,
		   100 * (double)tally->dead_cycles / cycles, tally->killed);
}

/* Reports the distances of all modes. groups: by instruction, its group. */
static void report_groups(const struct ibs_profiles *profiles, const uint32_t *groups,
			  size_t n_groups, const char *name, struct report *report)
{
	static const struct report_column columns[] = {
		{ "mode", REPORT_STRING, "" },
		{ "randomization", REPORT_STRING, "" },
		{ "samples", REPORT_U64, "" },
		{ "skipped", REPORT_U64, "" },
		{ "distance_from_executions", REPORT_F64, "%" },
		{ "distance_from_ops", REPORT_F64, "%" },
		{ "expected", REPORT_F64, "%" },
		{ "distance_from_time", REPORT_F64, "%" },
		{ "top_10_of_time", REPORT_F64, "%" },
		{ "dead_time", REPORT_F64, "%" },
		{ "killed", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	struct ibs_profiles sums;
	double cycles = 0;

	ibs_profiles_init(&sums, n_groups);
	ibs_profiles_add(&sums, profiles, groups);
	for (size_t i = 0; i < n_groups; i++)
		cycles += sums.cycles[i];
	report_table(report, name, columns);
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++)
		report_mode(&sums, i, cycles, report);
	ibs_profiles_free(&sums);
}

/* ---- by keys ----------------------------------------------------------------------------- */

static bool are_about_code(const struct ibs_keys *keys)
{
	for (unsigned i = 0; i < keys->count; i++)
		if (keys->keys[i].kind != IBS_KEY_PLACE || keys->keys[i].of > PLACE_INSTRUCTION)
			return false;
	return true;
}

/* Fills in the group of each executed instruction. Returns the number of groups. */
static size_t group_by_keys(uint32_t *groups, const struct ibs_profiles *profiles,
			    const struct ibs_code *code, const struct ibs_keys *keys,
			    struct places *places)
{
	struct place_value values[IBS_MAX_KEYS];
	struct numbering numbers = { 0 };
	size_t count;

	for (size_t i = 0; i < profiles->n_executed; i++) {
		uint32_t insn = profiles->executed[i];
		struct ibs_sample sample = ibs_sample_of_insn(code, insn);

		ibs_keys_get(keys, places, &sample, values);
		groups[insn] = numbering_add(&numbers, values, keys->count * sizeof(*values));
	}
	count = numbers.count;
	numbering_free(&numbers);
	return count;
}

/* Fills in a group of its own for each executed instruction. Returns the number of groups. */
static size_t group_by_insn(uint32_t *groups, const struct ibs_profiles *profiles)
{
	for (size_t i = 0; i < profiles->n_executed; i++)
		groups[profiles->executed[i]] = (uint32_t)i;
	return profiles->n_executed;
}

void ibs_modes_report(const struct ibs_profiles *profiles, const struct ibs_code *code,
		      const struct ibs_keys *keys, struct places *places, struct report *report)
{
	char name[sizeof("modes_by_") + sizeof(keys->name)];
	uint32_t *groups = checked_array(profiles->n_insns, sizeof(*groups));
	size_t n_groups = group_by_insn(groups, profiles);

	report_groups(profiles, groups, n_groups, "modes", report);
	if (are_about_code(keys)) {
		n_groups = group_by_keys(groups, profiles, code, keys, places);
		snprintf(name, sizeof(name), "modes_by_%s", keys->name);
		report_groups(profiles, groups, n_groups, name, report);
	}
	free(groups);
}
