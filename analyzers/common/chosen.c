/* SPDX-License-Identifier: MIT */
#include "analyzers/common/chosen.h"

#include <inttypes.h>
#include <string.h>

#include "analyzers/common/symbol_names.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

int threads_of_others(const struct analysis *run, uint64_t pid, bool **left_out)
{
	bool any = false;

	*left_out = checked_array(run->n_threads, sizeof(**left_out));
	for (uint32_t i = 0; i < run->n_threads; i++) {
		const struct tf_thread *thread = tf_thread(run->reader, i);
		const struct tf_process *process = thread ? tf_process(run->reader, thread->process)
							  : NULL;

		(*left_out)[i] = !process || process->pid != pid;
		any |= !(*left_out)[i];
	}
	if (any)
		return 0;
	command_error("%s has no process with the pid %" PRIu64
		      "; trace-info --threads lists the pids",
		      run->path, pid);
	return EXIT_UNSUITABLE;
}

uint32_t threads_but_those_of(const struct analysis *run, uint32_t process, const bool *chosen,
			      bool **left_out)
{
	uint32_t n = 0;

	*left_out = checked_array(run->n_threads, sizeof(**left_out));
	for (uint32_t i = 0; i < run->n_threads; i++) {
		const struct tf_thread *thread = tf_thread(run->reader, i);

		(*left_out)[i] = !thread || thread->process != process || (chosen && chosen[i]);
		n += !(*left_out)[i];
	}
	if (!n)
		free(*left_out);
	return n;
}

/* Returns whether a name as in the source is `name`, perhaps with parameters behind it. */
static bool is_named(const char *source, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(source, name, length) && (!source[length] || source[length] == '(');
}

int exclude_other_functions(const struct analysis *run, const char *name, bool **excluded)
{
	struct symbol_names names = { 0 };
	bool any = false;

	if (!*excluded)
		*excluded = checked_array(tf_n_blocks(run->reader), sizeof(**excluded));
	for (uint32_t i = 0; i < tf_n_blocks(run->reader); i++) {
		const struct tf_block *block = tf_block(run->reader, i);
		const struct tf_symbol *symbol = block ? tf_symbol(run->reader, block->module,
								   block->module_offset)
						       : NULL;

		if (symbol &&
		    (!strcmp(symbol->name, name) || is_named(symbol_name(&names, symbol), name)))
			any = true;
		else
			(*excluded)[i] = true;
	}
	symbol_names_free(&names);
	if (any)
		return 0;
	command_error(
		"%s has no code of a function '%s'; trace-mix --by=symbol lists the functions",
		run->path, name);
	return EXIT_UNSUITABLE;
}
