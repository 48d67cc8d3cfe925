import { proveCampaignCounts } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 15_000;
/** One campaign after the other, and never all of Postgres. */
const pauseMs = 250;

export const proveCampaignCountsSweep: Sweep = {
  name: 'prove-campaign-counts',
  async runOnce(deps) {
    const { repaired, more } = await proveCampaignCounts(deps);
    return { repaired, waitMs: more ? pauseMs : everyMs };
  },
};
