/* SPDX-License-Identifier: MIT */
/*
 * Two versions of a program, for trace-compare. -DNEW is the second version: slower() does more,
 * old_name() is new_name(), and longer, whole() is split, small() is inlined, a clone has another ending.
 * moved() is in a file of its own: -DPART compiles only that, -DWHOLE everything together.
 */
#define NOINLINE __attribute__((noinline, noclone, noipa))

unsigned moved(unsigned n);

#if defined(PART) || defined(WHOLE)
NOINLINE unsigned moved(unsigned n)
{
	unsigned x = 0x1234567;

	while (n--)
		x = x << 3 ^ x >> 5 ^ n;
	return x;
}
#endif

#ifndef PART
static unsigned numbers[1000];

NOINLINE unsigned slower(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += numbers[i] * 3;
#ifdef NEW
	for (unsigned i = 0; i < n / 2; i++)
		sum += numbers[i] / 7;
#endif
	return sum;
}

#ifdef NEW
#define old_name new_name
#endif
NOINLINE unsigned old_name(unsigned n)
{
	unsigned odd = 0, even = 1;

	for (unsigned i = 0; i < n; i++)
		if (numbers[i] & 1)
			odd ^= numbers[i] + i;
		else if (numbers[i] & 64)
			odd += numbers[i] >> 3;
		else
			even -= odd * (numbers[i] | 4);
#ifdef NEW
	even ^= odd;
#endif
	return odd + even;
}

#ifdef NEW
NOINLINE unsigned rest(unsigned n)
{
	unsigned product = 1;

	for (unsigned i = 0; i < n; i++)
		product = product * 31 + (numbers[i] & 0xff);
	return product;
}
#endif

NOINLINE unsigned whole(unsigned n)
{
	unsigned greatest = 0;

	for (unsigned i = 0; i < n; i++)
		greatest = numbers[i] > greatest ? numbers[i] : greatest;
#ifdef NEW
	return greatest - rest(n);
#else
	unsigned product = 1;

	for (unsigned i = 0; i < n; i++)
		product = product * 31 + (numbers[i] & 0xff);
	return greatest - product;
#endif
}

#ifdef NEW
static inline __attribute__((always_inline)) unsigned small(unsigned x)
#else
NOINLINE unsigned small(unsigned x)
#endif
{
	return (x * 0x9e3779b1u) >> 7;
}

NOINLINE unsigned caller(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += small(i);
	return sum;
}

/* A clone that a compiler made, with the number that this version's has. */
#ifdef NEW
unsigned cloned(unsigned n) __asm__("cloned.isra.7");
#else
unsigned cloned(unsigned n) __asm__("cloned.constprop.0");
#endif
NOINLINE unsigned cloned(unsigned n)
{
	unsigned sum = 0;

	while (n > 3) {
		sum += n;
		n = n % 2 ? n - 1 : n / 2;
	}
	return sum;
}

NOINLINE unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 1000; i++)
		numbers[i] = i * i ^ i << 3;
	sum += slower(1000) + old_name(1000) + whole(1000) + caller(300) + moved(500);
	for (unsigned i = 0; i < 20; i++)
		sum += cloned(1000 + i);
#ifdef NEW
	sum += fib(11);
#else
	sum += fib(10);
#endif
	return sum == 0;
}
#endif
