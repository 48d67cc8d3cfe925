import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answerStatuses } from './answer-statuses.ts';

const page = readFileSync(new URL('../../../../../docs/provider-protocol.md', import.meta.url), 'utf8');

/** Rows of the form `| 401 | account | … |`. */
const documented = [...page.matchAll(/^\| (\d{3}) +\| (\w+) +\| (.+?) +\|$/gm)].map(
  ([, status = '', side = '', remedy = '']) => [Number(status), side, remedy === '–' ? null : remedy],
);

test('the statuses match the table in docs/provider-protocol.md', () => {
  const statuses = Object.entries(answerStatuses);
  expect(documented).toEqual(statuses.map(([status, { side, remedy }]) => [Number(status), side, remedy]));
});
