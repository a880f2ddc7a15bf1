"""A report's document with made-up numbers, for the tests of the page: make_document().

Names are hostile where a trace may have any name. The numbers are small, so that tests can tell them apart."""

HOSTILE = '<img src=x onerror="window.hostile=1">'
BREAKER = '</script><script>window.hostile=2</script>'
LONG_STEM = 'std::' + 'very_long_name_without_blanks' * 8
LONG = LONG_STEM + '<std::vector<int> >'

CLASSES = [('move', 400), ('branch', 300), ('int-arithmetic', 200), ('logic', 96), ('nop', 3), ('system', 1)]
FUNCTIONS = [('hot', 500), (HOSTILE, 300), (LONG, 150), ('cold', 50)]
#       path, caller, function, inclusive, exclusive
PATHS = [(1, 0, 'main', 1000, 50), (2, 1, 'hot', 500, 500), (3, 1, 'work', 450, 0), (4, 3, HOSTILE, 300, 300),
         (5, 3, LONG, 150, 150)]
OTHER_PATHS = [(1, 0, 'start_thread', 80, 20), (2, 1, 'worker', 60, 60)]
CURVE = [(1 << 10, 60.0), (1 << 14, 30.0), (1 << 15, 12.0), (1 << 20, 4.0), (1 << 24, 1.0)]
CLUSTERS = [0, 0, 1, 1, 0, 2, 2, 1]
METRIC = [1.0, 2.0, 5.0, 4.0, 1.5, 9.0, 8.0, 5.5]
OTHER_METRIC = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]
LATENCIES = [('load miss, from L2', 12, 40), ('load miss, from memory', 300, 7), ('tag to retire', 20, 900)]
SYSTEM_CALLS = [('write', 3, 0, 1500000), ('openat', 2, 1, 2000)]
HEAP = [(0, 0, 0), (100, 4096, 2), (600, 1 << 20, 9), (900, 64, 1)]


def call_paths(paths):
    depth = {0: 0}
    rows = []
    for path, caller, function, inclusive, exclusive in paths:
        depth[path] = depth[caller] + 1
        row = dict(path=path, caller=caller, depth=depth[path], calls=path, function=function, module='program')
        for cost, factor in (('instructions', 1), ('loads', 0.5)):
            row['inclusive_' + cost] = inclusive * factor
            row['exclusive_' + cost] = exclusive * factor
        rows.append(row)
    rows[-1]['inclusive_loads'] = rows[-1]['exclusive_loads'] = 10
    return rows


