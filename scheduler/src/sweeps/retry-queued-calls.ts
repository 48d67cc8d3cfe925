import { retryQueuedCalls } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 1_000;

export const retryQueuedCallsSweep: Sweep = {
  name: 'retry-queued-calls',
  async runOnce(deps) {
    const { canceled, retried } = await retryQueuedCalls(deps);
    return { repaired: canceled + retried, waitMs: everyMs };
  },
};
