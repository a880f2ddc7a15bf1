/* SPDX-License-Identifier: MIT */
/*
 * A profile for speedscope, by its schema (https://www.speedscope.app/file-format-schema.json): a
 * profile of type "sampled" that has each call path as one sample, which weighs its instructions.
 */
#include "analyzers/calls/export.h"
#include "cli/common/checked.h"
#include "cli/common/json_values.h"

static json_t *frames_of(const struct call_paths *p)
{
	json_t *frames = checked(json_array());

	for (uint32_t i = 0; i < p->profile->functions.functions.count; i++) {
		json_t *frame = checked(json_object());

		json_member(frame, "name", json_text(call_function_name(p, i)));
		json_member(frame, "file", json_text(call_function_module(p, i)));
		json_element(frames, frame);
	}
	return frames;
}

static json_t *stack_of(const uint32_t *stack, uint32_t depth)
{
	json_t *sample = checked(json_array());

	for (uint32_t i = 0; i < depth; i++)
		json_element(sample, json_number(stack[i]));
	return sample;
}

static json_t *profile_of(const struct call_paths *p)
{
	json_t *profile = checked(json_object());
	json_t *samples = checked(json_array()), *weights = checked(json_array());
	enum call_cost weight = call_costs_weight(&p->profile->costs);
	const char *modelled = p->profile->costs.modelled;
	uint32_t *stack = checked_array(p->count, sizeof(*stack));

	for (size_t i = 1; i < p->count; i++) {
		const struct call_path *path = &p->paths[i];
		uint64_t cost = call_path_exclusive(p, i).costs[weight];

		stack[path->depth - 1] = path->function;
		if (!cost)
			continue;
		json_element(samples, stack_of(stack, path->depth));
		json_element(weights, json_number(cost));
	}
	free(stack);
	json_member(profile, "type", json_word("sampled"));
	json_member(profile, "name", json_word(modelled ? modelled : "instructions"));
	json_member(profile, "unit", json_word("none"));
	json_member(profile, "startValue", json_number(0));
	json_member(profile, "endValue", json_number(call_path_inclusive(p, 0).costs[weight]));
	json_member(profile, "samples", samples);
	json_member(profile, "weights", weights);
	return profile;
}

void call_write_speedscope(FILE *out, const struct call_paths *p)
{
	json_t *file = checked(json_object()), *shared = checked(json_object());
	json_t *profiles = checked(json_array());

	json_element(profiles, profile_of(p));
	json_member(shared, "frames", frames_of(p));
	json_member(file, "$schema",
		    json_word("https://www.speedscope.app/file-format-schema.json"));
	json_member(file, "shared", shared);
	json_member(file, "profiles", profiles);
	json_member(file, "name", json_text(call_command(p)));
	json_member(file, "activeProfileIndex", json_number(0));
	json_member(file, "exporter", json_word("tracelab"));
	json_put_line(out, file, JSON_COMPACT);
}
