/* SPDX-License-Identifier: MIT */
#include "recorder/core/refusals.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "recorder/core/bounded.h"

/* ---- code ---- */

static const char unreadable[] = "it may be executed but not read, and into such a program the "
				 "kernel lets only root look; make it readable, or record as root";

static const char unlike[] =
	"it runs as another user, and into such a program the kernel lets only those "
	"look who have CAP_SYS_PTRACE; record with that";

/* Reads the head of an ELF file. Returns false if the file is none. */
static bool read_elf_header(const char *path, Elf64_Ehdr *header)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, header, sizeof(*header));

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(*header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

bool refusals_is_binary(const char *path)
{
	enum { FIRST_LINE = 80 }; /* bytes in which shells look for its end */
	char start[FIRST_LINE];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, start, sizeof(start));
	const char *end = n > 0 ? memchr(start, '\n', (size_t)n) : NULL;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	return (n >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0) ||
	       memchr(start, 0, end ? (size_t)(end - start) : (size_t)n);
}

/* Returns why the code of a file cannot be recorded, or NULL. */
static const char *why_not_file(const char *path)
{
	Elf64_Ehdr header;

	if (!read_elf_header(path, &header))
		return NULL;
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return "it is a 32-bit program; only 64-bit x86 programs can be recorded";
	if (header.e_machine != EM_X86_64)
		return "it is for another processor; only 64-bit x86 programs can be recorded";
	return NULL;
}

const char *refusals_start(const char *path)
{
	return access(path, R_OK) < 0 && errno == EACCES ? unreadable : why_not_file(path);
}

/*
 * Returns true if the kernel would give the process the rights of the file if it were not traced.
 */
static bool gives_rights(const char *path, pid_t pid)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) < 0 || refusals_status(pid, "NoNewPrivs") > 0 ||
	    (statvfs(path, &fs) == 0 && fs.f_flag & ST_NOSUID))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool is_of_another_user(pid_t pid)
{
	return refusals_status(pid, "Uid") != (long)getuid();
}

static const char *look_at_program(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &st) < 0 && errno == EACCES)
		return is_of_another_user(pid) ? unlike : unreadable;
	if (geteuid() != 0 && gives_rights(path, pid))
		return "it is set-user-id or set-group-id, or has capabilities, and would run "
		       "without its rights; record as root";
	return why_not_file(path);
}

struct look {
	pid_t pid;
	const char *why;
};

static void look(void *state)
{
	struct look *l = state;

	l->why = look_at_program(l->pid);
}

const char *refusals_program(pid_t pid)
{
	struct look l = { .pid = pid };

	return bounded_run(look, &l, sizeof(l)) ? l.why : NULL;
}

/* ---- processes ---- */

long refusals_status(pid_t pid, const char *name)
{
	char path[64], line[256];
	size_t length = strlen(name);
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && value < 0 && fgets(line, sizeof(line), file))
		if (strncmp(line, name, length) == 0 && line[length] == ':')
			value = strtol(line + length + 1, NULL, 10);
	if (file)
		fclose(file);
	return value;
}

bool refusals_is_gone(pid_t tid)
{
	char path[64], line[256];
	bool gone = true;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "State:", 6) == 0)
			gone = strpbrk(line + 6, "ZX");
	if (file)
		fclose(file);
	return gone;
}

pid_t refusals_tracer(pid_t tid)
{
	return (pid_t)refusals_status(tid, "TracerPid");
}

bool refusals_is_confined(pid_t tid)
{
	static const char mode[] = "Seccomp", filters[] = "Seccomp_filters";

	return refusals_status(tid, mode) > 0 &&
	       (refusals_status(tid, mode) != refusals_status(getpid(), mode) ||
		refusals_status(tid, filters) != refusals_status(getpid(), filters));
}

const char *refusals_process(pid_t pid)
{
	char path[64], name[8];
	long leader;

	if (pid == getpid() || pid == getppid())
		return "that is the recorder itself";
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return "there is no such process";
	leader = refusals_status(pid, "Tgid");
	if (leader < 0)
		return "/proc does not show it, or it has ended";
	if (leader != pid)
		return "that is a thread; give the number of its process (Tgid in "
		       "/proc/PID/status)";
	if (refusals_tracer(pid) > 0)
		return "another tracer or debugger is attached to it (TracerPid in "
		       "/proc/PID/status); end that one first";
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (readlink(path, name, sizeof(name)) < 0 && errno == ENOENT)
		return "it has no program: it is a part of the kernel, or has ended";
	return why_not_file(path);
}

/* Returns Yama's ptrace_scope: 0 allows all, 1 descendants, 2 administrators, 3 none. */
static char yama_scope(void)
{
	int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char scope = '0';

	if (fd >= 0) {
		if (read(fd, &scope, 1) != 1)
			scope = '0';
		close(fd);
	}
	return scope;
}

int refusals_ptrace(struct session *s, pid_t pid, bool child)
{
	int error = errno;
	char scope = yama_scope();

	if (scope == '3')
		return session_fail(s, TF_E_IO,
				    "this system allows no ptrace at all "
				    "(kernel.yama.ptrace_scope is 3), and recording needs it");
	if (child)
		return session_fail(s, TF_E_IO,
				    "ptrace is refused: %s; in a container, start it "
				    "with --cap-add=SYS_PTRACE; under another debugger or a "
				    "sandbox, record outside of it",
				    strerror(error));
	if (error == EPERM && scope != '0' && geteuid() != 0)
		return session_fail(s, TF_E_IO,
				    "process %d: this system lets only root attach "
				    "(kernel.yama.ptrace_scope is %c): record as root, set that to "
				    "0, or start the program by trace-record",
				    (int)pid, scope);
	if (error == EPERM)
		return session_fail(s, TF_E_IO,
				    "process %d: attaching is refused: it %s; %sin a "
				    "container start this one with --cap-add=SYS_PTRACE",
				    (int)pid,
				    geteuid() ? "belongs to another user or has more rights"
					      : "has more rights, or is traced already",
				    geteuid() ? "record as root, " : "");
	return session_fail(s, TF_E_IO, "process %d: attaching fails: %s", (int)pid,
			    strerror(error));
}
