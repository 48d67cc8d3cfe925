import { expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../routes/index.ts';
import { isObject } from './openapi-example.ts';
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

/** The objects with described members that allow others too, by component, in what the value refers to. */
function openObjects(value: unknown, schemas: Readonly<Record<string, unknown>>): Set<string> {
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (part: unknown, component: string): void => {
    if (Array.isArray(part)) for (const one of part) visit(one, component);
    if (!isObject(part)) return;
    const { $ref: reference, properties, additionalProperties, example: _, examples: __, ...parts } = part;
    if (typeof reference === 'string' && !seen.has(reference)) {
      seen.add(reference);
      const id = reference.slice(reference.lastIndexOf('/') + 1);
      visit(schemas[id], id);
    }
    if (isObject(properties) && additionalProperties !== false) found.add(component);
    visit(
      [Object.values(parts), additionalProperties, isObject(properties) && Object.values(properties)],
      component,
    );
  };
  visit(value, '');
  return found;
}

test('answers have no fields but those of the document', () => {
  // The tests of the api compare every answer with the document, so a column that a query of a view selects too fails them.
  const { paths, components } = z
    .object({
      paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.unknown() }))),
      components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
    })
    .parse(openApiDocument(routes, { version: '1.0.0', serverUrl: '/' }));
  const responses = Object.values(paths).flatMap((item) => Object.values(item).map((one) => one.responses));
  // What callers add, and what accompanies the data. Events get further fields: those of the voice runtime, and those of deliveries as they were sent.
  const open = [...openObjects(responses, components.schemas)].filter((id) => !id.endsWith('Event'));
  expect(open.toSorted()).toEqual(['CallMeta', 'Meta']);
});
