/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/trace_vectors.h"

#include <ftw.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzers/simpoint/spawn.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/http_file.h"
#include "cli/common/unfinished.h"

enum { MAX_WORDS = 32 };

bool is_trace(const char *path)
{
	char bytes[8];
	struct stat info;
	bool regular = stat(path, &info) == 0 && S_ISREG(info.st_mode); /* a pipe is read once */
	FILE *file = regular ? fopen(path, "re") : NULL;
	bool same = file && fread(bytes, sizeof(bytes), 1, file) == 1 &&
		    begins_as_trace(bytes, sizeof(bytes));

	if (file)
		fclose(file);
	return same || is_url(path); /* vectors are files */
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
	(void)info, (void)kind, (void)where;
	remove(path);
	return 0;
}

/* Cuts up words with blanks between; returns how many there are. */
static int cut_words(char *text, char **words, int most)
{
	char *word;
	int n = 0;

	while ((word = strsep(&text, " ")) && n < most)
		if (*word)
			words[n++] = word;
	return n;
}

static bool run_bbv(const char *folder, const char *trace, uint64_t interval, enum counter counter,
		    const char *options)
{
	char *command = command_beside("trace-bbv");
	char *bb = text_format("--bb-out-file=%s/bb.%%p", folder);
	char *pc = text_format("--pc-out-file=%s/pc.%%p", folder);
	char *size = text_format("--interval-size=%" PRIu64, interval);
	char *messages = text_format("%s/messages", folder);
	char *rules = counter == COUNTER_EXACT ? (char *)"--compat=exact" : (char *)"--quiet";
	char *more = text_format("%s", options ? options : "");
	char *places = (char *)"--places=module+offset";
	char *arguments[9 + MAX_WORDS] = { command, bb, pc, size, rules, places };
	int n = 6 + cut_words(more, arguments + 6, MAX_WORDS);
	bool done;

	arguments[n++] = (char *)"--";
	arguments[n] = (char *)trace;
	done = spawn_command(arguments, -1, messages);

	free(command);
	free(bb);
	free(pc);
	free(size);
	free(messages);
	free(more);
	return done;
}

bool trace_vectors(struct tf_reader *reader, const char *path, uint32_t thread, uint64_t interval,
		   enum counter counter, const char *options, unsigned jobs, struct bb_rows *rows,
		   struct pc_names *names)
{
	const char *chosen = getenv("TMPDIR"), *parent = chosen && *chosen ? chosen : "/tmp";
	char *folder = text_format("%s/trace-simpoint.XXXXXX", parent);
	const struct tf_thread *own = tf_thread(reader, thread), *other;
	const struct tf_process *process = own ? tf_process(reader, own->process) : NULL;
	unsigned number = 1;
	bool done = false;

	for (uint32_t i = 0; i < thread && own; i++)
		number += (other = tf_thread(reader, i)) && other->process == own->process;
	if (!mkdtemp(folder)) {
		command_error("cannot make a folder in %s: %m", parent);
		free(folder);
		return false;
	}

	struct unfinished *unfinished = unfinished_folder(folder);
	uint32_t pid = process ? process->pid : 0;
	char *bb = number == 1 ? text_format("%s/bb.%" PRIu32, folder, pid)
			       : text_format("%s/bb.%" PRIu32 ".%u", folder, pid, number);
	char *pc = text_format("%s/pc.%" PRIu32, folder, pid);

	if (run_bbv(folder, path, interval, counter, options)) {
		if (access(bb, R_OK) < 0)
			command_error("%s: thread %" PRIu32 " executed nothing", path, thread);
		else
			done = bb_read(bb, false, jobs, rows) && pc_names_read(pc, names);
	}
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	unfinished_end(unfinished);
	free(folder);
	free(bb);
	free(pc);
	return done;
}
