import { expect, test } from 'vitest';
import { SheetLayout } from './sheet-layout.ts';

const xml =
  '<x:worksheet><x:cols><x:col max="3" min="2" hidden="true"/></x:cols><x:sheetData>…</x:sheetData><x:mergeCells><x:mergeCell ref="B4:C5"/><x:mergeCell ref="A2:A3"/></x:mergeCells></x:worksheet>';

const layoutOf = (...chunks: string[]) => {
  async function* textOf() {
    yield* chunks;
  }
  return SheetLayout.read({ textOf }, 'sheet');
};

test('is the same wherever the text is cut', async () => {
  for (let at = 0; at < xml.length; at++) {
    const layout = await layoutOf(xml.slice(0, at), xml.slice(at, at + 9), xml.slice(at + 9));
    expect([at, ...layout.hiddenColumns]).toEqual([at, 1, 2]);
    const lines = [2, 3, 4, 5, 6].map((line) => [...layout.linesOfMerged(line, ['x', 'y', ''])]);
    const both = [
      [1, 4],
      [2, 4],
    ];
    expect([at, ...lines]).toEqual([at, [], [[0, 2]], [], both, []]);
  }
});

test('a merged cell without a value takes nothing from the rows below', async () => {
  const layout = await layoutOf(xml);
  layout.linesOfMerged(2, ['']);
  expect(layout.linesOfMerged(3, ['x']).size).toBe(0);
});

test.each(['-Infinity', '-99999999', '0', '1.5', 'b', ''])(
  'no columns are hidden from %j on',
  async (min) => {
    const layout = await layoutOf(`<cols><col min="${min}" max="3" hidden="1"/></cols>`);
    expect(layout.hiddenColumns.size).toBe(0);
  },
);

test('attributes without an end take no longer than they are long', async () => {
  const before = process.cpuUsage();
  await layoutOf(`<cols><col ${'a'.repeat(200_000)}></cols>`);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

test('merged cells reach no further than the columns that have a name', async () => {
  const layout = await layoutOf('<mergeCells><mergeCell ref="A2:ALL1048576"/></mergeCells>');
  layout.linesOfMerged(1, ['phone', 'name']);
  layout.linesOfMerged(2, ['x', 'y', 'too much']);
  expect([...layout.linesOfMerged(3, [])]).toEqual([
    [0, 2],
    [1, 2],
  ]);
});
