import { expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import { openApiDocument } from './openapi.ts';

/** The summaries and descriptions below a value, except those in examples. */
function textsIn(value: unknown): Array<{ kind: string; text: string }> {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    if (name === 'example' || name === 'examples') return [];
    if ((name === 'summary' || name === 'description') && typeof part === 'string') {
      return [{ kind: name, text: part }];
    }
    return name === 'responses' ? [] : textsIn(part);
  });
}

test('summaries are titles, and descriptions are whole sentences', () => {
  const texts = textsIn(openApiDocument(routes, { version: '1.0.0', serverUrl: '/' }));
  expect(texts.length).toBeGreaterThan(300);
  const isWellFormed = ({ kind, text }: { kind: string; text: string }) =>
    /^[A-Z`0-9]/.test(text) && text.endsWith('.') === (kind === 'description');
  expect(texts.filter((one) => one.text !== '' && !isWellFormed(one))).toEqual([]);
  // A fragment such as "Of the last call" does not say what the field is.
  expect(texts.filter(({ text }) => /^(Of|Its|Whom|Null) /.test(text))).toEqual([]);
});
