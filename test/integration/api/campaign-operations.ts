import { z } from 'zod';
import type { ApiRequest } from './contract-client.ts';

/** Sends a request that must succeed, and returns the JSON of its answer. */
type Send = (label: string, request?: ApiRequest) => Promise<unknown>;

const withItems = z.object({ data: z.object({ items: z.array(z.object({ id: z.string() })) }) });

/** Ends and deletes a campaign. */
export async function deleteCampaign(send: Send, { campaignId }: { campaignId: string }): Promise<void> {
  await send(`PUT /api/v1/campaigns/${campaignId}/status`, { json: { status: 'canceled', hang_up: true } });
  await send(`DELETE /api/v1/campaigns/${campaignId}`);
}

export function importForm(agentId: string): FormData {
  const form = new FormData();
  form.set('file', new Blob(['phone,name\n+15550100555,Ada\n'], { type: 'text/csv' }), 'people.csv');
  form.set('campaign', JSON.stringify({ name: 'Imported', agent_id: agentId }));
  return form;
}

/** Calls every campaign operation beyond the interface once, in an order in which each finds the objects that it needs. */
export async function callCampaignOperations(
  send: Send,
  { campaignId, agentId }: { campaignId: string; agentId: string },
): Promise<void> {
  await send(`GET /api/v1/campaigns/${campaignId}/config`);
  await send(`GET /api/v1/campaigns/${campaignId}/progress`);
  await send(`GET /api/v1/campaigns/${campaignId}?fields=summary`);
  await send('GET /api/v1/campaigns?fields=summary');
  const recipients = `/api/v1/campaigns/${campaignId}/recipients`;
  await send(`GET ${recipients}?state=waiting&limit=10`);
  await send(`POST ${recipients}`, { json: { recipients: [{ phone_number: '+15550100777' }] } });
  const listed = withItems.parse(await send(`GET ${recipients}?phone_number=%2B15550100777`));
  await send(`GET ${recipients}/${listed.data.items[0]?.id ?? ''}/explain`);
  await send(`DELETE ${recipients}/${listed.data.items[0]?.id ?? ''}`);
  await send(`GET /api/v1/campaigns/${campaignId}/refusals`);
  await send(`POST /api/v1/campaigns/${campaignId}/forecast`, { json: { seed: 7 } });
  await send(`POST ${recipients}/retry`, { json: { outcomes: ['busy'] } });
  await send(`GET /api/v1/campaigns/${campaignId}/calls?outcome=busy`);
  await send(`GET /api/v1/campaigns/${campaignId}/export?of=recipients&format=ndjson`);
  await send(`HEAD /api/v1/campaigns/${campaignId}/stream`);
  await send('POST /api/v1/campaigns/import', { body: importForm(agentId) });
}
