#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stack distances of a trace, slowly: what trace-stackdist --format=csv --histogram --curve prints.

usage: trace-dump --format=csv TRACE | stackdist_model.py KINDS SIZES [EVERY | most=BLOCKS]
KINDS and SIZES as --accesses and --block-size have them. EVERY: instead of the tables, a line of
MICA's 21 numbers for every so many instructions. most: the --max-distance.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import dump_accesses
import stackdist_oracle as oracle


def blocks(access, letters, size):
    return oracle.blocks([('R', a, s) for kind, a, s in access if kind in letters], size)


def edges(distance):
    """Returns the bin of a distance: one by one below 2^16, then 64 an octave."""
    if distance < 1 << 16:
        return distance, distance
    width = 1 << distance.bit_length() - 7
    return distance // width * width, distance // width * width + width - 1


def print_tables(streams, most):
    histograms = []
    print('# streams\naccesses,block_size [B],touches,' + ('far' if most else 'cold,working_set_bytes'))
    for kinds, size, sequence in streams:
        h, cold = oracle.histogram(oracle.fenwick(sequence))
        if most:
            cold += sum(h[distance] for distance in h if distance >= most)
            h = {distance: h[distance] for distance in h if distance < most}
        bins = {}
        for distance in sorted(h):
            bins[edges(distance)] = bins.get(edges(distance), 0) + h[distance]
        histograms.append((kinds, size, len(sequence), bins))
        print(kinds, size, len(sequence), cold, *([] if most else [cold * size]), sep=',')
    print('\n# histogram\naccesses,block_size [B],distance_from [blocks],distance_to [blocks],touches,share_percent')
    for kinds, size, touches, bins in histograms:
        for (first, last), count in bins.items():
            print(kinds, size, first, last, count, '%.15g' % (100 * count / touches), sep=',')
    print('\n# miss_ratio_curve\naccesses,block_size [B],cache_blocks,cache_size_bytes,misses,'
          'miss_ratio_percent')
    for kinds, size, touches, bins in histograms:
        misses = touches
        for (first, last), count in ({(0, 0): 0} | bins).items():
            misses -= count
            print(kinds, size, last + 1, (last + 1) * size, misses,
                  '%.15g' % (100 * misses / touches), sep=',')


def print_intervals(program, letters, size, every):
    ends, sequence = [], []
    for number, access in enumerate(program, 1):
        sequence += blocks(access, letters, size)
        if number % every == 0 or number == len(program):
            ends.append(len(sequence))
    distances = oracle.fenwick(sequence)
    for first, end in zip([0] + ends, ends):
        print(*oracle.mica(distances[first:end]), sep=',')


def main():
    kinds, sizes = sys.argv[1].split(','), [int(size) for size in sys.argv[2].split(',')]
    program = [insn.accesses for insn in dump_accesses.instructions(sys.stdin)]
    letters = {k: ''.join({'reads': 'R', 'writes': 'W', 'fetches': 'I'}[w] for w in k.split('+'))
               for k in kinds}
    most = int(sys.argv[3][5:]) if sys.argv[3:] and sys.argv[3].startswith('most=') else 0
    if len(sys.argv) > 3 and not most:
        print_intervals(program, letters[kinds[0]], sizes[0], int(sys.argv[3]))
        return
    print('name,value,unit\ninstructions,%d,' % len(program))
    print('max_distance,%d,blocks\n' % most if most else '')
    print_tables([(k, size, [b for access in program for b in blocks(access, letters[k], size)])
                  for k in kinds for size in sizes], most)
    print('\n# touches: touches of blocks: one for each active lane, and for each repetition of a rep instruction\n'
          + ('# far: touches whose distance is max_distance or more, or cold ones' if most else
             '# cold: touches of blocks that were never touched before'))


main()
