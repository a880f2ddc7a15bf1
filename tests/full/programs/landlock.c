/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Confines itself by landlock, in which there is no rule for the recorder: only reading below /usr is allowed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "say.h"

static long done(long result)
{
	return result < 0 ? -errno : result;
}

static void *add(void *arg)
{
	for (int i = 0; i < 1000; i++)
		*(int *)arg += i;
	return NULL;
}

int main(void)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = 0x1fff };
	struct landlock_path_beneath_attr below = { .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE |
								      LANDLOCK_ACCESS_FS_READ_DIR |
								      LANDLOCK_ACCESS_FS_EXECUTE };
	long set, version = done(syscall(SYS_landlock_create_ruleset, NULL, 0, 1));
	pthread_t thread;
	int sum = 0, status;

	say("version %d\n", version > 0);
	set = done(syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0));
	if (set < 0) {
		say("none: %ld\n", set);
		return 0;
	}
	below.parent_fd = open("/usr", O_PATH);
	say("rule %ld",
	    done(syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &below, 0)));
	say(" privileges %ld", done(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
	say(" restrict %ld\n", done(syscall(SYS_landlock_restrict_self, set, 0)));
	say("tmp %ld proc %ld usr %d\n", done(open("/tmp", O_RDONLY)),
	    done(open("/proc/self/maps", O_RDONLY)), open("/usr/bin/env", O_RDONLY) >= 0);
	pthread_create(&thread, NULL, add, &sum);
	pthread_join(thread, NULL);
	say("sum %d\n", sum);
	if (!fork()) {
		execl("/usr/bin/true", "true", NULL);
		_exit(errno);
	}
	wait(&status);
	say("status %x\n", status);
	return 0;
}
