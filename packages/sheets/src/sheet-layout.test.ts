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
    const lines = [2, 3, 4, 5, 6].map((line) => [...layout.linesOfMerged(line, ['x', 'y'])]);
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
