/* SPDX-License-Identifier: MIT */
/*
 * Objects and their uses: three of 100 bytes, never read, one of them freed; one of 100 bytes,
 * the first 50 of which are read three times; one that is cleared and read; one of 8 bytes that
 * becomes one of 4000, of which the kernel reads 2008 bytes; a large one of which a fifth of the
 * bytes is written and the first third read; one that the kernel fills.
 */
#include <stdlib.h>
#include <unistd.h>
#define NOINLINE __attribute__((noipa))
static char *volatile sink;
static void put(volatile char *p, int n, int step) { for (int i = 0; i < n; i += step) p[i] = 1; }
static void get(volatile char *p, int n) { for (int i = 0; i < n; i++) (void)p[i]; }
NOINLINE void unread(void) { char *p = malloc(100); put(p, 100, 1); sink = p; }
NOINLINE void halves(void) { char *p = malloc(100); put(p, 100, 1); for (int k = 0; k < 3; k++) get(p, 50); sink = p; }
NOINLINE void clears(void) { char *p = calloc(1, 5000); get(p, 5000); sink = p; }
NOINLINE void grows(void)
{
	char *p = malloc(8);
	put(p, 8, 1);
	p = realloc(p, 4000);
	if (write(1, p, 8) != 8 || write(1, p + 1000, 2000) != 2000) abort();
	free(p);
}
NOINLINE void large(void) { char *p = malloc(300000); put(p, 300000, 5); get(p, 100000); sink = p; }
NOINLINE void fills(void) { char *p = malloc(64); if (read(0, p, 64) != 16) abort(); get(p, 20); sink = p; }
int main(void)
{
	for (int i = 0; i < 3; i++) unread();
	free(sink);
	halves();
	clears();
	grows();
	large();
	fills();
	return 0;
}
