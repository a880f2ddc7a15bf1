/* Horizontal bars with their values behind them. */

/* The values, written behind the bars. */
const bar_values = {
	id: 'bar_values',
	afterDatasetsDraw(chart, _, options) {
		const { ctx: context } = chart;

		context.save();
		context.font = '11px ' + Chart.defaults.font.family;
		context.fillStyle = style_colour('soft');
		context.textBaseline = 'middle';
		chart.getDatasetMeta(0).data.forEach((bar, i) => {
			context.fillText(options.format(chart.data.datasets[0].data[i]), bar.x + 6, bar.y);
		});
		context.restore();
	},
};

/*
 * Draws bars. names: of the bars, which are shortened to fit; values: numbers; format(value): text of
 * a value; tip(i): a further line about a bar.
 */
function draw_bars(plot, label, { names, values, format, tip }) {
	const largest = Math.max(...values, 0);
	const room = value_room(values, format);

	draw_chart(plot, label, () => ({
		type: 'bar',
		data: { labels: names, datasets: [{ data: values, backgroundColor: series_colour(0),
			maxBarThickness: 18, categoryPercentage: 0.9, barPercentage: 0.8 }] },
		options: {
			indexAxis: 'y',
			interaction: { axis: 'y' },
			layout: { padding: { right: room } },
			scales: {
				x: { display: false, max: largest || 1, min: 0 },
				y: { ...without_grid(axis('', () => '')), ticks: {
					autoSkip: false, color: style_colour('ink'),
					callback: (_, i) => shortened(names[i], name_space(plot)),
				} },
			},
			plugins: { legend: { display: false }, bar_values: { format },
				tooltip: { callbacks: { label: (item) => format(item.raw),
					afterLabel: (item) => tip ? tip(item.dataIndex) : '' } } },
		},
		plugins: [bar_values],
	}));
}

/* Returns the pixels that the longest value takes behind its bar. */
function value_room(values, format) {
	const PIXELS = 6.5, GAP = 10;

	return GAP + PIXELS * Math.max(...values.map((value) => format(value).length), 0);
}

/* Returns how many characters a name may have: a third of the picture. */
function name_space(plot) {
	return Math.max(12, Math.floor(plot.clientWidth / 3 / 6.5));
}

/*
 * Draws changes as bars to the left and to the right of zero, with the values of the bars' tips.
 * describe() returns {names, values, format} anew for each look. Returns the drawing.
 */
function draw_changes(plot, label, describe) {
	return draw_chart(plot, label, () => {
		const { names, values, format } = describe();
		const most = Math.max(...values.map(Math.abs), 0) || 1;

		return {
			type: 'bar',
			data: { labels: names, datasets: [{ data: values, maxBarThickness: 18,
				backgroundColor: values.map((value) => series_colour(value > 0 ? 1 : 0)) }] },
			options: {
				indexAxis: 'y',
				interaction: { axis: 'y' },
				scales: {
					x: axis('', format, { min: -most, max: most }),
					y: { ...without_grid(axis('', () => '')), ticks: {
						autoSkip: false, color: style_colour('ink'),
						callback: (_, i) => shortened(names[i], name_space(plot)),
					} },
				},
				plugins: { legend: { display: false }, tooltip: { callbacks: {
					label: (item) => format(item.raw) } } },
			},
		};
	});
}
