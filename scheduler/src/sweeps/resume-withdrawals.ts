import { resumeWithdrawals } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 5_000;

export const resumeWithdrawalsSweep: Sweep = {
  name: 'resume-withdrawals',
  async runOnce(deps) {
    const { resumed } = await resumeWithdrawals(deps);
    return { repaired: resumed, waitMs: everyMs };
  },
};
