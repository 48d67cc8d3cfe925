import { foldCampaignCounts } from '@outdial/engine';
import type { Sweep } from './sweep.ts';

const everyMs = 1_000;

export const foldCampaignCountsSweep: Sweep = {
  name: 'fold-campaign-counts',
  async runOnce(deps) {
    const { folded, more } = await foldCampaignCounts(deps);
    deps.log.debug({ folded }, 'counts of campaigns folded');
    return { repaired: 0, waitMs: more ? 0 : everyMs };
  },
};
