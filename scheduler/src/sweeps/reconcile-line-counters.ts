import { reconcileLineCounters } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 10_000;

export const reconcileLineCountersSweep: Sweep = {
  name: 'reconcile-line-counters',
  async runOnce(deps) {
    const { repaired } = await reconcileLineCounters(deps);
    return { repaired, waitMs: everyMs };
  },
};
