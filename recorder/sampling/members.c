/* SPDX-License-Identifier: MIT */
#include "recorder/sampling/members.h"

static bool is_member(const struct members *m, uint32_t pid)
{
	const struct member *found = TABLE_FIND(m->pids, pid);

	return found && found->is_sampled;
}

static bool set(struct members *m, uint32_t pid, bool is_sampled)
{
	struct member *entry = TABLE_PUT(m->pids, pid);

	if (entry)
		entry->is_sampled = is_sampled;
	return entry;
}

bool members_add(struct members *m, uint32_t pid)
{
	return set(m, pid, true);
}

static bool take_fork(struct members *m, struct span body)
{
	uint32_t pid = take_le32(&body), parent = take_le32(&body);

	if (pid != parent) /* another process may have had this pid before */
		set(m, pid, is_member(m, parent) && m->follow);
	return is_member(m, pid);
}

static bool take_comm(struct members *m, const struct perf_record *record)
{
	struct span body = record->body;
	uint32_t pid = take_le32(&body);

	if (record->misc & PERF_RECORD_MISC_COMM_EXEC && pid == m->first)
		members_add(m, pid);
	return is_member(m, pid);
}

static bool take_sample(const struct members *m, const struct perf_events *events,
			const struct perf_record *record)
{
	struct perf_sample sample;

	return !perf_sample_parse(events, record, &sample) || !sample.has_thread ||
	       is_member(m, sample.pid);
}

bool members_take(struct members *m, const struct perf_events *events,
		  const struct perf_record *record)
{
	struct span body = record->body;

	switch (record->type) {
	case PERF_RECORD_SAMPLE: return take_sample(m, events, record);
	case PERF_RECORD_FORK: return take_fork(m, body);
	case PERF_RECORD_COMM: return take_comm(m, record);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return is_member(m, take_le32(&body));
	default: return true;
	}
}

void members_free(struct members *m)
{
	TABLE_FREE(m->pids);
}
