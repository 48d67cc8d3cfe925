import { expect, test } from 'vitest';
import { withPauses } from './with-pauses.ts';

test('other work goes on between slow items', async () => {
  const done: string[] = [];
  setImmediate(() => done.push('other'));
  for await (const item of withPauses(['first', 'second'])) {
    const until = performance.now() + 11;
    while (performance.now() < until);
    done.push(item);
  }
  // A busy machine may make the first item come late too.
  expect(done.toSorted()).toEqual(['first', 'other', 'second']);
  expect(done.at(-1)).toBe('second');
});
