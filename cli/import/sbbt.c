/* SPDX-License-Identifier: MIT */
/*
 * MBPlib's branch traces (SBBT 1.0): each branch, its outcome and target, and the number of
 * instructions since the branch before. As all branches are there, the instructions between two of
 * them follow each other in memory: from where the first branch led to the second one. Only their
 * lengths are not known, and are chosen to be as equal as possible.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unpack.h"
#include "cli/import/bare_thread.h"
#include "cli/import/import_formats.h"

enum {
	HEADER_SIZE = 24,
	BRANCH_SIZE = 16,
	CONDITIONAL = 1,
	INDIRECT = 2,
	KIND = 12, /* bits of the opcode */
	RETURN = 4,
	CALL = 8,
	RESERVED = 0x7f << 4, /* bits of the first word */
	TAKEN = 1 << 11,
	DISTANCE = 0xfff,   /* bits of the second word */
	BRANCHES = 1 << 12, /* read at a time */
	BRANCH_LENGTH = 2,  /* bytes, if a branch that is not taken leaves room for it */
};

struct sbbt {
	struct import_job *job;
	struct bare_thread *thread;
	uint64_t seen; /* instructions */
	bool has_begun;
	uint64_t from; /* where the last branch led */
	bool is_after; /* to the place behind it: `from` is its own address */
};

static enum tf_end end_of(unsigned opcode)
{
	if ((opcode & KIND) == RETURN)
		return TF_END_RETURN;
	if ((opcode & KIND) == CALL)
		return opcode & INDIRECT ? TF_END_INDIRECT_CALL : TF_END_CALL;
	if (opcode & CONDITIONAL)
		return TF_END_CONDITIONAL;
	return opcode & INDIRECT ? TF_END_INDIRECT_JUMP : TF_END_JUMP;
}

/*
 * Chooses the length of a branch that is not taken, where the next branch is `size` bytes ahead and
 * n instructions are in between. Returns 0 if none fits.
 */
static uint64_t branch_length(uint64_t size, uint64_t n)
{
	uint64_t least = size > n * TF_MAX_INSN_BYTES ? size - n * TF_MAX_INSN_BYTES : 1;
	uint64_t most = size > n ? size - n : 0;
	uint64_t length = least > BRANCH_LENGTH ? least : BRANCH_LENGTH;

	if (least > most || least > TF_MAX_INSN_BYTES)
		return 0;
	return length < most ? length : most;
}

/* Appends n instructions between the last branch and the one at pc, or a gap if they do not fit. */
static void fill(struct sbbt *s, uint64_t n, uint64_t pc)
{
	uint64_t ahead = s->is_after ? branch_length(pc - s->from, n) : 0;
	uint64_t from = s->from + ahead, size = pc - from;
	bool fits = size >= n && size <= n * TF_MAX_INSN_BYTES && (ahead || !s->is_after);

	if (!s->has_begun || !fits) {
		if (n || s->has_begun)
			bare_thread_gap(s->thread, n);
		s->job->lost[LOSS_JUMPS] += s->has_begun;
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t begin = size * i / n, end = size * (i + 1) / n;

		bare_thread_insn(s->thread, &(struct bare_insn){
						    .pc = from + begin,
						    .length = (uint8_t)(end - begin),
					    });
	}
}

/* Appends a branch and the instructions before it. Returns false after a message. */
static bool take(struct sbbt *s, const uint8_t *bytes)
{
	uint64_t first = get_le64(bytes), second = get_le64(bytes + 8);
	uint64_t distance = second & DISTANCE;
	struct bare_insn branch = {
		.pc = (uint64_t)((int64_t)first >> 12),
		.target = (uint64_t)((int64_t)second >> 12),
		.end = (uint8_t)end_of(first & 0xf),
		.taken = first & TAKEN,
	};

	if (first & RESERVED || !distance || (first & KIND) == KIND ||
	    (!branch.taken && !(first & CONDITIONAL))) {
		command_error("%s: branch %" PRIu64 ": violates the format",
			      shown_name(s->job->from), s->job->records);
		return false;
	}
	fill(s, distance - 1, branch.pc);
	s->from = branch.taken ? branch.target : branch.pc;
	s->is_after = !branch.taken;
	s->has_begun = true;
	if (first & INDIRECT)
		branch.target = 0;
	bare_thread_insn(s->thread, &branch);
	s->seen += distance;
	s->job->records++;
	return true;
}

static bool take_all(struct sbbt *s, struct unpack *unpack, uint64_t branches)
{
	uint8_t *bytes = checked_array(BRANCHES, BRANCH_SIZE);
	bool done = true;
	ssize_t n;

	do {
		n = unpack_read(unpack, bytes, BRANCHES * BRANCH_SIZE);
		done = n >= 0;
		for (ssize_t at = 0; done && at + BRANCH_SIZE <= n; at += BRANCH_SIZE)
			done = take(s, bytes + at);
		done = done && import_step(s->job, unpack_size(unpack));
	} while (done && n == BRANCHES * BRANCH_SIZE);
	free(bytes);
	if (done && (s->job->records != branches || n % BRANCH_SIZE)) {
		command_error("%s: has %" PRIu64 " branches, and its header says %" PRIu64
			      "; they are imported",
			      shown_name(s->job->from), s->job->records, branches);
		s->job->cut = true;
	}
	return done;
}

static bool read_header(const struct import_job *job, struct unpack *unpack, uint64_t *instructions,
			uint64_t *branches)
{
	static const uint8_t magic[] = { 'S', 'B', 'B', 'T', '\n', 1, 0, 0 };
	uint8_t header[HEADER_SIZE];
	ssize_t n = unpack_read(unpack, header, sizeof(header));

	if (n < 0)
		return false;
	if (n < HEADER_SIZE || memcmp(header, magic, sizeof(magic)) != 0) {
		command_error("%s: is not a branch trace of MBPlib (SBBT 1.0)",
			      shown_name(job->from));
		return false;
	}
	*instructions = get_le64(header + 8);
	*branches = get_le64(header + 16);
	return true;
}

bool sbbt_import(struct import_job *job)
{
	static const struct bare_format format = { "sbbt", .branches = true };
	struct unpack *unpack = unpack_open(job->from);
	struct sbbt s = { .job = job };
	uint64_t branches = 0, instructions = 0;
	bool done = unpack && read_header(job, unpack, &instructions, &branches);

	if (done) {
		unpack_allow_expansion(unpack);
		s.thread = bare_thread_open(job, &format);
	}
	done = s.thread && take_all(&s, unpack, branches);
	if (done && instructions < s.seen) {
		command_error("%s: has %" PRIu64 " instructions up to its last branch, and its "
			      "header says %" PRIu64 "; they are imported",
			      shown_name(job->from), s.seen, instructions);
		job->cut = true;
	}
	if (done && instructions > s.seen) /* behind the last branch */
		bare_thread_gap(s.thread, instructions - s.seen);
	bare_thread_close(s.thread);
	unpack_close(unpack);
	return done;
}
