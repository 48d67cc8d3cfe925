import type { ApiRequest } from './contract-client.ts';

/** Sends a request that must succeed, and gives the JSON of its answer. */
type Send = (label: string, request?: ApiRequest) => Promise<unknown>;

/** Calls what campaigns offer beyond the interface once, in an order in which each finds what it needs. */
export async function callCampaignOperations(
  send: Send,
  { campaignId }: { campaignId: string },
): Promise<void> {
  await send(`GET /api/v1/campaigns/${campaignId}/config`);
  await send(`GET /api/v1/campaigns/${campaignId}/progress`);
  await send(`GET /api/v1/campaigns/${campaignId}?fields=summary`);
  await send('GET /api/v1/campaigns?fields=summary');
  await send(`GET /api/v1/campaigns/${campaignId}/recipients?state=waiting&limit=10`);
}
