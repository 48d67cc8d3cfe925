import { expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';
import { itemForm } from './call-every-operation.ts';
import type { ApiRequest } from './contract-client.ts';

const { client, db, organization } = await apiWorld();
const owner = await organization();
const stranger = await organization();

const make = (label: string, request: ApiRequest) =>
  client.create(label, { key: owner.keys.admin, ...request });

const agentId = await owner.agent();
const phone = '+15551230000';
const ids = {
  agent_id: agentId,
  call_id: await make(`POST /api/v1/agents/${agentId}/call`, { json: { to_phone: phone } }),
  campaign_id: await make('POST /api/v1/campaigns', {
    json: { name: 'Spring', agent_id: agentId, phone_numbers: [phone], status: 'paused' },
  }),
  kb_id: await make('POST /api/v1/knowledge-base', { json: { name: 'Facts' } }),
};
const itemId = await make(`POST /api/v1/knowledge-base/${ids.kb_id}/items`, { body: itemForm() });
await client.send('POST /api/v1/suppressions', {
  key: owner.keys.admin,
  json: { phone_number: '+15551230099' },
});
const endpointId = await make('POST /api/v1/webhook-endpoints', { json: { url: 'https://example.com' } });
const deliveryId = await make(`POST /api/v1/webhook-endpoints/${endpointId}/test`, {});
const values: Record<string, string> = {
  ...ids,
  item_id: itemId,
  phone_number: '%2B15551230099',
  user_id: owner.userId,
  endpoint_id: endpointId,
  delivery_id: deliveryId,
};
const { id: keyId } = await db
  .selectFrom('api_keys')
  .select('id')
  .where('organization_id', '=', owner.id)
  .where('name', '=', 'viewer')
  .executeTakeFirstOrThrow();
values['key_id'] = keyId;
values['consent_id'] = await make('POST /api/v1/consents', {
  json: { phone_number: phone, basis: 'inquiry', source: 'a call', given_at: '2020-01-01T00:00:00Z' },
});
await client.send('POST /api/v1/scrub-lists/import', {
  key: owner.keys.admin,
  json: {
    name: 'registry',
    source: 'a registry',
    scrubbed_at: new Date().toISOString(),
    complete: true,
    numbers: [phone],
  },
});
await client.send('POST /api/v1/number-changes/import', {
  key: owner.keys.admin,
  json: {
    items: [
      { phone_number: phone, kind: 'ported', source: 'a registry', changed_at: '2020-01-01T00:00:00Z' },
    ],
  },
});
const { id: changeId } = await db.selectFrom('number_changes').select('id').executeTakeFirstOrThrow();
values['change_id'] = changeId;
values['list_name'] = 'registry';
values['caller_id'] = await make('POST /api/v1/caller-ids', { json: { phone_number: '+12125550123' } });
values['erasure_id'] = await make('POST /api/v1/erasures', { json: { phone_number: '+15551230098' } });
const { id: recipientId } = await db
  .selectFrom('campaign_recipients')
  .select('id')
  .where('campaign_id', '=', ids.campaign_id)
  .executeTakeFirstOrThrow();
values['recipient_id'] = recipientId;
values['subject_id'] = recipientId;

/** Bodies that would be accepted if the id belonged to the caller's organization. */
const bodies: Record<string, ApiRequest> = {
  makeCall: { json: { to_phone: phone } },
  updateCampaign: { json: { name: 'Taken over' } },
  setCampaignStatus: { json: { status: 'canceled' } },
  setCampaignConfig: { json: { call_back_attempts: 3 } },
  addRecipients: { json: { recipients: [{ phone_number: phone }] } },
  retryRecipients: { json: { outcomes: ['busy'] } },
  updateKnowledgeBase: { json: { name: 'Taken over' } },
  updateAgent: { json: { name: 'Taken over' } },
  addPrompt: { json: { prompt: 'Taken over' } },
  updateUser: { json: { role: 'viewer' } },
  rotateApiKey: { json: { overlap_seconds: 0 } },
  updateKnowledgeBaseItem: { json: { name: 'Taken over' } },
  redeliverWebhooksSince: { json: { since: '2026-01-01T00:00:00Z' } },
  updateWebhookEndpoint: { json: { enabled: false } },
  updateCallerId: { json: { state: 'retired' } },
  annotateCall: { json: { notes: 'Taken over' } },
  forecastCampaign: { json: { seed: 1 } },
  revokeConsent: { json: { reason: 'Taken over' } },
};

const withIdInPath = Object.entries(client.document.paths)
  .filter(([path]) => path.includes('{'))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const label = `${method.toUpperCase()} ${path}`;
      const upload = label.startsWith('POST') && path.endsWith('/items');
      const request = upload ? { body: itemForm() } : (bodies[operation.operationId] ?? {});
      return [label, request] as const;
    }),
  );

async function snapshot(): Promise<string> {
  const rows = await Promise.all(
    (
      [
        'agents',
        'agent_prompts',
        'calls',
        'campaigns',
        'campaign_configs',
        'suppressions',
        'scrub_lists',
        'number_changes',
        'users',
        'erasures',
        'api_keys',
        'campaign_recipients',
        'knowledge_bases',
        'knowledge_base_items',
        'webhook_endpoints',
        'webhook_deliveries',
      ] as const
    ).map((table) => db.selectFrom(table).selectAll().where('organization_id', '=', owner.id).execute()),
  );
  return JSON.stringify(rows);
}

test.each(withIdInPath)(
  '%s with another organization’s id is 404 and changes nothing',
  async (label, request) => {
    const before = await snapshot();
    const path = label.replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
    const query = label.endsWith('/search') ? '?q=anything' : '';
    const answer = await client.send(path + query, { key: stranger.keys.admin, ...request });
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ code: 'not_found' });
    expect(await snapshot()).toBe(before);
    const noId = label.replaceAll(/\{(\w+)\}/g, 'no-id');
    expect([404, 422]).toContain(
      (await client.send(noId + query, { key: owner.keys.admin, ...request })).status,
    );
  },
);

test.each([
  '/api/v1/campaigns',
  '/api/v1/knowledge-base',
  '/api/v1/agents',
  '/api/v1/calls',
  '/api/v1/tags',
  '/api/v1/audit-log',
  '/api/v1/suppressions',
  '/api/v1/organization',
  '/api/v1/erasures',
  '/api/v1/users',
  '/api/v1/api-keys',
  '/api/v1/usage?by=agent',
])('%s lists nothing of another organization', async (path) => {
  const answer = await client.send(`GET ${path}`, { key: stranger.keys.admin });
  expect(answer.bytes.toString()).not.toContain(owner.id);
});

test.each([
  ['POST /api/v1/campaigns', { name: 'x', phone_numbers: [phone] }],
  ['POST /api/v1/knowledge-base', { name: 'x' }],
])('%s for another organization is 403 and changes nothing', async (label, body) => {
  const before = await snapshot();
  const own = label.endsWith('campaigns') ? { agent_id: await stranger.agent() } : {};
  const answer = await client.send(label, {
    key: stranger.keys.admin,
    json: { ...body, ...own, organization_id: owner.id },
  });
  expect(answer.status).toBe(403);
  expect(answer.json).toMatchObject({ code: 'forbidden_organization' });
  expect(await snapshot()).toBe(before);
});
