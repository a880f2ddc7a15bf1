/* SPDX-License-Identifier: MIT */
/* Calls a function that has the name of one in C++, deep::call(int), and adds to deep::sum. */
static volatile int sum __asm__("_ZN4deep3sumE");

void call(int i) __asm__("_ZN4deep4callEi");

__attribute__((noinline)) void call(int i)
{
	sum += i;
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		call(i);
	return 0;
}
