/* SPDX-License-Identifier: MIT */
/*
 * Address traces of Dinero IV: din, lines "LABEL ADDRESS" of aligned words of 4 bytes, and xdin,
 * lines "T ADDRESS SIZE". A fetch is an instruction, and the accesses behind it are its own. A file
 * without fetches has an instruction at address 0 for each access.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unpack.h"
#include "cli/import/bare_thread.h"
#include "cli/import/import_formats.h"

enum {
	LINE_SIZE = 1024,
	WORD = 4,          /* bytes of each access of din */
	STEP = 1 << 16,    /* lines between looks at memory and progress */
	MOST_SIZE = 65535, /* bytes of an access of xdin */
};

enum action { READ, WRITE, FETCH, OTHER, BAD };

struct din {
	struct import_job *job;
	struct bare_thread *thread;
	bool extended;
	bool has_fetched;
	struct bare_insn insn;
	bool has_insn;
	bool unended;           /* the last line */
	uint64_t others, bytes; /* of lines */
};

static enum action action_of(bool extended, int letter)
{
	static const char labels[] = "01234", letters[] = "rwimcv";
	static const enum action actions[] = { READ, WRITE, FETCH, READ, OTHER };
	static const enum action extended_actions[] = { READ, WRITE, FETCH, READ, OTHER, OTHER };
	const char *known = extended ? letters : labels;
	const char *at = letter ? strchr(known, tolower(letter)) : NULL;

	if (!at)
		return BAD;
	return extended ? extended_actions[at - known] : actions[at - known];
}

static void end_insn(struct din *d)
{
	if (d->has_insn)
		bare_thread_insn(d->thread, &d->insn);
	d->has_insn = false;
}

/* Control may go on anywhere behind a fetch, as branches are not told from other instructions. */
static void begin_insn(struct din *d, uint64_t pc, unsigned length)
{
	end_insn(d);
	d->insn = (struct bare_insn){ .pc = pc, .taken = true };
	d->insn.length = (uint8_t)(length < TF_MAX_INSN_BYTES ? length : TF_MAX_INSN_BYTES);
	d->has_insn = true;
}

static void add_access(struct din *d, unsigned access, uint64_t address, unsigned size)
{
	if (!d->has_insn || !d->has_fetched)
		begin_insn(d, 0, 1);
	if (bare_insn_access(&d->insn, access, address, (uint16_t)size))
		return;
	begin_insn(d, d->insn.pc, d->insn.length);
	bare_insn_access(&d->insn, access, address, (uint16_t)size);
}

static void act(struct din *d, enum action action, uint64_t address, unsigned size)
{
	switch (action) {
	case FETCH:
		d->has_fetched = true;
		begin_insn(d, address, size);
		break;
	case READ: add_access(d, TF_LOAD, address, size); break;
	case WRITE: add_access(d, TF_STORE, address, size); break;
	default: d->others++; break;
	}
}

/* Takes a line. Returns false if it violates the format. */
static bool take(struct din *d, const char *line)
{
	uint64_t address, size = WORD;
	enum action action;
	char *end;

	line += strspn(line, " \t");
	action = action_of(d->extended, *line);
	if (action == BAD || !isblank((unsigned char)line[1]))
		return false;
	line += 1 + strspn(line + 1, " \t");
	if (!isxdigit((unsigned char)*line))
		return false;
	errno = 0;
	address = strtoull(line, &end, 16);
	if (d->extended) {
		line = end + strspn(end, " \t");
		if (line == end || !isxdigit((unsigned char)*line))
			return false;
		size = strtoull(line, &end, 16);
		if (size < 1 || size > MOST_SIZE)
			return false;
	}
	if (errno || (*end && !isspace((unsigned char)*end)))
		return false;
	act(d, action, address, (unsigned)size);
	return true;
}

/* Tells why a line of that length before a zero byte or the end of the room is none. */
static void tell_bad_line(const struct din *d, size_t length)
{
	const char *name = shown_name(d->job->from);

	if (length + 1 < LINE_SIZE)
		command_error("%s: line %" PRIu64 ": has a zero byte", name, d->job->records);
	else
		command_error("%s: line %" PRIu64 ": has more than %d bytes", name, d->job->records,
			      LINE_SIZE - 2);
}

static bool take_all(struct din *d, FILE *file)
{
	char line[LINE_SIZE];

	while (fgets(line, sizeof(line), file)) {
		d->job->records++;
		d->bytes += strlen(line);
		if (!strchr(line, '\n') && !feof(file)) {
			tell_bad_line(d, strlen(line));
			return false;
		}
		d->unended = !strchr(line, '\n');
		if (!take(d, line)) {
			command_error("%s: line %" PRIu64 ": is not one of %s",
				      shown_name(d->job->from), d->job->records,
				      d->extended
					      ? "xdin: \"T ADDRESS SIZE\", T one of r w i m c v, "
						"numbers hexadecimal, size from 1 to ffff"
					      : "din: \"LABEL ADDRESS\", LABEL 0 to 4, address "
						"hexadecimal");
			return false;
		}
		if (d->job->records % STEP == 0 && !import_step(d->job, d->bytes))
			return false;
	}
	end_insn(d);
	if (ferror(file))
		return false;
	if (!d->job->instructions)
		command_error("%s: has no accesses", shown_name(d->job->from));
	return d->job->instructions != 0;
}

static bool import(struct import_job *job, bool extended)
{
	struct bare_format format = { extended ? "xdin" : "din", true, true, false };
	struct din d = { .job = job, .extended = extended };
	FILE *file = unpack_stream(job->from);
	bool done = false;

	if (file)
		d.thread = bare_thread_open(job, &format);
	if (d.thread)
		done = take_all(&d, file);
	bare_thread_close(d.thread);
	if (file)
		fclose(file);
	if (done && d.unended)
		command_warning("%s: its last line, %" PRIu64 ", has no end; the file may be cut",
				shown_name(job->from), job->records);
	if (done && d.others)
		command_warning("%s: %" PRIu64 " lines are flushes, copies back or "
				"invalidations, and are left out",
				shown_name(job->from), d.others);
	return done;
}

bool din_import(struct import_job *job)
{
	return import(job, false);
}

bool xdin_import(struct import_job *job)
{
	return import(job, true);
}
