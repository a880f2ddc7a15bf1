#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts anew, packet by packet, the groups and latencies that trace-ibs prints.

usage: ibs_views_check.py WHAT RESULT [SHOWN | LINES]
RESULT is what trace-ibs --packets --format=json printed. WHAT is latencies, fetches (by ic_miss), a --by of fields and
places that packets tell, lines (what --packets=LINES wrote), or, of a program that printed where its memory is (SHOWN),
data.
"""
import json
import sys

SHIFTS = {'page': 12, 'cacheline': 6}
FETCH_COUNTED = {'completed': 'fetch_comp', 'misses': 'ic_miss', 'l2_misses': 'fetch_l2_miss', 'tlb_misses': 'l1itlb_miss'}
COUNTED = {'loads': 'ld', 'stores': 'st', 'misses': 'dc_miss', 'tlb_misses': 'dc_l1tlb_miss', 'mispredicted': 'brn_misp'}


def is_bin_of(found, cycles):
    return found <= cycles and (cycles - found) * 64 <= cycles


def percentile(values, percentage):
    """Returns the least value that so many percent do not exceed."""
    values = sorted(values)
    return values[max(-(-len(values) * percentage // 100), 1) - 1]


def check_latency(row, prefix, values):
    assert row[prefix + 'max'] == max(values)
    assert abs(row[prefix + 'mean'] - sum(values) / len(values)) < 1e-6 * max(values) + 1e-9, row
    assert row.get(prefix + 'sum', sum(values)) == sum(values)
    for p in (10, 50, 90, 99):
        if prefix + 'p%d' % p in row:
            assert is_bin_of(row[prefix + 'p%d' % p], percentile(values, p)), (row, p)


def known(packets, field):
    return [p[field] for p in packets if p[field] is not None]


def check_latencies(result):
    rows = {r['latency']: r for r in result['latencies']}
    packets = result['packets']
    metrics = {'tag to retire': 'tag_to_ret', 'completion to retire': 'comp_to_ret', 'load miss': 'dc_miss_lat',
               'L1 DTLB refill': 'tlb_refill_lat'}
    for name, field in metrics.items():
        values = known(packets, field)
        assert (name in rows) == bool(values)
        if values:
            assert rows[name]['samples'] == len(values)
            check_latency(rows[name], '', values)
    apart = [r for name, r in rows.items() if name.startswith('load miss, ')]
    assert sum(r['samples'] for r in apart) == rows['load miss']['samples'] and len(apart) >= 2
    l2 = [p['dc_miss_lat'] for p in packets if p['ld'] and p['l2_miss'] == 0 and p['dc_miss'] and not p['dc_miss_no_mab_alloc']]
    check_latency(rows['load miss, from L2'], '', l2)
    branches = {r['branches']: r for r in result['branches']}
    taken = [p for p in packets if p['brn_ret'] and p['brn_taken'] and not p['op_return']]
    assert branches['taken']['samples'] == len(taken)
    assert branches['taken']['mispredicted'] == sum(p['brn_misp'] for p in taken) > 0
    check_latency_of_branches = [p['tag_to_ret'] for p in taken]
    assert is_bin_of(branches['taken']['tag_to_ret_p90'], percentile(check_latency_of_branches, 90))


def key_of(packet, key):
    if key in SHIFTS:
        return hex(int(packet['dc_lin'], 16) >> SHIFTS[key] << SHIFTS[key])
    return packet['op_rip' if key == 'instruction' else key]


def check_groups(result, by):
    """Checks that the result has every group of a list of keys, and no other."""
    keys = by.split(',')
    data = any(k in SHIFTS for k in keys)
    expected = {}
    for p in result['packets']:
        if not data or p['dc_lin'] is not None:
            expected.setdefault(tuple(key_of(p, k) for k in keys), []).append(p)
    rows = result['by_' + '_'.join(keys)]
    assert len(rows) == len(expected) > 1, (len(rows), len(expected))
    for row in rows:
        packets = expected[tuple(row['pc' if k == 'instruction' else k] for k in keys)]
        assert row['samples'] == len(packets)
        for name, field in COUNTED.items():
            values = known(packets, field)
            assert row[name] == (sum(values) if values else None), (row, name)
        misses = known(packets, 'dc_miss_lat')
        assert row['load_miss_cycles'] == (sum(misses) if misses else None)
        check_latency(row, 'tag_to_ret_', known(packets, 'tag_to_ret'))
        share = 100 * len(packets) / sum(len(e) for e in expected.values())
        assert abs(row['share'] - share) < 1e-6
    order = [(-(r['load_miss_cycles'] or 0) if data else 0, -r['samples']) for r in rows]
    assert order == sorted(order)


def check_fetches(result):
    """Checks fetches by thread and miss, and the sum of their latencies."""
    packets = result['fetches']
    values = known(packets, 'fetch_lat')
    row = [r for r in result['latencies'] if r['latency'] == 'fetch'][0]
    assert row['samples'] == len(values) == result['samples'] > 100
    check_latency(row, '', values)
    assert len(result['fetches_by_ic_miss']) == 2
    for row in result['fetches_by_ic_miss']:
        mine = [p for p in packets if p['ic_miss'] == row['ic_miss']]
        assert row['samples'] == len(mine)
        for name, field in FETCH_COUNTED.items():
            counts = known(mine, field)
            assert row[name] == (sum(counts) if counts else None), (row, name)
        check_latency(row, 'fetch_lat_', known(mine, 'fetch_lat'))
    assert 'by_ic_miss' not in result and 'branches' not in result


def check_data(result, shown):
    """Checks regions and objects of memory whose place is known."""
    places = {line.split()[0]: (int(line.split()[1], 16), int(line.split()[2])) for line in open(shown)}

    def hits(name):
        start, size = places[name]
        return sum(1 for p in result['packets'] if p['dc_lin'] and start <= int(p['dc_lin'], 16) < start + size)

    regions = {r['region']: r['samples'] for r in result.get('by_region', [])}
    if regions:
        assert regions['objects:initialized'] == hits('initialized') > 3
        assert regions['objects:zeroed'] == hits('zeroed') > 3
        assert regions['[stack]'] >= hits('local') > 3
        assert regions['[heap]'] >= hits('kept') + hits('second') > 3
        # The dynamic linker has had a file mapped there for a while.
        anonymous = [n for name, n in regions.items() if name.startswith('[anonymous]')]
        assert hits('mapped') > 3 and any(n >= hits('mapped') - 3 for n in anonymous)
    for row in result.get('by_object', []):
        row['end'] = int(row['address'], 16) + row['size'] if row['address'] else 0
    objects = {(int(r['address'], 16), r['allocated']): r for r in result.get('by_object', []) if r['address']}
    if objects:
        kept = [r for (address, _), r in objects.items() if address == places['kept'][0]]
        assert [r['samples'] for r in kept] == [hits('kept')] and kept[0]['size'] == 40000 and kept[0]['freed'] is None
        assert 'main+' in kept[0]['allocation'] and 'objects.c:' in kept[0]['allocation']
        grown = [r for (address, _), r in objects.items() if address == places['grown'][0]]
        assert len(grown) == 1 and grown[0]['size'] == 80000 and 'main+' in grown[0]['allocation']
        assert 3 < grown[0]['samples'] <= hits('grown')
        assert places['first'] == places['second'], 'malloc does not use memory again'
        first, second = sorted((r for (address, _), r in objects.items() if address == places['first'][0]),
                               key=lambda r: r['allocated'])
        assert first['freed'] < second['allocated'] < second['freed'] <= grown[0]['allocated']
        assert hits('first') - 5 <= first['samples'] + second['samples'] <= hits('first')
        assert second['samples'] > first['samples'] > 3
        assert first['allocation'] == second['allocation'] and 'allocate+' in first['allocation']
    allocations = {r['allocation']: r['samples'] for r in result.get('by_allocation', [])}
    if allocations:
        both = [n for name, n in allocations.items() if name and name.startswith('allocate+')]
        assert len(both) == 1 and hits('first') - 5 <= both[0] <= hits('first')


def main():
    result = json.load(open(sys.argv[2]))
    if sys.argv[1] == 'latencies':
        check_latencies(result)
    elif sys.argv[1] == 'fetches':
        check_fetches(result)
    elif sys.argv[1] == 'data':
        check_data(result, sys.argv[3])
    elif sys.argv[1] == 'lines':
        assert [json.loads(line) for line in open(sys.argv[3])] == result['packets'] != []
    else:
        check_groups(result, sys.argv[1])


main()
