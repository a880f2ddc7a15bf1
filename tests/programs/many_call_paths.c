/* flags: -O2 -static */
/* SPDX-License-Identifier: MIT */
/* Calls itself on 2^18 different call paths: a tree of calls whose branches have different names. */
#define NOINLINE __attribute__((noipa))

static volatile int sum;

NOINLINE void right(int n);

NOINLINE void left(int n)
{
	if (n) {
		left(n - 1);
		right(n - 1);
	}
	sum++;
}

NOINLINE void right(int n)
{
	if (n) {
		left(n - 1);
		right(n - 1);
	}
	sum++;
}

int main(void)
{
	left(17);
	return 0;
}
