/* SPDX-License-Identifier: MIT */
/* Tests when the recorder polls running tasks, and when it stops doing so. */
#include <check.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/ptrace/polling.h"
#include "tests/unit/run_suite.h"

static bool serve(struct session *s, bool last)
{
	(void)s;
	(void)last;
	return false;
}

static const struct backend serves = { .serve = serve }, does_not = { .name = "step" };

static struct session session_of(const struct backend *backend, unsigned cpus)
{
	struct session s = { .backend = backend };

	poll_set_up(&s, cpus);
	s.polling.look_again = session_now() + 3600; /* the load of this machine is not looked up */
	return s;
}

START_TEST(who_can)
{
	struct session s = session_of(&serves, 2);

	ck_assert(poll_is_possible(&s));
	ck_assert(!poll_is_on(&s));
	s = session_of(&serves, 1);
	ck_assert(!poll_is_possible(&s));
	s = session_of(&does_not, 2);
	ck_assert(!poll_is_possible(&s));
	s = session_of(&serves, 2);
	s.sampling = (struct sampling *)&s;
	ck_assert(!poll_is_possible(&s));
	s = session_of(&serves, 2);
	s.polling.busy = true;
	ck_assert(!poll_is_possible(&s));
}
END_TEST

START_TEST(who_is_told)
{
	struct session s = session_of(&serves, 2);

	ck_assert(!poll_announce(&s));
	ck_assert(!s.polling.announced);
	s.polling.until = session_now() + 3600;
	ck_assert(poll_announce(&s));
	ck_assert(s.polling.announced);
}
END_TEST

START_TEST(failures_make_longer_pauses)
{
	struct session s = session_of(&serves, 2);
	double last = 0;

	for (unsigned i = 0; i < 20; i++) {
		s.polling.until = session_now() + 3600;
		s.polling.served = 7;
		poll_failed(&s);
		ck_assert(!poll_is_on(&s));
		ck_assert_uint_eq(s.polling.served, 0);
		ck_assert(s.polling.pause > 0 && s.polling.pause <= 1);
		ck_assert(i == 0 || s.polling.pause == 2 * last || s.polling.pause == 1);
		last = s.polling.pause;
	}
	ck_assert(last == 1);
	/* A further failure does not count while polling is off. */
	s.polling.pause = 0.5;
	poll_failed(&s);
	ck_assert(s.polling.pause == 0.5);
	s.polling.paused_until = session_now() + 3600;
	ck_assert(!poll_is_possible(&s));
	s.polling.paused_until = session_now();
	ck_assert(poll_is_possible(&s));
}
END_TEST

/* A thread more than there are CPUs is busy, whatever runs beside. */
START_TEST(load_is_looked_up)
{
	enum { MOST = 64 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct session s = session_of(&serves, 2);
	pid_t busy[MOST];
	bool possible;

	if (cpus + 1 > MOST)
		return;
	for (long i = 0; i < cpus + 1; i++) {
		busy[i] = fork();
		while (busy[i] == 0)
			;
	}
	s.polling.look_again = 0;
	possible = poll_is_possible(&s);
	for (long i = 0; i < cpus + 1; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	ck_assert(!possible);
	ck_assert(s.polling.look_again > 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("polling");
	TCase *tests = tcase_create("polling");

	tcase_add_test(tests, who_can);
	tcase_add_test(tests, who_is_told);
	tcase_add_test(tests, failures_make_longer_pauses);
	tcase_add_test(tests, load_is_looked_up);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
