/* SPDX-License-Identifier: MIT */
#include "cli/export/export.h"

#include <inttypes.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/memory_watch.h"
#include "cli/common/output_trace.h"
#include "cli/common/progress.h"
#include "cli/common/save_file.h"
#include "cli/common/trace_meta.h"

enum { WATCH_EVERY = 1 << 20 };

/* A visit of all instructions of a thread. */
struct visit {
	struct export_run *e;
	void (*each)(struct export_run *e, const struct linear_insn *insn);
	struct progress progress;
	bool refused; /* an instruction, after a message */
};

void export_record(struct export_run *e, const void *record, size_t size)
{
	pack_write(e->out, record, size);
	e->records++;
}

void export_accesses(const struct export_run *e, const struct linear_insn *insn,
		     struct linear_accesses *it)
{
	linear_accesses_begin(it, insn);
	if (e->options->rep_once && it->repetitions > 1)
		it->repetitions = 1;
}

/*
 * Counts the repetitions of a string instruction. Returns false, after a message, if there are
 * more than any program makes: a trace of a kilobyte must not fill a disk.
 */
static bool count_repetitions(struct export_run *e, const struct linear_insn *insn)
{
	static const uint64_t most = UINT64_C(1) << 32;
	struct linear_accesses it;

	if (!(insn->insn->flags & TF_INSN_REP) || !insn->values)
		return true;
	export_accesses(e, insn, &it);
	if (it.repetitions <= most && e->repetitions + it.repetitions <= most) {
		e->repetitions += it.repetitions;
		return true;
	}
	command_error("thread %" PRIu32
		      " repeats string instructions more than 2^32 times, at instruction "
		      "%" PRIu64 "; use --rep=once",
		      e->thread, insn->ordinal);
	return false;
}

static bool visit_insn(void *opaque, const struct linear_insn *insn)
{
	struct visit *v = opaque;

	v->refused = !count_repetitions(v->e, insn);
	if (v->refused)
		return false;
	v->each(v->e, insn);
	if (++v->e->instructions % WATCH_EVERY == 0) {
		progress_update(&v->progress, v->e->instructions);
		memory_watch();
		if (pack_has_failed(v->e->out)) /* as on a full disk; pack_end() says so */
			return false;
	}
	v->e->lost[LOSS_OPAQUE] += insn->insn->flags & TF_INSN_OPAQUE ? 1 : 0;
	return true;
}

enum { UNUSABLE = -1 }; /* nothing that is written is worth keeping */

/* Passes all instructions to each. Returns an exit code, or UNUSABLE after a message. */
static int visit_all(struct export_run *e, const struct export_request *r,
		     void (*each)(struct export_run *e, const struct linear_insn *insn))
{
	struct linear_options options = { e->thread, r->first, r->count, e->format->addresses };
	struct visit visit = { .e = e, .each = each };
	struct tf_totals totals;
	struct tf_error error;
	int status;

	if (tf_get_thread_totals(e->reader, e->thread, &totals, &error) < 0) {
		command_error("%s", error.text);
		return UNUSABLE;
	}
	e->instructions = e->repetitions = e->lost[LOSS_OPAQUE] = 0;
	progress_begin(&visit.progress, "exporting", totals.instructions, r->quiet);
	status = linear_run(e->reader, &options, visit_insn, &visit, &error);
	progress_end(&visit.progress);
	if (visit.refused)
		return UNUSABLE;
	if (status >= 0)
		return status;
	command_error("%s", error.text);
	return UNUSABLE;
}

/* ---- the note ---------------------------------------------------------------------------- */

static struct report *begin_report(const struct export_run *e, const struct export_request *r,
				   const char *path, FILE *out, enum report_format form)
{
	struct report *report = report_begin(out, form);
	char text[UUID_TEXT];
	struct tf_info info;
	struct tf_error error;

	report_string(report, "file", path);
	report_string(report, "to", e->format->name);
	if (tf_get_info(e->reader, &info, &error) == 0)
		report_string(report, "trace_uuid", uuid_text(info.uuid, text));
	report_id(report, "thread", e->thread);
	report_u64(report, "first", "", r->first);
	report_u64(report, "instructions", "", e->instructions);
	report_u64(report, "records", "", e->records);
	report_u64(report, "bytes", "", e->bytes);
	report_define(report, "bytes", "size of the content before compression");
	for (int i = 0; i < N_LOSSES; i++)
		if (e->lost[i]) {
			report_u64(report, loss_name(i), "", e->lost[i]);
			report_define(report, loss_name(i), loss_meaning(i));
		}
	return report;
}

/* Writes the note beside the file. Returns an exit code. */
static int save_note(const struct export_run *e, const struct export_request *r, const char *path,
		     const char *note)
{
	struct save_file *file = save_file_begin(note);

	if (!file)
		return EXIT_FAILED;
	report_end(begin_report(e, r, base_name(path), save_file_stream(file), REPORT_JSON));
	return save_file_end(file);
}

/* ---- a thread ---------------------------------------------------------------------------- */

