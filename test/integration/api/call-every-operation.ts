import type { TelephonyProvider } from '@outdial/core';
import type { Db } from '@outdial/db';
import { sealReceipts } from '@outdial/engine';
import { saveLastingHeartbeat } from '../../support/lasting-heartbeat.ts';
import { callCampaignOperations, deleteCampaign } from './campaign-operations.ts';
import { type ApiRequest, idOf } from './contract-client.ts';
import { callOrganizationOperations } from './organization-operations.ts';
import { callWebhookOperations } from './webhook-operations.ts';

async function* bytes() {
  yield Buffer.from('RIFF');
}

const tape: TelephonyProvider = {
  name: 'tape',
  idempotency: 'none',
  place: async () => ({ kind: 'refused', outcome: 'failed', externalStatus: 'plays tapes only' }),
  lookUp: async () => ({ kind: 'unknown' }),
  hangUp: async () => ({ kind: 'confirmed' }),
  openRecording: async () => ({ contentType: 'audio/wav', size: 4, read: bytes }),
};

/** The settings with which every operation can succeed: the provider of recordings, and the secret of call tokens. */
export const everyOperationWorld = {
  providers: new Map([['tape', tape]]),
  config: { callTokenSecret: 'a-secret-of-these-tests-of-32-characters' },
};

/** Calls every operation once, in an order in which each finds the objects that it needs. `send` returns the JSON of a 200. */
export async function callEveryOperation(
  db: Db,
  agentId: string,
  send: (label: string, request?: ApiRequest) => Promise<unknown>,
): Promise<void> {
  const callId = idOf(
    await send(`POST /api/v1/agents/${agentId}/call`, { json: { to_phone: '+15551230000', meta: null } }),
  );
  await send(`GET /api/v1/agents/${agentId}`);
  await send(`GET /api/v1/agents/${agentId}/calls`);
  await send(`GET /api/v1/calls/${callId}`);
  await send(`GET /api/v1/calls/${callId}/receipt`);
  const now = new Date();
  await db
    .updateTable('calls')
    .set({
      provider: 'tape',
      phase: 'ended',
      outcome: 'completed',
      gated_at: now,
      ended_at: now,
      recording_url: 'x',
    })
    .where('id', '=', callId)
    .execute();
  await send(`GET /api/v1/calls/${callId}/recording`);
  await db
    .updateTable('calls')
    .set({ created_at: new Date(now.getTime() - 3 * 24 * 3_600_000) })
    .where('id', '=', callId)
    .execute();
  while ((await sealReceipts({ db })).isFull);
  await send('GET /api/v1/receipt-seals');
  await send(`GET /api/v1/receipt-proofs/${callId}`);

  const campaign = { name: 'Spring', agent_id: agentId, phone_numbers: ['+15551230001', '+15551230002'] };
  const campaignId = idOf(await send('POST /api/v1/campaigns', { json: { ...campaign, status: 'paused' } }));
  await send('GET /api/v1/campaigns');
  await send(`GET /api/v1/campaigns/${campaignId}`);
  await send(`PUT /api/v1/campaigns/${campaignId}`, { json: { name: 'Summer', end_date: '2099-01-01' } });
  await send(`PUT /api/v1/campaigns/${campaignId}/config`, { json: { call_back_attempts: 2 } });
  await send(`PUT /api/v1/campaigns/${campaignId}/status`, { json: { status: 'running' } });
  await send(`GET /api/v1/campaigns/${campaignId}`);

  await callCampaignOperations(send, { campaignId, agentId });
  await deleteCampaign(send, { campaignId });

  const baseId = idOf(await send('POST /api/v1/knowledge-base', { json: { name: 'Facts' } }));
  await send('GET /api/v1/knowledge-base');
  await send(`GET /api/v1/knowledge-base/${baseId}`);
  await send(`PUT /api/v1/knowledge-base/${baseId}`, { json: { description: 'What callers ask' } });
  const items = `/api/v1/knowledge-base/${baseId}/items`;
  const itemId = idOf(await send(`POST ${items}`, { body: itemForm() }));
  await send(`GET ${items}`);
  await send(`GET ${items}/${itemId}`);
  await send(`PUT ${items}/${itemId}`, { json: { notes: 'Since May' } });
  await send(`DELETE ${items}/${itemId}`);
  await send(`GET /api/v1/knowledge-base/${baseId}/search?q=anything`);
  await send(`DELETE /api/v1/knowledge-base/${baseId}`);

  // Just before it is needed, because a silent voice process gets no calls.
  await saveLastingHeartbeat(db);
  await callOrganizationOperations(send, { callId, agentId });
  await callWebhookOperations(db, send);
}

export function itemForm(): FormData {
  const data = new FormData();
  data.set('file', new Blob(['Opening hours: nine to five.'], { type: 'text/plain' }), 'hours.txt');
  data.set('notes', 'from the door');
  return data;
}
