import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { FileMissingError, maskPhoneNumber, recordingKey, storedRecordingUrl } from '@outdial/core';
import type { CallFact, DeleteRecordingResult } from '@outdial/core';
import {
  addSuppressions,
  claimDeliveries,
  createPostgresFileStore,
  createWebhookEndpoint,
  findCampaignProgress,
  inTransaction,
  placeEvents,
  type Executor,
} from '@outdial/db';
import { applyReports, deleteRecordings } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { idOf } from '../api/contract-client.ts';
import { overlapping } from '../engine/by-hand.ts';
import { log, peopleWorld, tablesWith, tape } from './people-world.ts';

const { client, db, organization, post, endedCall } = await peopleWorld();

const report = async (callId: string, fact: CallFact) =>
  applyReports(
    {
      db,
      log,
      publisher: {
        publish: async () => undefined,
        publishMany: async () => undefined,
        close: async () => undefined,
        ping: async () => null,
      },
      settings: { ringTimeoutSeconds: 45, maxCallSeconds: 1_800 },
      metrics: { callEnded: () => undefined },
    },
    [{ callId, facts: [fact] }],
  );

describe('erasing a person', () => {
  test('removes the number everywhere, and keeps the counts', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const number = '+15551239001';
    const callId = await endedCall(acme, agentId, number);
    const campaignId = await post(acme, 'campaigns', {
      name: 'Spring',
      agent_id: agentId,
      phone_numbers: [number, '+15551239002'],
      additional_params: { recipients: { [number]: { prompt_params: { name: 'Grace' } } } },
    });
    await db
      .updateTable('campaign_recipients')
      .set({ state: 'done', last_outcome: 'completed', attempts: 1, next_attempt_at: null })
      .where('phone_number', '=', number)
      .execute();
    await client.send('POST /api/v1/suppressions', {
      key: acme.keys.admin,
      json: { phone_number: number },
      headers: { 'Idempotency-Key': randomUUID() },
    });

    const exported = await client.send(`GET /api/v1/people/${number}/export`, { key: acme.keys.admin });
    expect(exported.json).toMatchObject({
      data: {
        phone_number: number,
        suppression: { phone_number: number },
        recipients: [
          { campaign_id: campaignId, last_outcome: 'completed', prompt_params: { name: 'Grace' } },
        ],
        calls: [{ id: callId, transcript: 'callee: This is Grace.' }],
        complete: true,
      },
    });

    const answer = await client.send('POST /api/v1/erasures', {
      key: acme.keys.admin,
      json: { phone_number: number },
    });
    expect(answer.json).toMatchObject({
      data: {
        state: 'pending',
        calls: 1,
        recipients: 1,
        suppressions: 1,
        recordings: { pending: 1, deleted: 0 },
      },
    });
    expect(answer.bytes.toString()).not.toContain(number);
    expect(await tablesWith(db, number)).toEqual([]);
    expect(await tablesWith(db, 'Grace')).toEqual([]);
    expect(await tablesWith(db, number.slice(1))).toEqual([]);

    const read = await client.send(`GET /api/v1/calls/${callId}`, { key: acme.keys.admin });
    expect(read.json).toMatchObject({
      data: {
        phone_number: null,
        transcript: null,
        recording_url: null,
        duration: 60,
        cost: 0.5,
        status: 'finish',
      },
    });
    const campaign = await client.send(`GET /api/v1/campaigns/${campaignId}`, { key: acme.keys.admin });
    expect(campaign.json).toMatchObject({ data: { phone_numbers: ['+15551239002'] } });
    const progress = await findCampaignProgress(db, { organizationId: acme.id, campaignId });
    expect(progress?.recipients).toMatchObject({ total: 2, reached: 1 });
    const gone = await client.send(`GET /api/v1/people/${number}/export`, { key: acme.keys.admin });
    expect(gone.status).toBe(404);

    const at = new Date();
    await report(callId, { kind: 'transcript', eventId: 'late', at, transcript: 'This is Grace.' });
    expect(await tablesWith(db, 'Grace')).toEqual([]);

    const deleted: string[] = [];
    await deleteRecordings({
      db,
      log,
      providers: new Map([['simulator', tape({ kind: 'deleted' }, deleted)]]),
    });
    expect(deleted).toEqual([callId]);
    const receipt = `GET /api/v1/erasures/${idOf(answer.json)}`;
    expect((await client.send(receipt, { key: acme.keys.admin })).json).toMatchObject({
      data: { state: 'done', recordings: { deleted: 1, pending: 0, failed: 0 } },
    });
  });

  test('a reader of events goes on after one about the person', async () => {
    const acme = await organization();
    const number = '+15551239016';
    const events = async (after: string) => {
      const answer = await client.send(`GET /api/v1/events?types=suppression.added${after}`, {
        key: acme.keys.admin,
      });
      expect(answer.status).toBe(200);
      const item = z.object({ id: z.string(), data: z.record(z.string(), z.unknown()) });
      return z.object({ data: z.object({ items: z.array(item) }) }).parse(answer.json).data.items;
    };
    await client.send('POST /api/v1/suppressions', { key: acme.keys.admin, json: { phone_number: number } });
    const [first] = await events('');
    expect(first).toMatchObject({ data: { phone_number: number } });
    await post(acme, 'erasures', { phone_number: number });
    await client.send('POST /api/v1/suppressions', {
      key: acme.keys.admin,
      json: { phone_number: '+15551239017' },
    });
    await placeEvents(db, { limit: 100 });
    expect(await events(`&after=${first?.id}`)).toMatchObject([{ data: { phone_number: '+15551239017' } }]);
    expect((await events('')).map(({ data }) => data)).toEqual([{}, { phone_number: '+15551239017' }]);
  });

  test('a recording that its provider reports after the erasure is deleted', async () => {
    const acme = await organization();
    const number = '+15551239015';
    const callId = await endedCall(acme, await acme.agent(), number);
    await db.updateTable('calls').set({ recording_url: null }).where('id', '=', callId).execute();
    await post(acme, 'erasures', { phone_number: number });
    await report(callId, { kind: 'recording', eventId: 'late', at: new Date(), recordingUrl: 'tape:late' });
    const deleted: string[] = [];
    const late = tape({ kind: 'deleted' }, deleted);
    await deleteRecordings({ db, log, providers: new Map([['simulator', late]]) });
    expect(deleted).toEqual([callId]);
    expect(await tablesWith(db, 'tape:late')).toEqual([]);
  });

  test('reports waiting recipients as finished, and logs an export', async () => {
    const acme = await organization();
    const number = '+15551239012';
    const campaignId = await post(acme, 'campaigns', {
      name: 'Autumn',
      agent_id: await acme.agent(),
      phone_numbers: [number],
    });
    await client.send(`GET /api/v1/people/${number}/export`, { key: acme.keys.admin });
    const logged = await db
      .selectFrom('audit_log')
      .select(['action', 'target_type', 'target_id'])
      .where('organization_id', '=', acme.id)
      .where('action', '=', 'exportPerson')
      .execute();
    expect(logged).toEqual([
      { action: 'exportPerson', target_type: 'person', target_id: maskPhoneNumber(number) },
    ]);
    await post(acme, 'erasures', { phone_number: number });
    const told = await db
      .selectFrom('outbox')
      .select('data')
      .where('campaign_id', '=', campaignId)
      .where('type', '=', 'recipient.finished')
      .execute();
    expect(told).toMatchObject([{ data: { reason: 'withdrawn', attempts: 0 } }]);
    expect(JSON.stringify(told)).not.toContain(number.slice(1));
  });

  test('events of the person have no phone number then, in lists and in webhooks', async () => {
    const acme = await organization();
    const number = '+15551239015';
    const callId = await endedCall(acme, await acme.agent(), number);
    const campaignId = await post(acme, 'campaigns', {
      name: 'Winter',
      agent_id: await acme.agent(),
      phone_numbers: [number],
    });
    const endpoint = await inTransaction(db, (tx) =>
      createWebhookEndpoint(tx, {
        organizationId: acme.id,
        url: 'https://events.example.com',
        events: ['*'],
        description: '',
        enabled: true,
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        atMost: 20,
      }),
    );
    await sql`
      insert into outbox (organization_id, type, call_id, created_at)
      values (${acme.id}, 'call.ended', ${callId}, engine_now())`.execute(db);
    await post(acme, 'erasures', { phone_number: number });
    await placeEvents(db, { limit: 1_000 });
    const about = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });
    const read = await client.send('GET /api/v1/events?limit=100', { key: acme.keys.viewer });
    const { items } = z.object({ data: z.object({ items: z.array(about) }) }).parse(read.json).data;
    const claimed = await claimDeliveries(db, {
      endpointId: endpoint?.id ?? '',
      limit: 100,
      leaseSeconds: 60,
    });
    for (const events of [items, claimed?.deliveries ?? []]) {
      for (const [type, subject] of [
        ['call.ended', { call_id: callId }],
        ['recipient.finished', { campaign_id: campaignId }],
      ] as const) {
        const event = events.find((one) => one.type === type);
        expect(event?.data).toMatchObject(subject);
        expect(event?.data).not.toHaveProperty('phone_number');
      }
    }
  });

  test('a recording in the file store is deleted there, without the provider', async () => {
    const acme = await organization();
    const number = '+15551239013';
    const callId = await endedCall(acme, await acme.agent(), number);
    const files = createPostgresFileStore(db);
    await files.write(recordingKey(callId), Readable.from([Buffer.from('RIFF, a song')]));
    await db
      .updateTable('calls')
      .set({ recording_url: storedRecordingUrl(12) })
      .where('id', '=', callId)
      .execute();
    const heard = await client.send(`GET /api/v1/calls/${callId}/recording`, {
      key: acme.keys.admin,
      headers: { Range: 'bytes=6-7' },
    });
    expect([heard.status, heard.bytes.toString()]).toEqual([206, 'a ']);

    const id = await post(acme, 'erasures', { phone_number: number });
    // A worker without a file store leaves it to others.
    await deleteRecordings({ db, log, providers: new Map() });
    await db
      .updateTable('recording_deletions')
      .set({ next_try_at: new Date(0) })
      .execute();
    await deleteRecordings({ db, log, files, providers: new Map() });
    await expect(Array.fromAsync(files.read(recordingKey(callId)))).rejects.toThrow(FileMissingError);
    expect((await client.send(`GET /api/v1/erasures/${id}`, { key: acme.keys.admin })).json).toMatchObject({
      data: { state: 'done', recordings: { deleted: 1 } },
    });
  });

  test('a recording that its provider does not delete is reported as failed', async () => {
    const acme = await organization();
    const number = '+15551239003';
    await endedCall(acme, await acme.agent(), number);
    const id = await post(acme, 'erasures', { phone_number: number });
    const providers = (result: DeleteRecordingResult) => new Map([['simulator', tape(result, [])]]);
    const state = async () =>
      (await client.send(`GET /api/v1/erasures/${id}`, { key: acme.keys.admin })).json;
    const down = { kind: 'unreachable', reason: 'down' } as const;
    // A worker that lacks the adapter for a while has not asked the provider.
    for (const those of [providers(down), new Map<string, never>()]) {
      await deleteRecordings({ db, log, providers: those });
      expect(await state()).toMatchObject({ data: { state: 'pending' } });
      await db
        .updateTable('recording_deletions')
        .set({ next_try_at: new Date(0) })
        .execute();
    }
    await deleteRecordings({ db, log, providers: providers({ kind: 'refused', reason: 'http_403' }) });
    expect(await state()).toMatchObject({ data: { state: 'failed', recordings: { failed: 1 } } });
  });

  test('a person who was erased may stay on the suppression list, and on no other', async () => {
    const acme = await organization();
    const number = '+15551239004';
    await client.send('POST /api/v1/suppressions', { key: acme.keys.admin, json: { phone_number: number } });
    await post(acme, 'erasures', { phone_number: number, keep_suppressed: true });
    expect(await tablesWith(db, number)).toEqual(['suppressions']);
  });

  test('an erased person who had asked for no calls is not called again, though the number is nowhere', async () => {
    const acme = await organization();
    const other = await organization();
    const key = acme.keys.admin;
    const agentId = await acme.agent();
    const call = async (phone: string, of = acme, agent = agentId) => {
      const json = { to_phone: phone };
      return client.send(`POST /api/v1/agents/${agent}/call`, { key: of.keys.admin, json });
    };
    const refused = { status: 409, json: { code: 'number_suppressed' } };
    const [kept, forgotten, free] = ['+15551239006', '+15551239007', '+15551239008'];
    for (const phone_number of [kept, forgotten]) {
      await client.send('POST /api/v1/suppressions', { key, json: { phone_number } });
    }
    await post(acme, 'erasures', { phone_number: kept });
    await post(acme, 'erasures', { phone_number: forgotten, forget_opt_out: true });
    await post(acme, 'erasures', { phone_number: free });
    expect(await tablesWith(db, kept)).toEqual([]);
    expect(await call(kept)).toMatchObject(refused);
    expect((await call(forgotten)).status).toBe(200);
    expect((await call(free)).status).toBe(200);
    // It is a hash of one organization, with a key.
    expect((await call(kept, other, await other.agent())).status).toBe(200);
    const { rows } = await sql<{ is_plain: boolean }>`
      select number_hash in (sha256(convert_to(${kept}, 'UTF8')), sha256(convert_to(${acme.id} || ' ' || ${kept}, 'UTF8'))) as is_plain
      from erased_suppressions where organization_id = ${acme.id}`.execute(db);
    expect(rows).toEqual([{ is_plain: false }]);
    // A caller who takes the number off the list may call it.
    expect((await client.send(`DELETE /api/v1/suppressions/${kept}`, { key })).status).toBe(200);
    expect((await call(kept)).status).toBe(200);
  });

  test.each([
    [null, '2099-01-01T00:00:00Z', null],
    ['2099-01-01T00:00:00Z', null, null],
    ['2099-01-01T00:00:00Z', '2098-01-01T00:00:00Z', new Date('2099-01-01')],
  ])(
    'a request for no calls until %s, erased, lasts as long when one until %s is erased',
    async (first, second, kept) => {
      const acme = await organization();
      const number = '+15551239009';
      for (const expires_at of [first, second]) {
        const json = { phone_number: number, expires_at };
        const listed = await client.send('POST /api/v1/suppressions', { key: acme.keys.admin, json });
        expect(listed.status).toBe(200);
        await post(acme, 'erasures', { phone_number: number });
      }
      const { rows } =
        await sql`select expires_at from erased_suppressions where organization_id = ${acme.id}`.execute(db);
      expect(rows).toEqual([{ expires_at: kept }]);
    },
  );

  test('a request that becomes permanent while the erasure begins is kept as such', async () => {
    const acme = await organization();
    const phoneNumber = '+15551239015';
    const json = { phone_number: phoneNumber, expires_at: '2099-01-01T00:00:00Z' };
    await client.send('POST /api/v1/suppressions', { key: acme.keys.admin, json });
    await overlapping(
      db,
      (tx) => addSuppressions(tx, { organizationId: acme.id, suppressions: [{ phoneNumber, reason: null }] }),
      () => post(acme, 'erasures', { phone_number: phoneNumber }),
    );
    const { rows } =
      await sql`select expires_at from erased_suppressions where organization_id = ${acme.id}`.execute(db);
    expect(rows).toEqual([{ expires_at: null }]);
    expect(await tablesWith(db, phoneNumber)).toEqual([]);
  });

  test('a recording that is reported while the erasure begins is deleted too', async () => {
    const acme = await organization();
    const number = '+15551239016';
    const callId = await endedCall(acme, await acme.agent(), number);
    const record = (on: Executor, recording_url: string | null) =>
      on.updateTable('calls').set({ recording_url }).where('id', '=', callId).execute();
    await record(db, null);
    const id = await overlapping(
      db,
      (tx) => record(tx, 'tape:2'),
      () => post(acme, 'erasures', { phone_number: number }),
    );
    expect((await client.send(`GET /api/v1/erasures/${id}`, { key: acme.keys.admin })).json).toMatchObject({
      data: { calls: 1, recordings: { pending: 1 } },
    });
  });

  test('409 if a call begins while the erasure does; nothing is erased', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const number = '+15551239014';
    const answer = await overlapping(
      db,
      (tx) => sql`lock table erasures in share mode`.execute(tx),
      () => client.send('POST /api/v1/erasures', { key: acme.keys.admin, json: { phone_number: number } }),
      () => post(acme, `agents/${agentId}/call`, { to_phone: number }),
    );
    expect(answer).toMatchObject({ status: 409, json: { code: 'call_in_progress' } });
    expect(await tablesWith(db, number)).toContain('calls');
  });
});
