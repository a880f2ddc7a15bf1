/* System calls: how often the program entered the kernel, and what for. */

const SYSCALLS_DEFINITION = 'Calls of the kernel by number of calls. Errors are calls with an error as ' +
	'result. The elapsed time is that of the recording, which makes calls longer.';
const NANOSECONDS = 1e6;	/* in a millisecond */

function syscalls_figure({ data, command, exactness }) {
	const rows = data.system_calls.map((row) => ({ ...row, milliseconds: row.elapsed / NANOSECONDS }));
	const top = rows.slice(0, HOT);

	return figure({
		title: 'System calls',
		definition: SYSCALLS_DEFINITION,
		command, exactness,
		draw: (plot) => draw_bars(plot, 'System calls. ' + top.slice(0, 3).map((row) =>
			row.system_call + ' ' + count(row.calls)).join(', ') + '.', {
			names: top.map((row) => row.system_call),
			values: top.map((row) => row.calls),
			format: count,
			tip: (i) => count(top[i].errors) + plural(top[i].errors, ' error, ', ' errors, ') +
				three_digits(top[i].milliseconds) + ' ms',
		}),
		table: () => table('System calls', [
			{ key: 'system_call', title: 'System call' },
			{ key: 'calls', title: 'Calls', format: count },
			{ key: 'errors', title: 'Errors', format: count },
			{ key: 'milliseconds', title: 'Elapsed [ms]', format: three_digits },
		], rows),
	});
}

function syscalls_section(report) {
	return section('syscalls', 'System calls', null, contents('System calls', result(report, 'syscalls'),
		(data) => has_rows(data.system_calls), 'The program made no system call that the trace has.',
		'trace-calls --syscalls TRACE', syscalls_figure));
}
