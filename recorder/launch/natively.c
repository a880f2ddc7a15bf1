/* SPDX-License-Identifier: MIT */
#include "recorder/launch/natively.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/interrupts.h"
#include "recorder/core/region.h"
#include "recorder/launch/launch.h"
#include "recorder/sampling/sampling.h"

/* Milliseconds for poll until a time in seconds; 0: none. */
static int left_until(double deadline)
{
	double left = deadline - session_now();

	return !deadline ? -1 : left <= 0 ? 0 : left < 1e6 ? (int)(left * 1000) + 1 : 1000000000;
}

/* Waits until the process has ended, the time is over, or the user has had enough. */
static int watch(struct session *s)
{
	double deadline = s->options->seconds > 0 ? session_now() + s->options->seconds : 0;
	struct pollfd process = {
		.fd = (int)syscall(SYS_pidfd_open, s->main.pid, 0),
		.events = POLLIN,
	};
	int left, n = 0;

	if (process.fd < 0)
		return session_fail(s, TF_E_IO, "process %d: %s", (int)s->main.pid,
				    strerror(errno));
	while (n <= 0 && !interrupts_asked() && (left = left_until(deadline)) != 0)
		n = poll(&process, 1, left);
	close(process.fd);
	region_stop(s, n > 0 ? "exit" : interrupts_asked() ? "interrupt" : "time");
	return 0;
}

/* Returns true if the child has become the program, which closes its end of the pipe. */
static bool is_executed(const struct session *s)
{
	struct pollfd report = { .fd = s->main.report_fd, .events = POLLIN };

	while (poll(&report, 1, -1) < 0 && errno == EINTR)
		;
	return !(report.revents & POLLIN);
}

int natively_run(struct session *s)
{
	int status;

	s->main.status = -1;
	s->main.pid = s->options->pid;
	region_start_clock(s);
	if (s->options->pid) {
		interrupts_begin(true);
		s->main.executed = true;
		if (sampling_begin(s, s->main.pid) < 0)
			return -1;
	} else {
		if (launch(s) < 0)
			return -1;
		s->main.executed = is_executed(s);
	}
	status = watch(s);
	if (sampling_end(s) < 0)
		status = -1;
	if (!s->options->pid)
		s->main.ended = waitpid(s->main.pid, &s->main.status, 0) == s->main.pid;
	return status;
}
