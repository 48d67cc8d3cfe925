import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonStructure } from './json-structure.ts';

const roomy = { containers: 1_000_000, values: 1_000_000, depth: 1_000 };

function scan(text: string, limits: Partial<typeof roomy>, cutAt: readonly number[] = []) {
  const structure = new JsonStructure({ ...roomy, ...limits });
  const bytes = Buffer.from(text);
  const ends = [...cutAt.map((at) => at % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    const fault = structure.scan(bytes.subarray(start, end));
    if (fault !== null) return fault;
    start = end;
  }
  return null;
}

test('counts the depth and size of a text, however it is split into chunks', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 5 });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), cuts, (value, cutAt) => {
      const text = JSON.stringify(value);
      const { depth, containers, values } = measure(value);
      expect(scan(text, { depth, containers, values }, cutAt)).toBeNull();
      expect(scan(text, { values: values - 1 }, cutAt)).toBe('too_many_values');
      // A scalar has no depth and no containers.
      expect(scan(text, { depth: depth - 1 }, cutAt)).toBe(depth > 0 ? 'too_deep' : null);
      expect(scan(text, { containers: containers - 1 }, cutAt)).toBe('too_many_values');
    }),
  );
});

test('counts names and sees rounded numbers, however the text is split into chunks', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 5 });
  fc.assert(
    fc.property(
      fc.constantFrom('9007199254740992', '9007199254740993', '1e400', '1.5e1'),
      cuts,
      (number, cutAt) => {
        const text = `{"a:b":[${number},"9007199254740993"],"c":{"d":1,"d":2}}`;
        const bytes = Buffer.from(text);
        const structure = new JsonStructure(roomy);
        const ends = [...cutAt.map((at) => at % bytes.length), bytes.length].toSorted((a, b) => a - b);
        ends.forEach((end, index) => structure.scan(bytes.subarray(ends[index - 1] ?? 0, end)));
        expect([structure.members, structure.hasRoundedNumber]).toEqual([
          4,
          number === '9007199254740993' || number === '1e400',
        ]);
      },
    ),
  );
});

test('ignores structural characters within strings', () => {
  expect(scan('["[[[{{{,,,\\"[[[\\\\"]', { depth: 1, containers: 1, values: 2 })).toBeNull();
});

test('refuses an endless text at the limit', () => {
  const structure = new JsonStructure({ containers: 1_000, values: 1_000_000, depth: 100 });
  const chunk = Buffer.from('[],'.repeat(100));
  let chunks = 0;
  do chunks += 1;
  while (structure.scan(chunk) === null);
  expect(chunks).toBe(11);
});

/** The counts of the scanner: the commas plus one, plus the containers. */
function measure(value: unknown): { depth: number; containers: number; values: number } {
  const text = JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"/g, 's');
  const containers = text.match(/[[{]/g)?.length ?? 0;
  let depth = 0;
  let deepest = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') deepest = Math.max(deepest, ++depth);
    if (letter === ']' || letter === '}') depth -= 1;
  }
  return { depth: deepest, containers, values: 1 + containers + (text.match(/,/g)?.length ?? 0) };
}
