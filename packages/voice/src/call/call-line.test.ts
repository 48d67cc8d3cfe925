import type { TelephonyProvider } from '@outdial/core';
import { expect, test } from 'vitest';
import { createCallLine } from './call-line.ts';

test('a provider that does not press keys in time has not pressed them', async () => {
  const silent = {
    pressKeys: (_callId: string, _digits: string, signal: AbortSignal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true })),
    // Only this method is called.
  } as Partial<TelephonyProvider> as TelephonyProvider;
  const line = createCallLine(silent, { id: 'a', ringTimeoutSeconds: 20, maxCallSeconds: 60 });
  expect(await line?.press('1', new AbortController().signal)).toBe(false);
});