/* Writes the file's content. Returns as visit_all. */
static int write_content(struct export_run *e, const struct export_request *r)
{
	const struct exporter *format = e->format;
	int counted = format->count ? visit_all(e, r, format->count) : EXIT_DONE, status;

	if (counted == UNUSABLE)
		return UNUSABLE;
	if (format->begin)
		format->begin(e);
	status = visit_all(e, r, format->insn);
	if (status != UNUSABLE && format->end)
		format->end(e);
	return status;
}

static int export_to(struct export_run *e, const struct export_request *r, const char *path,
		     const char *note)
{
	int status, written;

	e->out = pack_open(path);
	if (!e->out)
		return EXIT_FAILED;
	status = write_content(e, r);
	if (status == UNUSABLE) {
		pack_drop(e->out);
		return EXIT_FAILED;
	}
	e->bytes = pack_size(e->out);
	written = pack_end(e->out);
	if (written == EXIT_DONE)
		written = save_note(e, r, path, note);
	if (written != EXIT_DONE)
		return written;
	if (!r->quiet)
		report_end(begin_report(e, r, path, stdout, r->report));
	return status;
}

static int export_thread(struct tf_reader *reader, const struct export_request *r, uint32_t thread,
			 const char *path)
{
	const struct tf_thread *record = tf_thread(reader, thread);
	char *note = text_format("%s.json", path);
	struct export_run e = {
		.format = r->format,
		.options = &r->options,
		.reader = reader,
		.process = record ? record->process : 0,
		.thread = thread,
		.state = checked_array(1, r->format->state_size),
	};
	int status = check_output_trace(r->trace, path, r->force);

	if (status == EXIT_DONE)
		status = check_output_trace(r->trace, note, r->force);
	if (status == EXIT_DONE)
		status = export_to(&e, r, path, note);
	if (e.format->free)
		e.format->free(&e);
	free(e.state);
	free(note);
	return status;
}

/*
 * Returns the name of a thread's file, "gzip.1.champsim.xz" for "gzip.champsim.xz". The caller
 * frees it.
 */
static char *thread_path(const char *out, uint32_t thread)
{
	const char *name = base_name(out), *dot = strchr(name, '.');
	size_t stem = dot ? (size_t)(dot - out) : strlen(out);

	return text_format("%.*s.%" PRIu32 "%s", (int)stem, out, thread, out + stem);
}

static uint64_t instructions_of(struct tf_reader *reader, uint32_t thread)
{
	struct tf_totals totals;

	return tf_get_thread_totals(reader, thread, &totals, NULL) == 0 ? totals.instructions : 0;
}

/* Writes a file for each thread that has instructions, or just OUT if only one has. */
static int export_threads(struct tf_reader *reader, const struct export_request *r)
{
	uint32_t n = tf_n_threads(reader), active = 0;
	int result = EXIT_DONE;

	for (uint32_t i = 0; i < n; i++)
		active += instructions_of(reader, i) > 0;
	for (uint32_t i = 0; i < n && result == EXIT_DONE; i++) {
		char *path;

		if (!instructions_of(reader, i))
			continue;
		path = active > 1 ? thread_path(r->out, i) : checked_copy(r->out);
		result = export_thread(reader, r, i, path);
		free(path);
	}
	return result;
}

/* ---- the trace --------------------------------------------------------------------------- */

/* Checks that the trace has what the format needs. Returns an exit code. */
static int check_trace(const struct tf_info *info, const struct export_request *r)
{
	note_loss(r->trace, info);
	if (!check_readable(r->trace, info) || !check_recorded(r->trace, info))
		return EXIT_FAILED;
	if (has_only_vectors(info) || !info->totals.instructions) {
		command_error("%s has no executions of instructions to export; record them by "
			      "trace-record without --vectors",
			      r->trace);
		return EXIT_UNSUITABLE;
	}
	if (r->format->addresses && !info->has_addresses) {
		command_error("%s has no addresses, which %s needs; record without --no-addresses",
			      r->trace, r->format->name);
		return EXIT_UNSUITABLE;
	}
	return r->thread == UINT64_MAX || check_thread(r->trace, r->thread, info->n_threads)
		       ? EXIT_DONE
		       : EXIT_UNSUITABLE;
}

int export_trace(const struct export_request *r)
{
	struct tf_reader *reader = NULL;
	struct tf_error error;
	struct tf_info info;
	int result;

	memory_watch_input(r->trace);
	if (tf_open(r->trace, &reader, &error) < 0 || tf_load(reader, &error) < 0 ||
	    tf_get_info(reader, &info, &error) < 0) {
		command_error("%s", error.text);
		tf_close(reader);
		return EXIT_FAILED;
	}
	result = check_trace(&info, r);
	if (result == EXIT_DONE)
		result = r->thread == UINT64_MAX
				 ? export_threads(reader, r)
				 : export_thread(reader, r, (uint32_t)r->thread, r->out);
	tf_close(reader);
	return result == EXIT_DONE && info.bytes_lost ? EXIT_FAILED : result;
}
