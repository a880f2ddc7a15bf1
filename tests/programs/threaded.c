/* SPDX-License-Identifier: MIT */
/* An interpreter whose operations each jump to the next one. Each goes over data of its own, so that
 * only the interpreter's loop makes the program use these data again. */
#include <stdio.h>

enum { SIZE = 8192, LENGTH = 60 };

static long data[4][SIZE];

__attribute__((noipa)) static void sweep(long *from)
{
	for (int i = 0; i < SIZE; i++)
		from[i]++;
}

__attribute__((noipa)) static int run(const unsigned char *code)
{
	static void *const operations[] = { &&first, &&second, &&third, &&fourth, &&end };
	int count = 0;

	goto *operations[*code++];
first:
	sweep(data[0]);
	count += 1;
	goto *operations[*code++];
second:
	sweep(data[1]);
	count += 20;
	goto *operations[*code++];
third:
	sweep(data[2]);
	count += 300;
	goto *operations[*code++];
fourth:
	sweep(data[3]);
	count += 4000;
	goto *operations[*code++];
end:
	return count;
}

int main(void)
{
	unsigned char code[LENGTH + 1];
	unsigned state = 1;

	for (int i = 0; i < LENGTH; i++) {
		state = state * 1103515245 + 12345;
		code[i] = state >> 16 & 3;
	}
	code[LENGTH] = 4;
	printf("%d\n", run(code));
	return 0;
}