def mix():
    return dict(instructions=1000, loads=250, stores=120, bytes_loaded=2000, bytes_stored=960, branches_taken=200,
                branches_not_taken=100, calls=40, syscalls=5,
                classes=[{'class': name, 'instructions': n, 'share_percent': n / 10} for name, n in CLASSES],
                symbols=[dict(symbol=name, module=BREAKER, instructions=n, share_percent=n / 10, loads=n // 4,
                              stores=n // 8) for name, n in FUNCTIONS],
                lines=[dict(line=f'dir/file.c:{10 + i}' if i else '[unknown]', module='program', instructions=n, share_percent=n / 10)
                       for i, (_, n) in enumerate(FUNCTIONS)])


def stackdist():
    rows = [dict(accesses='reads+writes', block_size=64, cache_blocks=size // 64, cache_size_bytes=size,
                 misses=int(ratio * 100), miss_ratio_percent=ratio) for size, ratio in CURVE]
    return dict(streams=[], caches=rows[2:4], miss_ratio_curve=rows)


def phases():
    n = len(CLUSTERS)
    return dict(interval_size=125, intervals=n, labels=CLUSTERS,
                projection=[[10.0 * c + i % 2, 3.0 * c * c] for i, c in enumerate(CLUSTERS)],
                colour=[[c / 2, 1 - c / 2, 0.5] for c in CLUSTERS],
                points=[dict(cluster=c, interval=i, weight=w, function='hot')
                        for c, i, w in ((0, 1, 0.375), (1, 3, 0.375), (2, 5, 0.25))],
                metrics=[dict(name='misses of 32 KiB', unit='percent', command='trace-stackdist', values=METRIC),
                         dict(name='loads', unit='per 1000', command='trace-mix', values=OTHER_METRIC)])


def ppm():
    shares = {f'{kind}_{bits}_misprediction_percent': (bits + i) / 2
              for i, kind in enumerate(('gag', 'pag', 'gas', 'pas')) for bits in (4, 8, 12)}
    return dict(branches=300, **shares)


def ibs():
    return dict(model='zen4', period=4096, samples=947,
                latencies=[dict(latency=name, samples=n, mean=at, p10=at, p50=at, p90=at, p99=at, max=at)
                           for name, at, n in LATENCIES],
                histogram=[{'latency': name, 'from': at, 'to': at, 'samples': n} for name, at, n in LATENCIES])


# Long names of C++, and what the page shows of them.
CPLUSPLUS = [
    ('short(int)', 'short(int)'),
    ('void outer::sort<std::vector<long, std::allocator<long> > >(std::vector<long>&)', 'void outer::sort<…>(…)'),
    ('std::_Rb_tree<long, std::pair<long const, int> >::_M_erase(std::_Rb_tree_node<int>*) [clone .isra.0]',
     'std::_Rb_tree<…>::_M_erase(…) [clone .isra.0]'),
    ('(anonymous namespace)::operator<< <char, std::char_traits<char> >(std::basic_ostream<char>&)',
     '(anonymous namespace)::operator<< <…>(…)'),
    ('std::function<void (std::pair<int, long> const&)>::operator()(std::pair<int, long> const&) const',
     'std::function<…>::operator()(…) const'),
    ('<alloc::vec::Vec<core::option::Option<i32>> as core::ops::drop::Drop>::drop',
     '<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop')]


def heap():
    return dict(bytes_at_peak=1 << 20, objects_at_peak=9, bytes_allocated=2 << 20, allocations=12, bytes_at_end=64,
                objects_at_end=1,
                allocation_paths=[dict(call_path='main;' + HOSTILE + ';malloc', bytes_at_peak=1 << 20,
                                       bytes_allocated=2 << 20, allocations=12),
                                  *(dict(call_path=name, bytes_at_peak=0, bytes_allocated=0, allocations=0)
                                    for name, _ in CPLUSPLUS)],
                bytes_never_read=3 << 10,
                object_accesses=[dict(call_path='main;' + HOSTILE + ';malloc', bytes_never_read=3 << 10,
                                      bytes_allocated=2 << 20, reads=7, writes=9)],
                over_time=[dict(instructions=i, bytes=b, objects=n) for i, b, n in HEAP])


def bins(**numbers):
    return [numbers.get(f'b{i}', 0) for i in range(64)]


def slo():
    sites = dict(use='file.c:11', reuse='file.c:13', use_site=[0, 11], reuse_site=[0, 13], mean_distance=2000.0)
    return dict(
        reuses=100, lost_cycles=1000, min_distance=64, refactorings_found=2, touches=1000, block_size=64,
        caches=[dict(cache_blocks=512, cache_size_bytes=32768, miss_cycles=10, misses=90)],
        bins=bins(b8=30, b10=60, b11=10), kinds=[dict(kind='loop', bins=bins(b10=60, b11=10)),
                                                 dict(kind='fuse', bins=bins(b8=30))],
        refactorings=[
            dict(rank=1, kind='loop', reuses=70, mean_distance=2000.0, share_percent=90.0, lost_cycles=900,
                 spatial_percent=5.0, advice='tile the loop in ' + HOSTILE, where='the loop at file.c:10',
                 bins=bins(b10=60, b11=10), references=[dict(sites, reuses=70)], data=[dict(data='heap', reuses=70)]),
            dict(rank=2, kind='fuse', reuses=20, mean_distance=300.0, share_percent=10.0, lost_cycles=100,
                 spatial_percent=0.0, advice='fuse', where='main', bins=bins(b8=20), references=[], data=[])],
        files=[dict(file=0, path='/dir/' + HOSTILE + '/file.c', complete=False,
                    lines=[[9, 'int main(void)'], [10, BREAKER], [11, '\tuse();'], [12, ''], [13, '\treuse();'],
                           [30, 'end']],
                    touches=[[11, 1, 'use', 70], [13, 1, 'reuse', 70], [13, 0, 'use', 30]],
                    bars=[[1, 10, 13, 10, 0], [2, 11, 12, 11, 1]])],
        absent_files=[dict(path='/other.c', why='is not a regular file')])


def compared_paths():
    """Rows of two traces; each has the same loads."""
    rows = [(1, 0, 'main', (0, 0), (800, 650), 400), (2, 1, 'hot', (500, 200), (500, 200), 300),
            (3, 1, HOSTILE, (300, 400), (300, 400), 100), (4, 1, 'new', (None, 50), (None, 50), None)]
    return [dict(path=path, caller=caller, depth=1 if caller == 0 else 2, function=name, module='program',
                 exclusive_instructions_a=own[0], exclusive_instructions_b=own[1], inclusive_instructions_a=both[0],
                 inclusive_instructions_b=both[1], inclusive_loads_a=loads, inclusive_loads_b=loads,
                 exclusive_loads_a=0, exclusive_loads_b=0) for path, caller, name, own, both, loads in rows]


def compare():
    functions = [('hot', 500, 200, -7), (HOSTILE, 300, 400, 40), ('new', 0, 50, 0)]
    return dict(a='a.trace', b='b.trace', a_command='program', b_command=HOSTILE, phase_distance_percent=12.5,
                totals=[dict(metric='instructions', a=1000, b=800, change=-200, change_percent=-20.0, unit=''),
                        dict(metric='loads', a=200, b=250, change=50, change_percent=25.0, unit='')],
                functions=[dict(function_a=name if a else None, module_a='program', function_b=name, module_b='program',
                                matched_by='name', instructions_a=a, instructions_b=b, instructions_change=b - a,
                                misses_L1_change=misses) for name, a, b, misses in functions],
                call_paths=compared_paths(),
                advice=[dict(lost_cycles_change=-100, state='gone', lost_cycles_a=100, lost_cycles_b=0, advice=HOSTILE)])


def make_document():
    results = dict(
        mix=mix(), stackdist=stackdist(), phases=phases(), ppm=ppm(), ibs=ibs(), heap=heap(),
        calls=dict(instructions=1000, loads=500, call_paths=call_paths(PATHS), functions=[],
                   threads=[dict(thread=7, call_paths=call_paths(OTHER_PATHS))]),
        ilp=dict(ipc_32=2.0, ipc_64=3.0, ipc_128=5.0, ipc_256=9.0),
        cache=dict(machine='zen4', levels=[dict(level='L1', accesses=1000, misses=100),
                                           dict(level='L2', accesses=100, misses=50)]),
        mica=dict(itypes=dict(mem_read=250)),
        slo=slo(),
        syscalls=dict(system_calls=[dict(system_call=name, calls=n, errors=bad, elapsed=ns)
                                    for name, n, bad, ns in SYSTEM_CALLS]))
    reference = dict(programs=['a', 'b', 'c'], axes=[
        dict(name=name, unit='%', definition='.', value=value, values=values)
        for name, value, values in (('loads', 25.0, [10, 20, 50]), ('stores', 12.0, [0, 5, 20]),
                                    ('branches', 30.0, [5, 10, 30]), ('calls', 4.0, [4, 6, 8]))])
    return dict(
        tracelab_report=1, results=results, reference=reference, compare=compare(),
        traces=[dict(file='program.trace', command='program ' + BREAKER, program='/bin/program', instructions=1000,
                     loads=250, stores=120, threads=2, processes=2, complete=True, bytes=4096,
                     bytes_per_instruction=4.096, host_cpu='a processor', created='2026-11-26T12:00:00Z',
                     thread_list=[dict(thread=7, process=2, instructions=80)],
                     process_list=[dict(process=0, pid=10, parent=None), dict(process=1, pid=11, parent='0'),
                                   dict(process=2, pid=12, parent='1')],
                     then_executed=[dict(pid=11, command='first'), dict(pid=11, command='/bin/child ' + BREAKER)])],
        summary='The program executed 1000 instructions, half of them in ' + HOSTILE + '.',
        advice=[dict(text=f'Thing {i} in {HOSTILE}', why='Because.', command='trace-slo', section='locality')
                for i in range(3)],
        commands={name: f'trace-{name} ' + '--option=value,' * (12 if name == 'stackdist' else 0) + 'program.trace'
                  for name in list(results) + ['symbols', 'lines', 'compare']},
        notes=dict(calls_by_thread='too many paths', mix='a warning'),
        exactness={name: dict(kind='modelled' if name in ('ibs', 'slo', 'cache') else 'exact', note='A note.')
                   for name in list(results) + ['symbols', 'lines']})


def make_largest():
    """Returns a document with as many call paths, functions and lines of source code as a page has at most."""
    contents, rows = make_document(), 3000
    results, (a_file, *_) = contents['results'], slo()['files']
    results['calls'] = dict(results['calls'], call_paths=call_paths(
        [(i, i // 3, f'function_{i}', 10 * rows // i, 1) for i in range(1, rows + 1)]))
    results['mix']['symbols'] = [dict(results['mix']['symbols'][0], symbol=f'function_{i}') for i in range(rows)]
    results['slo']['files'] = [dict(a_file, file=i, lines=[[n, '\tcall(of, a, function);'] for n in range(1, 3001)],
                                    touches=[[n, 1 + n % 2, 'use', 1] for n in range(1, 3001, 9)]) for i in range(10)]
    return contents
