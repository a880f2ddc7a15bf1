/* SPDX-License-Identifier: MIT */
#include "analyzers/common/part_state.h"

#include "analyzers/common/replay.h"
#include "cli/common/command.h"

int part_state_new(const struct analysis *run, bool check, struct part_state *state)
{
	int status;

	*state = (struct part_state){ .borders = 0 };
	status = replay_new(run, &state->state);
	return status || !check ? status : replay_new(run, &state->check);
}

void part_state_free(const struct analysis *run, struct part_state *state)
{
	replay_free(run, state->state);
	replay_free(run, state->check);
	state->state = state->check = NULL;
}

int part_state_merge(const struct analysis *run, struct part_state *state,
		     const struct part_state *later)
{
	int status = state_merge(run->analyzer, state->state, later->state);

	state->borders += later->borders;
	return status || !state->check ? status
				       : state_merge(run->analyzer, state->check, later->check);
}

int part_state_save(const struct analysis *run, struct part_state *state,
		    struct state_writer *writer)
{
	int status;

	if (run->approximate)
		analyzer_put(writer, state->borders);
	status = state_save(run->analyzer, state->state, writer);
	return status || !state->check ? status : state_save(run->analyzer, state->check, writer);
}

int part_state_load(const struct analysis *run, struct part_state *state,
		    struct state_reader *reader, const char *path)
{
	int status;

	if (run->approximate)
		state->borders = analyzer_take(reader);
	status = state_load(run->analyzer, state->state, reader);
	if (!status && state->check)
		status = state_load(run->analyzer, state->check, reader);
	if (status || (!reader->bytes.bad && !span_left(&reader->bytes)))
		return status;
	command_error("%s: its contents are not a state of %s; make the part again", path,
		      run->analyzer->name);
	return EXIT_FAILED;
}
