/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * mounts FOLDER [within | calls]: serves a file system in user space that has one file, FOLDER/code, which is this
 * program's own, and with it maps the file, executes code of it and reads it. The server is a process of its
 * own, one that the recorder does not follow unless asked; with another argument it is a thread. With within it
 * unmaps code before it hands over data. With calls it has called other() very often, and calls watched() from the
 * same place while main waits for data. Exits with 77 if the kernel does not allow it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 4, FILE_BYTES = PAGES * PAGE, ROOM = 1 << 18, FILE_NODE = 2 };

static int device;
static bool within, calls;
static atomic_bool wants_data;
static unsigned char content[FILE_BYTES], request[ROOM], reply[ROOM];

/* mov $NUMBER, %eax; ret at the begin of each page */
static void fill(void)
{
	for (unsigned i = 0; i < PAGES; i++) {
		unsigned char *at = content + i * PAGE;
		unsigned number = i + 1;

		at[0] = 0xb8;
		memcpy(at + 1, &number, sizeof(number));
		at[5] = 0xc3;
	}
}

static void answer(const struct fuse_in_header *in, int error, const void *data, size_t size)
{
	struct fuse_out_header out = { (unsigned)(sizeof(out) + size), error, in->unique };

	memcpy(reply, &out, sizeof(out));
	if (size)
		memcpy(reply + sizeof(out), data, size);
	if (write(device, reply, out.len) < 0 && errno != ENOENT)
		_exit(3);
}

static struct fuse_attr attributes(unsigned long node)
{
	struct fuse_attr a = { .ino = node, .nlink = 1, .blksize = PAGE };

	a.mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755;
	a.size = node == FILE_NODE ? FILE_BYTES : 0;
	return a;
}

static void read_file(const struct fuse_in_header *in, const struct fuse_read_in *r)
{
	size_t size = r->offset >= FILE_BYTES ? 0 : FILE_BYTES - r->offset;

	if (size > r->size)
		size = r->size;
	answer(in, 0, content + (size ? r->offset : 0), size);
}

/* Maps the program's file once more and unmaps it: a recorder discards all code of this process. */
static void change_code(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (code == MAP_FAILED || munmap(code, PAGE))
		_exit(4);
	close(fd);
}

void watched(void);
void other(void);

/* watched() goes on in other(), whose return may be in the midst of a translation. */
__asm__("	.globl watched, other\n"
	"	.type watched, @function\n"
	"	.type other, @function\n"
	"watched:\n"
	"	nop\n"
	"	jmp other\n"
	"	.size watched, .-watched\n"
	"other:\n"
	"	ret\n"
	"	.size other, .-other\n");

__attribute__((noinline)) static void repeat(void (*function)(void), unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		function();
}

/* Returns true if main waits for data. */
static bool main_waits(void)
{
	char path[64], line[512], *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	file = fopen(path, "r");
	if (!file || !fgets(line, sizeof(line), file))
		_exit(5);
	fclose(file);
	state = strrchr(line, ')');
	return wants_data && state && (state[2] == 'D' || state[2] == 'S');
}

static void call_watched(void)
{
	while (!main_waits())
		usleep(1000);
	repeat(watched, 5);
	calls = false;
}

static void serve(const struct fuse_in_header *in, const void *data)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = PAGE,
				      .max_write = PAGE, .max_background = 4 };
	struct fuse_entry_out entry = { .nodeid = FILE_NODE, .attr = attributes(FILE_NODE) };
	struct fuse_attr_out attr = { .attr = attributes(in->nodeid) };
	struct fuse_open_out open = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT: answer(in, 0, &init, sizeof(init)); break;
	case FUSE_LOOKUP:
		answer(in, strcmp(data, "code") ? -ENOENT : 0, &entry, strcmp(data, "code") ? 0 : sizeof(entry));
		break;
	case FUSE_GETATTR: answer(in, 0, &attr, sizeof(attr)); break;
	case FUSE_OPEN: answer(in, 0, &open, sizeof(open)); break;
	case FUSE_READ:
		if (calls)
			call_watched();
		else if (within)
			change_code();
		read_file(in, data);
		break;
	case FUSE_RELEASE:
	case FUSE_FLUSH: answer(in, 0, NULL, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: answer(in, -ENOSYS, NULL, 0);
	}
}

static void *serve_all(void *unused)
{
	(void)unused;
	if (calls)
		repeat(other, 200000);
	for (;;) {
		ssize_t n = read(device, request, sizeof(request));

		if (n < 0 && errno == ENODEV)
			return NULL;
		if (n > 0)
			serve((struct fuse_in_header *)request, request + sizeof(struct fuse_in_header));
	}
}

__attribute__((noinline)) int use(const char *folder);

int use(const char *folder)
{
	char path[256];
	unsigned char *at, *data;
	int fd, sum = 0;

	snprintf(path, sizeof(path), "%s/code", folder);
	fd = open(path, O_RDONLY);
	at = mmap(NULL, FILE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	data = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd < 0 || at == MAP_FAILED || data == MAP_FAILED)
		return -1;
	wants_data = true;
	sum = data[2 * PAGE + 1];
	for (unsigned i = 0; i < PAGES; i++)
		sum = sum * 10 + ((int (*)(void))(unsigned long)(at + i * PAGE))();
	munmap(at, FILE_BYTES);
	munmap(data, FILE_BYTES);
	close(fd);
	return sum;
}

int main(int argc, char **argv)
{
	char options[128];
	pthread_t thread;
	pid_t server = 0;

	if (argc < 2)
		return 2;
	within = argc > 2;
	calls = within && !strcmp(argv[2], "calls");
	fill();
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d", device, getuid(),
		 getgid());
	if (device < 0 || mount("mounts", argv[1], "fuse", MS_NODEV, options)) {
		printf("not allowed: a file system in user space: %s\n", strerror(errno));
		return 77;
	}
	if (within)
		pthread_create(&thread, NULL, serve_all, NULL);
	else if (!(server = fork()))
		_exit(serve_all(NULL) != NULL);
	printf("%d\n", use(argv[1]));
	umount2(argv[1], MNT_DETACH);
	if (server) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	return 0;
}
