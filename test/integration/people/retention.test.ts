import { enforceRetention } from '@outdial/engine';
import { describe, expect, test } from 'vitest';
import type { TestOrganization } from '../api/api-world.ts';
import { dayMs, log, peopleWorld, tablesWith } from './people-world.ts';

const { client, db, organization, post, endedCall } = await peopleWorld();

describe('retention', () => {
  async function sweep(): Promise<void> {
    while ((await enforceRetention({ db, log: { ...log } })).isFull);
  }

  async function keep(acme: TestOrganization, retention: object): Promise<void> {
    await db
      .updateTable('organizations')
      .set({ created_at: new Date(Date.now() - 1_000 * dayMs) })
      .where('id', '=', acme.id)
      .execute();
    await client.send('PUT /api/v1/organization', { key: acme.keys.admin, json: { retention } });
    await sweep();
  }

  test('deletes expired transcripts, recordings and values, and keeps the rest', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const old = await endedCall(acme, agentId, '+15551239101', 40);
    const young = await endedCall(acme, agentId, '+15551239102', 20);
    await keep(acme, { transcripts_days: 30, recordings_days: 30, prompt_values_days: 30 });
    const read = async (id: string) =>
      (await client.send(`GET /api/v1/calls/${id}`, { key: acme.keys.viewer })).json;
    expect(await read(old)).toMatchObject({
      data: { transcript: null, call_extract: null, recording_url: null, prompt_params: null, duration: 60 },
    });
    expect(await read(young)).toMatchObject({
      data: { transcript: 'callee: This is Grace.', prompt_params: { name: 'Grace' } },
    });
    const pending = await db
      .selectFrom('recording_deletions')
      .select('call_id')
      .where('organization_id', '=', acme.id)
      .execute();
    expect(pending).toEqual([{ call_id: old }]);
  });

  test('deletes whole calls, and their usage stays', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    for (let count = 0; count < 3; count++) await endedCall(acme, agentId, `+155512392${count}0`, 40);
    const since = new Date(Date.now() - 60 * dayMs).toISOString();
    const before = await client.send(`GET /api/v1/usage?by=agent&from=${since}`, { key: acme.keys.viewer });
    expect(before.json).toMatchObject({ data: { items: [{ calls: 3, minutes: 3, cost: 1.5 }] } });
    await keep(acme, { calls_days: 30 });
    const after = await client.send(`GET /api/v1/usage?by=agent&from=${since}`, { key: acme.keys.viewer });
    expect(after.json).toMatchObject({
      data: { items: [{ agent_id: agentId, calls: 3, minutes: 3, cost: 1.5, outcomes: { completed: 3 } }] },
    });
    const list = await client.send('GET /api/v1/calls', { key: acme.keys.viewer });
    expect(list.json).toMatchObject({ data: { items: [] } });
  });

  test('deletes values of campaigns that are over', async () => {
    const acme = await organization();
    const number = '+15551239301';
    const campaignId = await post(acme, 'campaigns', {
      name: 'Spring',
      agent_id: await acme.agent(),
      phone_numbers: [number],
      additional_params: {
        prompt_params: { offer: 'Secret' },
        recipients: { [number]: { prompt_params: { name: 'Secret' } } },
      },
    });
    await client.send(`PUT /api/v1/campaigns/${campaignId}/status`, {
      key: acme.keys.admin,
      json: { status: 'canceled' },
    });
    expect((await tablesWith(db, 'Secret')).toSorted()).toEqual(['campaign_recipients', 'campaigns']);
    await db
      .updateTable('campaigns')
      .set({ ended_at: new Date(Date.now() - 40 * dayMs) })
      .where('id', '=', campaignId)
      .execute();
    await keep(acme, { prompt_values_days: 30 });
    expect(await tablesWith(db, 'Secret')).toEqual([]);
  });
});
