import { wakeDueCampaigns } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

/** The scheduler sleeps until the earliest wake-up, at most this long: a nearer one may be written meanwhile. */
const longestSleepMs = 1_000;

export const wakeDueCampaignsSweep: Sweep = {
  name: 'wake-due-campaigns',
  async runOnce(deps) {
    const { nextInMs } = await wakeDueCampaigns(deps);
    // Waking campaigns is the schedule itself, not a repair.
    return { repaired: 0, waitMs: Math.max(0, Math.min(nextInMs ?? longestSleepMs, longestSleepMs)) };
  },
};
