import { describe, expect, test } from 'vitest';
import {
  type CampaignStatus,
  campaignStatuses,
  decideCampaignMove,
  isFinalCampaignStatus,
} from './campaign-state.ts';

/** The table of docs/behaviour.md, "Status", written out once more. */
const allowed = new Set([
  'draft>paused',
  'draft>running',
  'draft>canceled',
  'paused>draft',
  'paused>running',
  'paused>finished',
  'paused>canceled',
  'running>paused',
  'running>finished',
  'running>canceled',
]);

const pairs = campaignStatuses.flatMap((from) =>
  campaignStatuses.map((to): [CampaignStatus, CampaignStatus] => [from, to]),
);

describe('decideCampaignMove', () => {
  test.each(pairs)('%s to %s', (from, to) => {
    const final = from === 'finished' || from === 'canceled';
    const refused = { kind: 'refused', reason: final ? 'final_status' : 'not_a_move' };
    const expected = allowed.has(`${from}>${to}`) ? { kind: 'move' } : refused;
    expect(decideCampaignMove(from, to)).toEqual(from === to ? { kind: 'same' } : expected);
  });
});

describe('isFinalCampaignStatus', () => {
  test('holds for finished and canceled only', () => {
    expect(campaignStatuses.filter(isFinalCampaignStatus)).toEqual(['finished', 'canceled']);
  });
});
