/* The keyboard in a chart: the arrow keys go from point to point, and show the values of each. */

/* Shows the values of a point, or of none if its index is negative. */
function point_at(chart, index) {
	const elements = index < 0 ? [] : chart.getSortedVisibleDatasetMetas()
		.filter((meta) => meta.data[index])
		.map((meta) => ({ datasetIndex: meta.index, index }));
	const first = elements[0];
	const place = first ? chart.getDatasetMeta(first.datasetIndex).data[index]
		.getCenterPoint() : { x: 0, y: 0 };

	chart.point = index;
	chart.setActiveElements(elements);
	chart.tooltip.setActiveElements(elements, place);
	chart.update();
}

function walk_points(chart, event) {
	const last = Math.max(...chart.data.datasets.map((set) => set.data.length)) - 1;
	const now = chart.point === undefined ? -1 : chart.point;
	const to = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1,
		Home: 0, End: last, Escape: -1 }[event.key];

	if (to === undefined)
		return;
	event.preventDefault();
	point_at(chart, event.key === 'Escape' ? -1 : Math.min(last, Math.max(0, to)));
}
