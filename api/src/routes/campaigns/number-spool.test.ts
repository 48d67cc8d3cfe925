import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberSpool } from './number-spool.ts';

test('every number is returned unchanged', async () => {
  const e164 = fc.stringMatching(/^\+[1-9]\d{6,14}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(e164)), async (chunks) => {
      async function* read() {
        yield* chunks;
      }
      const spool = await NumberSpool.of(read());
      expect([...spool.chunks()]).toEqual(chunks);
    }),
  );
});
