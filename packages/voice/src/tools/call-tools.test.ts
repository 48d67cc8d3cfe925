import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { optOutTool } from './call-tools.ts';

const never = new AbortController().signal;

test('opt_out reports success only after the commit', async () => {
  const committed = Promise.withResolvers<undefined>();
  let isTold = false;
  const tell = async () => {
    const outcome = await optOutTool(() => committed.promise).run('{}', never);
    isTold = true;
    return outcome.text;
  };
  const told = tell();
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect(isTold).toBe(false);
  committed.resolve(undefined);
  expect(await told).toMatch(/^Done/);
});

test('opt_out reports no success if the commit failed', async () => {
  const tool = optOutTool(() => Promise.reject(new Error('no database')));
  await expect(tool.run('{}', never)).rejects.toThrow('no database');
});
