/* SPDX-License-Identifier: MIT */
/*
 * What a command is writing and nobody can use before it is finished: removed if a signal ends the
 * command (SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ), which then dies of it as always. So
 * do commands that it runs.
 */
#ifndef UNFINISHED_H
#define UNFINISHED_H

#include <sys/types.h>

struct unfinished;

/*
 * From now on a regular file of this name would be removed; anything else of that name stays, and
 * "-" is standard output. The path is copied. Any thread may call it.
 */
struct unfinished *unfinished_file(const char *path);

/* The same for a folder of the command's own, which holds files alone. */
struct unfinished *unfinished_folder(const char *path);

/* A child: it gets SIGTERM. */
struct unfinished *unfinished_process(pid_t pid);

/* It is finished, or gone: what is there stays. NULL is allowed. */
void unfinished_end(struct unfinished *unfinished);

/* It cannot be finished: it is removed now, or ended. NULL is allowed. */
void unfinished_drop(struct unfinished *unfinished);

#endif
