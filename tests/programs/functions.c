/* SPDX-License-Identifier: MIT */
/* Functions to be found by name: for --function, --from and --to. */
#include <setjmp.h>
#include <stdio.h>

#define VISIBLE __attribute__((noipa))

static volatile long sink;
static jmp_buf back;

VISIBLE long add6(long a, long b, long c, long d, long e, long f)
{
	return a + b + c + d + e + f;
}

VISIBLE long factorial(long n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

/* Hands on to another function by a jump: both return at once. */
VISIBLE long tail(long n);
__asm__(".globl tail\n.type tail, @function\ntail:\n"
	"\tadd $1, %rdi\n\tjmp factorial\n.size tail, . - tail");

VISIBLE void leaves(int depth)
{
	if (!depth)
		longjmp(back, 1);
	leaves(depth - 1);
	sink++;
}

VISIBLE void begin(void)
{
	sink = 1;
}

VISIBLE void middle(void)
{
	for (int i = 0; i < 10; i++)
		sink += i;
}

VISIBLE void end(void)
{
	sink = 2;
}

int main(void)
{
	sink = add6(1, 2, 3, -4, 5, 0x123456789);
	sink = factorial(5);
	sink = tail(3);
	if (!setjmp(back))
		leaves(2);
	sink = add6(6, 5, 4, 3, 2, 1);
	begin();
	middle();
	end();
	printf("done\n");
	return 0;
}
