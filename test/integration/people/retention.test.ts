import { deleteRecordings, enforceRetention } from '@outdial/engine';
import { describe, expect, test } from 'vitest';
import type { TestOrganization } from '../api/api-world.ts';
import { idOf } from '../api/contract-client.ts';
import { dayMs, log, peopleWorld, tablesWith, tape } from './people-world.ts';

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

  const deletionsOf = async (acme: TestOrganization) =>
    db.selectFrom('recording_deletions').selectAll().where('organization_id', '=', acme.id).execute();

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
    expect(await deletionsOf(acme)).toMatchObject([{ call_id: old }]);
  });

  test('an erasure waits for recordings that retention has scheduled, and tries again those that were given up', async () => {
    const acme = await organization();
    const number = '+15551239401';
    const callId = await endedCall(acme, await acme.agent(), number, 40);
    await keep(acme, { recordings_days: 30 });
    await db
      .updateTable('recording_deletions')
      .set({ failed_at: new Date(), tries: 24 })
      .where('call_id', '=', callId)
      .execute();
    const answer = await client.send('POST /api/v1/erasures', {
      key: acme.keys.admin,
      json: { phone_number: number },
    });
    expect(answer.json).toMatchObject({
      data: { state: 'pending', recordings: { pending: 1, deleted: 0, failed: 0 } },
    });
    const deleted: string[] = [];
    const providers = new Map([['simulator', tape({ kind: 'deleted' }, deleted)]]);
    await deleteRecordings({ db, log, providers });
    expect(deleted).toContain(callId);
    const receipt = `GET /api/v1/erasures/${idOf(answer.json)}`;
    expect((await client.send(receipt, { key: acme.keys.admin })).json).toMatchObject({
      data: { state: 'done', recordings: { pending: 0, deleted: 1, failed: 0 } },
    });
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
    expect(await deletionsOf(acme)).toMatchObject(
      Array.from({ length: 3 }, () => ({ recording_url: 'tape:1', failed_at: null })),
    );
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
    const end = async (status: 'finished' | 'canceled') =>
      db
        .updateTable('campaigns')
        .set({ status, ended_at: new Date(Date.now() - 40 * dayMs) })
        .where('id', '=', campaignId)
        .execute();
    await end('finished');
    await keep(acme, { prompt_values_days: 30 });
    expect(await tablesWith(db, 'Secret')).toEqual([]);

    // Those of a campaign that was over before, too.
    await db
      .updateTable('campaign_recipients')
      .set({ state: 'done', last_outcome: 'busy', attempts: 1, withdrawn_at: null, next_attempt_at: null })
      .where('campaign_id', '=', campaignId)
      .execute();
    const again = await client.send(`POST /api/v1/campaigns/${campaignId}/recipients/retry`, {
      key: acme.keys.admin,
      json: { outcomes: ['busy'] },
    });
    expect(again.json).toMatchObject({ data: { retried: 1, status: 'paused' } });
    await client.send(`PUT /api/v1/campaigns/${campaignId}`, {
      key: acme.keys.admin,
      json: { additional_params: { prompt_params: { offer: 'Secret' } } },
    });
    expect(await tablesWith(db, 'Secret')).toEqual(['campaigns']);
    await end('canceled');
    await db
      .updateTable('retention_progress')
      .set({ done_until: new Date(0) })
      .where('organization_id', '=', acme.id)
      .execute();
    await sweep();
    expect(await tablesWith(db, 'Secret')).toEqual([]);
  });

  test('deletes values of deleted drafts', async () => {
    const acme = await organization();
    const campaignId = await post(acme, 'campaigns', {
      name: 'Spring',
      agent_id: await acme.agent(),
      phone_numbers: ['+15551239302'],
      additional_params: { prompt_params: { offer: 'Secret draft' } },
    });
    await db
      .updateTable('campaigns')
      .set({ deleted_at: new Date(Date.now() - 40 * dayMs), recipient_params: Buffer.from('{}') })
      .where('id', '=', campaignId)
      .execute();
    expect(await tablesWith(db, 'Secret draft')).toEqual(['campaigns']);
    await keep(acme, { prompt_values_days: 30 });
    expect(await tablesWith(db, 'Secret draft')).toEqual([]);
    const row = db.selectFrom('campaigns').select('recipient_params').where('id', '=', campaignId);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ recipient_params: null });
  });
});
