import { checkDueCalls } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 500;

export const checkDueCallsSweep: Sweep = {
  name: 'check-due-calls',
  async runOnce(deps) {
    const { checked } = await checkDueCalls(deps);
    return { repaired: checked, waitMs: everyMs };
  },
};
