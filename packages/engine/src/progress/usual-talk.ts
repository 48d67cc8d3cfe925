import { LRUCache } from 'lru-cache';

/** The weight of the newest call, so that the mean follows a change of the agent within some calls. */
const weight = 1 / 8;
const campaignsAtMost = 10_000;

/** By campaign, from the calls whose end this process recorded. Only decides when to look, so each process may know another mean. */
const meansMs = new LRUCache<string, number>({ max: campaignsAtMost });

/** Counts the length of a conversation towards the usual one of its campaign. */
export function noteTalk(campaignId: string, talkMs: number): void {
  const mean = meansMs.get(campaignId);
  meansMs.set(campaignId, mean === undefined ? talkMs : mean + (talkMs - mean) * weight);
}

/** Null if none of the campaign's conversations has ended here. */
export function usualTalkMs(campaignId: string): number | null {
  return meansMs.get(campaignId) ?? null;
}
