/* Notes on the exactness of each result. */

const EXACTNESS_LEAD = 'Exact numbers are counts of the recorded execution. Modelled numbers come ' +
	'from a simulated machine that sees the exact execution. Sampled numbers are estimates ' +
	'from some of the instructions.';
const RESULT_NAMES = { mix: 'Instruction mix', symbols: 'Hot functions', lines: 'Hot lines',
	calls: 'Call tree', phases: 'Phases', stackdist: 'Miss-ratio curve',
	cache: 'Caches of a machine', ilp: 'Parallelism', ppm: 'Branch predictability',
	mica: 'Characteristics', ibs: 'Latencies', slo: 'Locality advice', heap: 'Heap' };

function exactness_section(report) {
	const rows = Object.entries(report.exactness).map(([key, value]) => ({
		name: RESULT_NAMES[key] || key,
		kind: typeof value === 'string' ? value : value.kind,
		note: typeof value === 'string' ? '' : value.note,
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
