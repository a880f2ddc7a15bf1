/* flags: -nostdlib -nostartfiles -static -ffreestanding -fno-stack-protector -fcf-protection=none */
/* SPDX-License-Identifier: MIT */
/*
 * Walks through memory of all sorts, without a libc and on a stack of its own, so that all addresses
 * are the same under Valgrind. With an argument, some accesses cross lines of caches.
 */
#define APART __attribute__((noinline, noclone))

enum { N = 10, NODES = 300, BYTES = 5000 };

static long step_sum = 1; /* without initialized data, Valgrind reads no symbols */
static double a[N][N], b[N][N], c[N][N];
static struct node {
	struct node *next;
	long value;
	long counts[6];
} nodes[NODES] __attribute__((aligned(64)));
static unsigned char from[BYTES] __attribute__((aligned(64))), to[BYTES] __attribute__((aligned(64)));
char own_stack[16384] __attribute__((aligned(64)));

APART static void multiply(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
}

APART static void link_nodes(void)
{
	for (int i = 0; i < NODES; i++)
		nodes[i].next = &nodes[(i * 37 + 11) % NODES];
}

APART static long follow(int steps)
{
	struct node *node = nodes;
	long sum = 0;

	while (steps--) {
		node->counts[steps % 6]++;
		sum += node->value;
		node = node->next;
	}
	return sum;
}

APART static void copy(long size)
{
	const void *source = from;
	void *destination = to;

	__asm__ volatile("rep movsb" : "+S"(source), "+D"(destination), "+c"(size) : : "memory");
}

APART static void scatter(int step)
{
	unsigned place = 1;

	for (int i = 0; i < 1000; i++) {
		place = place * 1103515245 + 12345;
		*(volatile int *)(to + place / 7 % (BYTES / 8) * 8 + step) += i;
	}
}

APART static long recurse(int depth)
{
	volatile long kept[8];

	for (int i = 0; i < 8; i++)
		kept[i] = depth;
	return depth ? recurse(depth - 1) + kept[depth % 8] : 0;
}

__attribute__((used)) static void run(long argc)
{
	multiply();
	link_nodes();
	follow(NODES + 200);
	copy(1000);
	scatter(argc > 1 ? 6 : 0);
	recurse(20);
	step_sum += follow(100);
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
	__builtin_unreachable();
}

__asm__(".globl _start\n"
	"_start: mov (%rsp), %rdi\n"
	"lea own_stack+16384(%rip), %rsp\n"
	"call run\n");
