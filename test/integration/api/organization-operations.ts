import { z } from 'zod';
import { type ApiRequest, idOf } from './contract-client.ts';

/** Sends a request that must succeed, and returns the JSON of its answer. */
type Send = (label: string, request?: ApiRequest) => Promise<unknown>;

/** Calls every operation on agents, calls and the organization once, in an order in which each finds what it needs. */
export async function callOrganizationOperations(
  send: Send,
  { callId, ...ids }: { callId: string; agentId: string },
): Promise<void> {
  const agentId = idOf(
    await send('POST /api/v1/agents', {
      json: { name: 'Bert', config: { voice: 'deep' }, skills: [{ type: 'transfer', exec_order: '1' }] },
    }),
  );
  await send('GET /api/v1/agents');
  await send(`PUT /api/v1/agents/${agentId}`, { json: { name: 'Berta', skills: [] } });
  await send(`POST /api/v1/agents/${agentId}/prompts`, { json: { prompt: 'Greet {{name}}.' } });
  await send(`GET /api/v1/agents/${agentId}/prompts?limit=1`);
  await send(`DELETE /api/v1/agents/${agentId}`);

  await send('GET /api/v1/calls?status=other&from=2020-01-01T00:00:00Z');
  await send(`PUT /api/v1/calls/${callId}`, { json: { notes: 'Call again', quality: 4, tags: ['late'] } });
  const live = await send(`POST /api/v1/agents/${ids.agentId}/call`, { json: { to_phone: '+15551230910' } });
  await send(`POST /api/v1/calls/${idOf(live)}/hang-up`);
  const talker = { name: 'Talker', config: { voice: { mode: 'cascade' } } };
  const talkerId = idOf(await send('POST /api/v1/agents', { json: talker }));
  await send(`POST /api/v1/agents/${talkerId}/prompts`, { json: { prompt: 'Greet.' } });
  await send(`POST /api/v1/agents/${talkerId}/web-call`, { json: { prompt_params: { name: 'Ada' } } });
  await send('GET /api/v1/tags');

  const number = '+15551230900';
  await send('POST /api/v1/suppressions', { json: { phone_number: number, reason: 'asked for it' } });
  await send('POST /api/v1/suppressions/import', { json: { items: [{ phone_number: '+1 555 123 0901' }] } });
  await send('GET /api/v1/suppressions');
  await send(`DELETE /api/v1/suppressions/${encodeURIComponent(number)}`);

  const consent = {
    phone_number: number,
    basis: 'prior_express',
    source: 'a form',
    given_at: '2020-01-01T00:00:00Z',
  };
  const consentId = idOf(await send('POST /api/v1/consents', { json: consent }));
  await send('POST /api/v1/consents/import', { json: { items: [consent] } });
  await send('GET /api/v1/consents');
  await send(`GET /api/v1/people/${encodeURIComponent(consent.phone_number)}/consents`);
  await send(`GET /api/v1/people/${encodeURIComponent(consent.phone_number)}/defense`);
  await send('POST /api/v1/people/import', {
    json: { items: [{ phone_number: consent.phone_number, person_ref: 'customer-1' }] },
  });
  await send(`POST /api/v1/consents/${consentId}/revoke`, { json: { reason: 'asked' } });

  const change = {
    phone_number: number,
    kind: 'ported',
    source: 'a registry',
    changed_at: '2020-01-01T00:00:00Z',
  };
  await send('POST /api/v1/number-changes/import', { json: { items: [change] } });
  await send('POST /api/v1/number-queries/import', {
    json: {
      items: [
        { phone_number: number, answer: 'no', queried_at: '2020-01-01T00:00:00Z', source: 'a registry' },
      ],
    },
  });
  await send('GET /api/v1/number-queries');
  const changes = await send('GET /api/v1/number-changes');
  const { data } = z
    .object({ data: z.object({ items: z.array(z.object({ id: z.string() })).min(1) }) })
    .parse(changes);
  await send(`DELETE /api/v1/number-changes/${data.items[0]?.id ?? ''}`);

  const scrub = {
    name: 'registry',
    source: 'a registry',
    scrubbed_at: new Date().toISOString(),
    complete: true,
    numbers: [number],
  };
  await send('POST /api/v1/scrub-lists/import', { json: scrub });
  await send('GET /api/v1/scrub-lists');
  await send('DELETE /api/v1/scrub-lists/registry');

  await send('GET /api/v1/disclosures');
  const callerId = idOf(await send('POST /api/v1/caller-ids', { json: { phone_number: '+12125550123' } }));
  await send('GET /api/v1/caller-ids');
  await send(`GET /api/v1/caller-ids/${callerId}`);
  await send(`PUT /api/v1/caller-ids/${callerId}`, { json: { calls_per_day: 90, state_reason: 'asked' } });
  await send(`DELETE /api/v1/caller-ids/${callerId}`);

  await send('POST /api/v1/suppressions', { json: { phone_number: number } });
  await send(`GET /api/v1/people/${number}/export`);
  const erasureId = idOf(await send('POST /api/v1/erasures', { json: { phone_number: number } }));
  await send('GET /api/v1/erasures');
  await send(`GET /api/v1/erasures/${erasureId}`);

  const userId = idOf(
    await send('POST /api/v1/users', {
      json: { email: 'bob@example.com', first_name: 'Bob', last_name: 'Bell', role: 'member' },
    }),
  );
  await send('GET /api/v1/users');
  await send(`GET /api/v1/users/${userId}`);
  await send(`PUT /api/v1/users/${userId}`, { json: { role: 'viewer' } });
  await send(`POST /api/v1/users/${userId}/sign-in-link`, { json: { expires_in_minutes: 60 } });
  const keyId = idOf(await send('POST /api/v1/api-keys', { json: { name: 'CRM', user_id: userId } }));
  await send(`POST /api/v1/api-keys/${keyId}/rotate`, { json: { overlap_seconds: 60 } });
  await send('GET /api/v1/api-keys');
  await send(`DELETE /api/v1/api-keys/${keyId}`);

  await send('GET /api/v1/organization');
  await send('PUT /api/v1/organization', {
    json: { timezone: 'Europe/Berlin', retention: { calls_days: 900 } },
  });
  await send('GET /api/v1/usage?by=campaign');

  await send('GET /api/v1/audit-log?limit=2');
}
