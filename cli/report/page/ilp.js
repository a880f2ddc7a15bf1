/* Instruction-level parallelism against the size of the window. */

const ILP_DEFINITION = 'Instructions per cycle of an ideal processor that is limited only by ' +
	'dependences through registers and memory, and by a window of so many instructions ' +
	'(K. Hoste and L. Eeckhout, MICA, 2007).';

function ilp_rows(ilp) {
	return Object.keys(ilp).map((key) => /^ipc_(\d+)$/.exec(key)).filter(Boolean)
		.map(([key, window]) => ({ window: +window, ipc: ilp[key], cycles: ilp['cycles_' + window] }))
		.filter((row) => is_number(row.ipc)).sort((a, b) => a.window - b.window);
}

function describe_ilp(rows) {
	return {
		type: 'line',
		data: { datasets: [{ label: 'instructions per cycle', borderColor: series_colour(0),
			backgroundColor: series_colour(0), radius: 4,
			data: rows.map((row) => ({ x: Math.log2(row.window), y: row.ipc })) }] },
		options: {
			scales: {
				x: log2_axis('window [instructions]', count, { grace: 0.1 }),
				y: axis('instructions per cycle', three_digits, { min: 0 }),
			},
			plugins: { legend: { display: false }, tooltip: { callbacks: {
				title: ([item]) => item ? 'window of ' + 2 ** item.parsed.x : '',
				label: (item) => three_digits(item.parsed.y) + ' instructions per cycle',
			} } },
		},
	};
}

function ilp_figure(report, more) {
	const found = result(report, 'ilp');

	return contents('Parallelism by window size', found, (ilp) => has_rows(ilp_rows(ilp)),
		'The trace has no data addresses, or too few instructions.',
		'trace-record (without --no-addresses) -- PROGRAM; trace-ilp TRACE', ({ data }) => {
			const rows = ilp_rows(data);

			return figure({
				title: 'Parallelism by window size',
				definition: ILP_DEFINITION,
				command: found.command,
				exactness: found.exactness,
				draw: (plot) => draw_chart(plot, 'Instructions per cycle by window size: ' +
					rows.map((row) => row.window + ': ' + three_digits(row.ipc)).join(', '),
				() => describe_ilp(rows)),
				table: () => table('Parallelism by window size', [
					{ key: 'window', title: 'Window', format: count },
					{ key: 'ipc', title: 'Instructions per cycle', format: three_digits },
					{ key: 'cycles', title: 'Cycles', format: count },
				], rows),
				...more,
			});
		});
}

function ilp_section(report) {
	return section('ilp', 'Instruction-level parallelism', null, ilp_figure(report));
}
