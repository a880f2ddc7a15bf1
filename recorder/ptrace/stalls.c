/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/stalls.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/touch.h"

static const double look_again_seconds = 0.05;

/* By the descriptor, a thread of the process may provide memory or files. */
static bool is_servers(const char *folder, const char *descriptor)
{
	static const char memory[] = "anon_inode:[userfaultfd]", files[] = "/dev/fuse";
	char path[96], target[64];
	ssize_t n;

	if (snprintf(path, sizeof(path), "%s/%s", folder, descriptor) >= (int)sizeof(path))
		return false;
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	return !strcmp(target, memory) || !strcmp(target, files);
}

static bool has_server(const struct process *p)
{
	char folder[64];
	struct dirent *entry;
	bool found = false;
	DIR *descriptors;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)p->pid);
	descriptors = opendir(folder);
	while (descriptors && !found && (entry = readdir(descriptors)))
		found = is_servers(folder, entry->d_name);
	if (descriptors)
		closedir(descriptors);
	return found;
}

/* Returns true if the programs that are recorded may provide memory or files. */
static bool serve_themselves(struct session *s)
{
	double now = session_now();

	if (s->stalls.found || now < s->stalls.look_again)
		return s->stalls.found;
	s->stalls.look_again = now + look_again_seconds;
	for (const struct process *p = s->processes.first; p && !s->stalls.found; p = p->next)
		s->stalls.found = has_server(p);
	return s->stalls.found;
}

bool stalls_running(const struct task *t)
{
	char state = task_kernel_state(t, NULL);

	if (state == 'S')
		t->session->stalls.found = true;
	return state == 'S' || (state == 'D' && serve_themselves(t->session));
}

bool stalls_in_call(const struct task *t)
{
	return serve_themselves(t->session);
}

void stalls_begin(struct task *t)
{
	const struct backend *b = t->session->backend;

	if (!touch_is_on(t) && b->stalled)
		b->stalled(t);
}
