import { median } from '../statistics.ts';
import { baseLine, colourOf, field, heights, legend, line, place, svg, text } from './frame.ts';
import type { BarPlot } from './plot.ts';
import { linearScale } from './scale.ts';

const gap = 0.25;

/** Draws a group of bars for each label. A bar is the median of its runs. */
export function drawBars(plot: BarPlot): string {
  const greatest = Math.max(...plot.series.flatMap((one) => one.values.flat()));
  const scale = linearScale(greatest, { from: field.bottom, to: field.top + 8 });
  const groupWidth = (field.right - field.left) / plot.groups.length;
  const barWidth = (groupWidth * (1 - gap)) / plot.series.length;

  const bars = plot.groups.flatMap((group, groupAt) => {
    const left = field.left + groupWidth * (groupAt + gap / 2);
    const drawn = plot.series.flatMap((series, at) =>
      bar({
        values: series.values[groupAt] ?? [],
        colour: colourOf(at),
        x: left + at * barWidth,
        width: barWidth * 0.9,
        heightAt: scale.at,
      }),
    );
    const middle = left + (groupWidth * (1 - gap)) / 2;
    return [
      ...drawn,
      text({ x: middle, y: field.bottom + 20, words: group, attributes: 'text-anchor="middle"' }),
    ];
  });
  return svg(plot.title, [
    ...heights(scale, plot.unit),
    ...legend(plot.series.map((one) => one.name)),
    ...bars,
    baseLine(),
  ]);
}

interface Bar {
  values: readonly number[];
  colour: string;
  x: number;
  width: number;
  heightAt: (value: number) => number;
}

function bar({ values, colour, x, width, heightAt }: Bar): string[] {
  if (values.length === 0) return [];
  const middle = median(values);
  const top = heightAt(middle);
  const centre = x + width / 2;
  const highest = heightAt(Math.max(...values));
  const whisker = line([centre, heightAt(Math.min(...values))], [centre, highest], 'stroke="#222222"');
  const words = middle.toLocaleString('en', { maximumSignificantDigits: 3 });
  return [
    `<rect x="${place(x)}" y="${place(top)}" width="${place(width)}" height="${place(field.bottom - top)}" fill="${colour}"/>`,
    ...(values.length > 1 ? [whisker] : []),
    text({ x: centre, y: highest - 5, words, attributes: 'text-anchor="middle" font-size="11"' }),
  ];
}
