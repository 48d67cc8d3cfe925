import { expect, test } from 'vitest';
import { csvLines } from './csv-lines.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+cmd', "'+cmd"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['+15550100123', '+15550100123'],
  [-1.5, '-1.5'],
  ['a,"b"', '"a,""b"""'],
  [{ name: 'Ada' }, '"{""name"":""Ada""}"'],
])('%j is the cell %s', (value, cell) => {
  expect(csvLines(['x', 'y'], [{ x: value, y: null }])).toBe(`${cell},\n`);
});
