/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/profiles.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"

void ibs_profiles_init(struct ibs_profiles *profiles, size_t n_insns)
{
	*profiles = (struct ibs_profiles){ .n_insns = n_insns };
	profiles->executed = checked_array(n_insns, sizeof(*profiles->executed));
	profiles->executions = checked_array(n_insns, sizeof(*profiles->executions));
	profiles->ops = checked_array(n_insns, sizeof(*profiles->ops));
	profiles->cycles = checked_array(n_insns, sizeof(*profiles->cycles));
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++)
		profiles->samples[i] = checked_array(n_insns, sizeof(*profiles->samples[i]));
}

void ibs_profiles_free(struct ibs_profiles *profiles)
{
	free(profiles->executed);
	free(profiles->executions);
	free(profiles->ops);
	free(profiles->cycles);
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++)
		free(profiles->samples[i]);
}

void ibs_profiles_clear(struct ibs_profiles *profiles)
{
	size_t n_insns = profiles->n_insns;

	ibs_profiles_free(profiles);
	ibs_profiles_init(profiles, n_insns);
}

static void add(double *to, const double *counts, const struct ibs_profiles *from,
		const uint32_t *groups)
{
	for (size_t i = 0; i < from->n_executed; i++)
		to[groups[from->executed[i]]] += counts[from->executed[i]];
}

static void add_tally(struct ibs_tally *to, const struct ibs_tally *from)
{
	to->samples += from->samples;
	to->skipped += from->skipped;
	to->killed += from->killed;
	to->dead_cycles += from->dead_cycles;
}

void ibs_profiles_add(struct ibs_profiles *to, const struct ibs_profiles *from,
		      const uint32_t *groups)
{
	add(to->executions, from->executions, from, groups);
	add(to->ops, from->ops, from, groups);
	add(to->cycles, from->cycles, from, groups);
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++) {
		add(to->samples[i], from->samples[i], from, groups);
		add_tally(&to->tallies[i], &from->tallies[i]);
	}
}

void ibs_observers_init(struct ibs_observers *o, struct ibs_profiles *profiles,
			const struct ibs_sampler *like)
{
	*o = (struct ibs_observers){ .profiles = profiles };
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++) {
		o->all[i].sampler = *like;
		o->all[i].sampler.mode = i / IBS_N_RANDOMIZATIONS;
		o->all[i].sampler.randomization = i % IBS_N_RANDOMIZATIONS;
		ibs_sampler_start(&o->all[i].sampler);
	}
}

/* ---- time -------------------------------------------------------------------------------- */

static void charge_retiring(struct ibs_observers *o)
{
	for (uint32_t i = 0; i < o->n_retiring; i++)
		o->profiles->cycles[o->retiring[i]] += 1.0 / o->n_retiring;
	o->n_retiring = 0;
}

/* Charges the cycles from next_cycle on in which nothing retires. */
static void charge_waiting(struct ibs_observers *o, uint32_t insn, const struct ibs_timing *t)
{
	uint64_t empty = 0, cycles = t->retired - o->next_cycle;

	if (o->redirected && t->dispatched > o->next_cycle)
		empty = t->dispatched - o->next_cycle;
	o->profiles->cycles[o->last] += (double)empty;
	o->profiles->cycles[insn] += (double)(cycles - empty);
}

static void charge(struct ibs_observers *o, uint32_t insn, const struct ibs_timing *t)
{
	if (t->retired >= o->next_cycle) {
		charge_retiring(o);
		charge_waiting(o, insn, t);
		o->next_cycle = t->retired + 1;
	}
	o->retiring[o->n_retiring++] = insn;
	o->last = insn;
	o->redirected = t->mispredicted;
}

/* ---- samples ----------------------------------------------------------------------------- */

static void take_sample(struct ibs_observers *o, unsigned i)
{
	struct ibs_observer *observer = &o->all[i];
	struct ibs_tally *tally = &o->profiles->tallies[i];

	o->profiles->samples[i][observer->insn]++;
	tally->samples++;
	tally->dead_cycles += observer->retired - observer->dispatched + observer->sampler.handler;
	ibs_sampler_retired(&observer->sampler, observer->retired);
}

