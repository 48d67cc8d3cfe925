import { wakeStrandedCampaigns } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 5_000;

export const wakeStrandedCampaignsSweep: Sweep = {
  name: 'wake-stranded-campaigns',
  async runOnce(deps) {
    const { woken } = await wakeStrandedCampaigns(deps);
    return { repaired: woken, waitMs: everyMs };
  },
};
