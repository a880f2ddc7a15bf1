/* Notes on the exactness of each result. */

const EXACTNESS_LEAD = 'Exact numbers are counts of the recorded execution. Modelled numbers come ' +
	'from a simulated machine that sees the exact execution. Sampled numbers are estimates ' +
	'from some of the instructions.';
const RESULT_NAMES = { mix: 'Instruction mix', symbols: 'Hot functions', lines: 'Hot lines',
	mnemonics: 'Mnemonics', modules: 'Modules', threads: 'Threads', calls: 'Call tree',
	calls_by_thread: 'Call trees of threads', heap: 'Heap', syscalls: 'System calls',
	stackdist: 'Miss-ratio curve', cache: 'Caches of a machine', ibs: 'Latencies',
	slo: 'Locality advice', ilp: 'Parallelism', ppm: 'Branch predictability',
	itypes: 'Characteristics: instructions', reg: 'Characteristics: registers',
	stride: 'Characteristics: strides', footprint: 'Characteristics: footprint',
	compare: 'Comparison', phases: 'Phases', mix_by_interval: 'Instruction mix over time',
	stackdist_by_interval: 'Misses over time', ilp_by_interval: 'Parallelism over time',
	ppm_by_interval: 'Branch predictability over time',
	footprint_by_interval: 'Footprint over time' };

function exactness_section(report) {
	const rows = Object.entries(report.exactness).map(([key, value]) => ({
		name: RESULT_NAMES[key] || key,
		kind: typeof value === 'string' ? value : value.kind,
		note: [typeof value === 'string' ? '' : value.note, warning_of(report, key)]
			.filter((text) => text).join(' '),
		command: report.commands[key],
	}));

	return section('exactness', 'How exact the numbers are', EXACTNESS_LEAD,
		has_rows(rows) && node('div', { class: 'card' }, table('Exactness by result', [
			{ key: 'name', title: 'Result' },
			{ key: 'kind', title: 'Numbers' },
			{ key: 'note', title: 'Note' },
			{ key: 'command', title: 'Command' },
		], rows)));
}
