/* Branch predictability: mispredictions of predictors by partial matching. */

const PPM_DEFINITION = 'Conditional branches that a predictor by partial matching (PPM) mispredicts, ' +
	'by its longest history. G or P: one history for all branches, or one for each branch; ' +
	'g or s: one table for all branches, or one for each branch (MICA).';
const PREDICTORS = [['gag', 'GAg'], ['pag', 'PAg'], ['gas', 'GAs'], ['pas', 'PAs']];

function ppm_rows(ppm) {
	return PREDICTORS.map(([key, name]) => ({ key, name,
		4: ppm[key + '_4_misprediction_percent'], 8: ppm[key + '_8_misprediction_percent'],
		12: ppm[key + '_12_misprediction_percent'] }));
}

function describe_ppm(rows) {
	return {
		type: 'bar',
		data: { labels: rows.map((row) => row.name), datasets: [4, 8, 12].map((history, i) => ({
			label: 'history of ' + history, backgroundColor: series_colour(i),
			maxBarThickness: 28, categoryPercentage: 0.7,
			data: rows.map((row) => row[history]) })) },
		options: {
			scales: { x: without_grid(axis('', (i) => rows[i].name)),
				y: axis('branches mispredicted', percent, { min: 0 }) },
			plugins: { tooltip: { callbacks: {
				label: (item) => item.dataset.label + ': ' + percent(item.raw) } } },
		},
	};
}

function ppm_figure(report, more) {
	const found = result(report, 'ppm');

	return contents('Branch predictability', found, (ppm) => is_number(ppm.gag_12_misprediction_percent),
		'The program executed no conditional branches.', 'trace-ppm TRACE', ({ data }) => {
			const rows = ppm_rows(data);

			return figure({
				title: 'Branch predictability',
				definition: PPM_DEFINITION,
				command: found.command,
				exactness: found.exactness,
				draw: (plot) => draw_chart(plot, 'Mispredicted branches, history of 12: ' +
					rows.map((row) => row.name + ' ' + percent(row[12])).join(', '),
				() => describe_ppm(rows)),
				table: () => table('Mispredicted branches', [
					{ key: 'name', title: 'Predictor' },
					...[4, 8, 12].map((history) => ({ key: history,
						title: 'History of ' + history, format: percent })),
				], rows),
				...more,
			});
		});
}

function ppm_section(report) {
	return section('ppm', 'Branch predictability', null, ppm_figure(report));
}
