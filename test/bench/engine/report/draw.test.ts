import { describe, expect, test } from 'vitest';
import { drawBars } from './draw-bars.ts';
import { drawLines } from './draw-lines.ts';
import { linearScale, logScale } from './scale.ts';

describe('scales', () => {
  test('a linear one begins at zero and ends at a round number', () => {
    const scale = linearScale(930, { from: 300, to: 100 });
    expect(scale.ticks).toEqual([0, 200, 400, 600, 800, 1_000]);
    expect([scale.at(0), scale.at(500), scale.at(1_000)]).toEqual([300, 200, 100]);
  });

  test.each([0, 0.003, 0.3, 7, 1_000_000])('ticks reach %d', (greatest) => {
    const { ticks } = linearScale(greatest, { from: 0, to: 1 });
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(greatest);
    expect(ticks.length).toBeLessThan(9);
  });

  test('a logarithmic axis has powers of ten, even if all values are equal', () => {
    const scale = logScale([1_000, 1_000_000], { from: 0, to: 300 });
    expect(scale.ticks).toEqual([1_000, 10_000, 100_000, 1_000_000]);
    expect(scale.at(10_000)).toBeCloseTo(100);
    expect(logScale([10, 10], { from: 0, to: 1 }).ticks).toEqual([10, 100]);
  });
});

describe('pictures', () => {
  const unsafe = 'from a <b> & c';

  test('are SVG without anything that could not be drawn', () => {
    const bars = drawBars({
      kind: 'bars',
      file: 'x',
      title: unsafe,
      unit: 's',
      groups: ['one', 'two'],
      series: [{ name: 'a', values: [[1, 2, 3], []] }],
    });
    const lines = drawLines({
      kind: 'lines',
      file: 'y',
      title: unsafe,
      x: { label: 'x', scale: 'log' },
      y: { label: 'y', scale: 'linear' },
      series: [
        {
          name: 'a',
          points: [
            { x: 1, y: 2 },
            { x: 10, y: 0 },
          ],
          dots: true,
        },
      ],
      mark: { name: 'cap', y: 3 },
    });
    for (const picture of [bars, lines]) {
      expect(picture).toContain('from a &lt;b&gt; &amp; c');
      expect(picture).not.toMatch(/NaN|Infinity|undefined/);
    }
    expect(lines).toContain('>cap</text>');
  });
});