static void sample_wrong_path(struct ibs_observers *o, const struct ibs_timing *t)
{
	struct ibs_wrong_path path = pipeline_wrong_path(o->wrong_paths, t);

	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++)
		ibs_sampler_wrong_path(&o->all[i].sampler, &path);
}

void ibs_observers_step(struct ibs_observers *o, const struct ibs_op *op,
			const struct ibs_timing *t)
{
	struct ibs_profiles *profiles = o->profiles;
	uint32_t insn = op->facts->insn;

	if (!op->repeats)
		profiles->executions[insn] += 1. / op->facts->n_ops;
	if (!profiles->ops[insn]++)
		profiles->executed[profiles->n_executed++] = insn;
	charge(o, insn, t);
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++) {
		struct ibs_observer *observer = &o->all[i];

		if (ibs_sampler_decided(&observer->sampler, t->dispatched))
			take_sample(o, i);
		if (ibs_sampler_dispatched(&observer->sampler, t->dispatched)) {
			observer->insn = insn;
			observer->dispatched = t->dispatched;
			observer->retired = t->retired;
		}
	}
	if (o->wrong_paths && t->mispredicted)
		sample_wrong_path(o, t);
}

void ibs_observers_end(struct ibs_observers *o)
{
	charge_retiring(o);
	for (unsigned i = 0; i < IBS_N_OBSERVERS; i++) {
		if (o->all[i].sampler.tagged)
			take_sample(o, i);
		o->profiles->tallies[i].skipped += o->all[i].sampler.skipped;
		o->profiles->tallies[i].killed += o->all[i].sampler.killed;
	}
}

/* ---- distances --------------------------------------------------------------------------- */

static double total(const double *profile, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += profile[i];
	return sum ? sum : 1;
}

double ibs_distance(const double *a, const double *b, size_t count)
{
	double total_a = total(a, count), total_b = total(b, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += fabs(a[i] / total_a - b[i] / total_b);
	return sum / 2;
}

/* Returns the mean of |x - np| for binomial x, 0 < p < 1, by De Moivre's formula. */
static double mean_deviation(double p, double n)
{
	double m = floor(n * p) + 1;
	double log_term = (n - m + 1) * log1p(-p) + m * log(p) + log(m) + lgamma(n + 1) -
			  lgamma(m + 1) - lgamma(n - m + 1);

	return 2 * exp(log_term);
}

double ibs_expected_distance(const double *profile, size_t count, uint64_t n)
{
	double all = total(profile, count), sum = 0;

	for (size_t i = 0; i < count && n; i++)
		if (profile[i] > 0 && profile[i] < all)
			sum += mean_deviation(profile[i] / all, (double)n) / (double)n;
	return sum / 2;
}

/* ---- the largest ------------------------------------------------------------------------- */

/* Finds the `most` largest values other than 0, in descending order; returns their number. */
static unsigned find_largest(const double *profile, size_t count, unsigned most, size_t *largest)
{
	unsigned n = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned k = n;

		while (k && profile[largest[k - 1]] < profile[i])
			k--;
		if (profile[i] <= 0 || k == most)
			continue;
		n += n < most;
		memmove(largest + k + 1, largest + k, (n - k - 1) * sizeof(*largest));
		largest[k] = i;
	}
	return n;
}

double ibs_recovered(const double *a, const double *truth, size_t count, unsigned most)
{
	size_t found[IBS_MOST_RECOVERED], right[IBS_MOST_RECOVERED];
	unsigned n_found = find_largest(a, count, most, found);
	unsigned n_right = find_largest(truth, count, most, right), common = 0;

	for (unsigned i = 0; i < n_right; i++)
		for (unsigned k = 0; k < n_found; k++)
			common += found[k] == right[i];
	return (double)common / n_right;
}
