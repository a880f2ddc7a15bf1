#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Decodes the packets that trace-ibs --packets --format=json prints with an independent decoder, and
compares fields: those that are known must be the same, those that do not apply must not be known.

usage: trace-ibs --packets --events=all [--mode=fetches] --format=json TRACE | ibs_check.py
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import ibs_decode

ZEN4 = 0x19, 0x11
REGISTERS = 'op_ctl op_rip op_data op_data2 op_data3 dc_lin dc_phys br_target'.split()
# Fields that the two name or print differently.
SAME = {'max_cnt_low': None, 'max_cnt_high': None, 'mem_width': None, 'data_src_low': 'data_src',
        'data_src_high': None, 'cache_hit_st': None}
ALWAYS = 'en val cnt_ctl cur_cnt comp_to_ret tag_to_ret brn_ret ld st rip_invalid'.split()


def registers(packet):
    return {r: int(packet[r], 16) for r in REGISTERS if packet[r] is not None}


def decode(packet):
    return ibs_decode.decode_op({**dict.fromkeys(REGISTERS, 0), **registers(packet)}, *ZEN4,
                                int(packet['caps'], 16))


def check(packet, period):
    """Returns the errors of a packet."""
    raw, fields = registers(packet), decode(packet)
    wrong = [] if fields['max_cnt'] == period else ['max_cnt']
    wrong += [name for name in ALWAYS if packet[name] is None]
    for name, value in packet.items():
        expected = SAME.get(name, name)
        if expected in fields and expected not in REGISTERS and value is not None:
            if fields[expected] != value:
                wrong.append('%s: %s, not %s' % (name, value, fields[expected]))
    if packet['mem_width'] is not None and fields['mem_width'] != 1 << packet['mem_width'] - 1:
        wrong.append('mem_width')
    memory = packet['ld'] or packet['st']
    if (packet['dc_lin'] is not None) != bool(memory) or fields['dc_lin'] != packet['dc_lin'] and not memory:
        wrong.append('dc_lin')
    if not packet['brn_ret'] and (packet['brn_taken'] is not None or 'br_target' in raw):
        wrong.append('a branch that is none')
    if (packet['dc_miss_lat'] is not None) != bool(packet['ld'] and packet['dc_miss']):
        wrong.append('dc_miss_lat')
    if (packet['data_src_low'] is not None) != bool(fields['data_src_valid']):
        wrong.append('data_src')
    if packet['tag_to_ret'] <= packet['comp_to_ret']:
        wrong.append('retired before it was complete')
    return wrong


FETCH_REGISTERS = 'fetch_ctl fetch_lin fetch_phys extd_ctl'.split()
# Fields of the packets, and of the decoder.
FETCH_FIELDS = {'fetch_lat': 'lat', 'fetch_en': 'en', 'fetch_val': 'val', 'fetch_comp': 'comp', 'ic_miss': 'ic_miss',
                'fetch_phy_valid': 'phy_valid', 'l1itlb_miss': 'l1tlb_miss', 'l2itlb_miss': 'l2tlb_miss',
                'rand_en': 'rand_en', 'fetch_l2_miss': 'l2_miss', 'fetch_l3_miss_only': 'l3_miss_only',
                'oc_miss': 'oc_miss', 'fetch_l3_miss': 'l3_miss', 'itlb_refill_lat': 'itlb_refill_lat'}
FETCH_ALWAYS = 'fetch_lat fetch_en fetch_val fetch_comp ic_miss l1itlb_miss rand_en fetch_lin'.split()


def check_fetch(packet, period):
    """Returns the errors of a packet of a fetch."""
    raw = {r: int(packet[r] or '0', 16) for r in FETCH_REGISTERS}
    fields = ibs_decode.decode_fetch(raw, *ZEN4, int(packet['caps'], 16))
    known = {name for name in FETCH_FIELDS if packet[name] is not None}
    wrong = ['max_cnt'] if fields['max_cnt'] != period or fields['cnt'] != period else []
    wrong += [name for name in FETCH_ALWAYS if packet[name] is None]
    wrong += [name for name in known if packet[name] != fields[FETCH_FIELDS[name]]]
    wrong += [name for name in ('l2itlb_miss', 'itlb_refill_lat') if (name in known) != bool(packet['l1itlb_miss'])]
    wrong += [name for name in ('fetch_l2_miss', 'fetch_l3_miss') if (name in known) != bool(packet['ic_miss'])]
    wrong += [name for name in ('fetch_phys', 'itlb_page_size') if packet[name] is not None]
    if packet['ic_miss'] and (packet['fetch_lat'] < 2 or not packet['oc_miss']):
        wrong.append('ic_miss')
    return wrong


def check_fetches(result):
    packets = result['fetches']
    faults = [(p['op'], wrong) for p in packets for wrong in check_fetch(p, result['period'])]
    kinds = {k: sum(1 for p in packets if p[k]) for k in ('ic_miss', 'l1itlb_miss', 'oc_miss', 'fetch_l2_miss')}
    print(len(packets), 'packets', kinds, faults[:10])
    assert len(packets) == result['samples']
    assert all(kinds.values()), 'kinds of packets that are missing'
    sys.exit(len(faults) > 0)


def check_events(events, packets):
    """Returns the names of events whose values are wrong, and how many were compared."""
    expected = {}
    for packet in packets:
        for name, value in ibs_decode.derived_op(decode(packet)).items():
            expected[name] = expected.get(name, 0) + value
        for name, field in (('IBS_OP_BRANCH_ADDRESS', 'br_target'), ('IBS_OP_DC_LINEAR_ADDRESS', 'dc_lin')):
            expected[name] = expected.get(name, 0) + (packet[field] is not None)
    compared = [e for e in events if e['event'].startswith('IBS_OP_') and not e['undecided_samples']]
    return [e['event'] for e in compared if e['value'] != expected.get(e['event'], 0)], len(compared)


def main():
    result = json.load(sys.stdin)
    if result['mode'] == 'fetches':
        check_fetches(result)
    packets = result['packets']
    faults = 0
    for packet in packets:
        for wrong in check(packet, result['period']):
            faults += 1
            print('op %d: %s' % (packet['op'], wrong))
    wrong, compared = check_events(result['events'], packets)
    faults += len(wrong)
    print('%d events, wrong: %s' % (compared, wrong))
    assert compared >= 20
    assert [e['value'] for e in result['events'] if e['event'] == 'IBS_OP_RESYNC'] == [None]
    kinds = {k: sum(1 for p in packets if p[k]) for k in ('ld', 'st', 'brn_ret', 'brn_misp', 'dc_miss', 'l2_miss')}
    print(len(packets), 'packets', kinds)
    assert len(packets) == result['samples'] == sum(s['samples'] for s in result['by_symbol'])
    assert all(kinds.values()), 'kinds of packets that are missing'
    sys.exit(faults > 0)


main()
