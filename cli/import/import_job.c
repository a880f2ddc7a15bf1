/* SPDX-License-Identifier: MIT */
#include "cli/import/import_job.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unfinished.h"
#include "cli/import/import_formats.h"

/* Memory that a trace may take: this, and more for each byte that has been read. */
#define FREE_MEMORY (UINT64_C(256) << 20)
enum { MEMORY_PER_BYTE = 100 };

static const struct import_format formats[] = {
	{ "drmemtrace", "DynamoRIO's offline traces: a folder, or a file of one thread",
	  drmemtrace_import },
	{ "champsim", "ChampSim's traces", champsim_import },
	{ "cloudsuite", "ChampSim's traces for champsim -c", cloudsuite_import },
	{ "sbbt", "branch traces of MBPlib", sbbt_import },
	{ "din", "address traces of Dinero IV and III", din_import },
	{ "xdin", "address traces of Dinero IV, with sizes", xdin_import },
	{ NULL, NULL, NULL },
};

const struct import_format *import_format(const char *name)
{
	for (const struct import_format *f = formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static const struct {
	const char *name, *meaning;
} losses[N_IMPORT_LOSSES] = {
	[LOSS_MISSING] = { "missing_accesses",
			   "operands of executed instructions have no access in the trace, and are "
			   "left out" },
	[LOSS_SURPLUS] = { "surplus_accesses", "accesses belong to no operand, and are left out" },
	[LOSS_SIZES] = { "other_sizes", "accesses have another size than their operands, whose "
					"size is taken" },
	[LOSS_PLACES] = { "other_places",
			  "executions of string instructions, gathers or scatters have other numbers or places of accesses than such an instruction makes" },
	[LOSS_JUMPS] = { "gaps",
			 "jumps have neither a branch nor an event as their reason, and are gaps in the trace" },
	[LOSS_KERNEL] = { "kernel_instructions", "instructions of the kernel are left out" },
	[LOSS_UNKNOWN] = { "unknown_records", "records of unknown types are left out" },
};

const char *import_loss_name(enum import_loss loss)
{
	return losses[loss].name;
}

/* ---- the trace --------------------------------------------------------------------------- */

bool import_begin(struct import_job *job, bool addresses)
{
	struct tf_writer_options options = { .size = sizeof(options), .threads = 1 };
	struct tf_error error;

	options.no_addresses = !addresses;
	job->code.addresses = addresses;
	return code_check(&job->code,
			  tf_writer_create(job->to, &options, &job->code.writer, &error), &error);
}

void import_note(struct import_job *job, const char *key, const char *value)
{
	struct tf_error error;

	if (job->code.status >= 0)
		code_check(&job->code, tf_writer_meta(job->code.writer, key, value, &error),
			   &error);
}

uint32_t import_thread(struct import_job *job, uint32_t pid, uint32_t tid, bool *is_first)
{
	struct tf_process process = { .pid = pid, .parent = TF_NONE };
	size_t known = job->processes.count;
	struct import_process *entry = checked(TABLE_PUT(job->processes, pid));
	struct tf_thread thread = { .tid = tid };
	struct tf_error error;
	uint32_t index;

	*is_first = job->processes.count > known;
	if (*is_first &&
	    !code_check(&job->code,
			tf_writer_add_process(job->code.writer, &process, &entry->index, &error),
			&error))
		return TF_NONE;
	thread.process = job->process = entry->index;
	if (!code_check(&job->code, tf_writer_add_thread(job->code.writer, &thread, &index, &error),
			&error))
		return TF_NONE;
	return index;
}

bool import_step(struct import_job *job, uint64_t read)
{
	uint64_t bytes = job->done + read;
	uint64_t size = code_table_size(&job->code) +
			job->order.runs.capacity * sizeof(*job->order.runs.at);

	progress_update(&job->progress, bytes);
	if (job->code.status < 0)
		return false;
	if (size > FREE_MEMORY && (size - FREE_MEMORY) / MEMORY_PER_BYTE > bytes) {
		command_error(
			"%s: is refused: its code takes more than 100 times as much memory as the file has bytes",
			shown_name(job->from));
		return false;
	}
	return true;
}

/* ---- all of it --------------------------------------------------------------------------- */

static void report_losses(const struct import_job *job)
{
	for (enum import_loss i = 0; i < N_IMPORT_LOSSES; i++)
		if (job->lost[i])
			command_warning("%s: %" PRIu64 " %s", shown_name(job->from), job->lost[i],
					losses[i].meaning);
}

int import_executions(const struct import_format *format, struct import_job *job, uint64_t *bytes)
{
	struct unfinished *made = unfinished_file(job->to);
	struct code_table *code = &job->code;
	struct tf_error error;
	struct stat st;
	uint64_t size = 0;
	bool done;

	if (stat(job->from, &st) == 0 && S_ISREG(st.st_mode))
		size = (uint64_t)st.st_size;
	progress_begin(&job->progress, "importing", size, job->quiet);
	done = format->run(job);
	if (done)
		thread_order_write(&job->order, code);
	progress_end(&job->progress);
	done = done && code->status >= 0 &&
	       code_check(code, tf_writer_finish(code->writer, -1, "imported", &error), &error);
	if (code->status < 0)
		command_error("%s", code->error.text);
	if (done) {
		report_losses(job);
		*bytes = tf_writer_size(code->writer);
	}
	if (!done && code->writer)
		unfinished_drop(made);
	else
		unfinished_end(made);
	tf_writer_free(code->writer);
	free(job->order.runs.at);
	TABLE_FREE(job->processes);
	code_table_free(code);
	return done && !job->cut ? EXIT_DONE : EXIT_FAILED;
}
