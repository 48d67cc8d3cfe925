import { releaseExpiredClaims } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 1_000;

export const releaseExpiredClaimsSweep: Sweep = {
  name: 'release-expired-claims',
  async runOnce(deps) {
    const { released } = await releaseExpiredClaims(deps);
    return { repaired: released, waitMs: everyMs };
  },
};
