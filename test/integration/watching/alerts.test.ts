import { markBlockedCampaigns } from '@outdial/engine';
import { advanceCampaignJob } from '@outdial/contracts';
import { createWebhookEndpoint, inTransaction, measureState } from '@outdial/db';
import { newSigningSecret } from '@outdial/webhooks';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { queueBackends } from '../../support/queues.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';
import { json, secret, startScriptedGateway } from '../gateway/scripted-gateway.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { alerts, firedAlerts, hasPromtool } from './fired-alerts.ts';
import { authorization, useWatchedStack, type WatchedWorld } from './watched-stack.ts';
import { voiceCapacity, watchedVoice } from './watched-voice.ts';
import { watchedWorker } from './watched-worker.ts';

/*
 * Every alert fires for the fault that it is there for: real processes are scraped before and while something is really broken, and Prometheus' own
 * program judges the samples by the rules that operators load.
 */

const [backend = 'postgres'] = queueBackends();
const hasRedis = queueBackends().includes('redis');
const caused = new Set<string>();

async function fired({ scrapes }: Pick<WatchedWorld, 'scrapes'>): Promise<string[]> {
  const found = await firedAlerts(scrapes);
  for (const alert of found) caused.add(alert);
  return found.toSorted((a, b) => a.localeCompare(b));
}

/** A campaign whose calls last for the whole test. */
const standing = { phone_numbers: phoneNumbers(2, '99') };

async function addReceiver({ stack }: WatchedWorld, { id }: TestOrganization) {
  const receiver = await startReceiver();
  receiver.secret = newSigningSecret();
  await inTransaction(stack.db, (tx) =>
    createWebhookEndpoint(tx, {
      organizationId: id,
      url: receiver.url,
      events: ['*'],
      description: '',
      enabled: true,
      secret: receiver.secret,
      atMost: 1,
    }),
  );
  return receiver;
}

/** Moves only the engine's clock. */
async function letPass({ stack }: WatchedWorld, seconds: number): Promise<void> {
  await sql`update engine_clock set offset_ms = offset_ms + ${seconds * 1_000}`.execute(stack.db);
}

/** A document that was uploaded twenty minutes ago. The database's clock determines its age. */
async function uploadOldDocument({ stack }: WatchedWorld, { apiKeys }: TestOrganization): Promise<void> {
  const headers = { 'X-API-Key': apiKeys.admin };
  const send = async (path: string, init: RequestInit) => {
    const response = await fetch(`${stack.baseUrl}/api/v1/knowledge-base/${path}`, {
      method: 'POST',
      ...init,
    });
    return z.object({ data: z.object({ id: z.uuid() }) }).parse(await response.json()).data;
  };
  const json = { ...headers, 'Content-Type': 'application/json' };
  const { id } = await send('', { headers: json, body: JSON.stringify({ name: 'Manual' }) });
  const body = new FormData();
  body.set('file', new Blob(['Press the green button.']), 'manual.txt');
  await send(`${id}/items`, { headers, body });
  await sql`update knowledge_base_documents set created_at = created_at - interval '20 minutes'`.execute(
    stack.db,
  );
}

/** A transaction that does not end. */
async function lockTables({ stack }: WatchedWorld, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query(`begin; ${statement}`);
  return () => client.end();
}

describe.runIf(hasPromtool)('alerts', () => {
  test('nothing fires while calls are placed and webhooks delivered; the times of the calls are measured', async () => {
    const world = await useWatchedStack({ backend, simulator: { ringMs: 20, talkMs: 40 } });
    const organization = await world.stack.organization();
    await addReceiver(world, organization);
    await world.scrape();
    const campaign = await runCampaign(world.stack, organization, { phone_numbers: phoneNumbers(5) });
    await campaign.finished();
    const measured = new Set([
      'outdial_gate_to_answer_seconds_count',
      'outdial_answer_to_outcome_seconds_count',
      'outdial_provider_answer_seconds_count',
      'outdial_organization_calls_ended_total',
    ]);
    // Counted after the commit that others read.
    await waitFor('the times of all calls', async () => {
      await world.scrape();
      const series = world.scrapes.inputSeries(measured);
      return series.map(({ values }) => values.split(' ').at(-2)).join() === '5,5,5,5';
    });
    for (let n = 0; n < 2; n++) await world.scrape();
    expect(await fired(world)).toEqual([]);
  });

  test('a provider that answers 503, and a receiver of webhooks that is down', async () => {
    const gateway = await startScriptedGateway(() => json(503, {}, { 'retry-after': '600' }));
    onTestFinished(() => gateway.close());
    const world = await useWatchedStack({
      backend,
      telephony: (publicUrl) => ({ gateway: { url: gateway.url, secret }, publicUrl }),
    });
    const { stack } = world;
    await stack.setProvider('gateway', { adapter: 'gateway', settings: {} });
    const organization = await stack.organization({ default_provider: 'gateway' });
    const receiver = await addReceiver(world, organization);
    receiver.behaviours = Array.from({ length: 100 }, () => 500);
    await world.scrape();
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2) });
    await waitFor('the provider to be left alone', async () => {
      const row = await stack.db
        .selectFrom('providers')
        .select('closed_until')
        .where('name', '=', 'gateway')
        .executeTakeFirstOrThrow();
      return row.closed_until !== null;
    });
    for (let n = 0; n < 3; n++) {
      await world.scrape();
      world.scrapes.letPass(2);
    }
    for (let n = 0; n < 3; n++) {
      const before = await world.failedDeliveries();
      // The events of a new campaign do not wait for the retry of earlier events.
      await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1) });
      // Counted after the receiver has answered.
      await waitFor('a refusal to be counted', async () => (await world.failedDeliveries()) > before);
      world.scrapes.letPass(2);
      await world.scrape();
    }
    await world.scrape();
    expect(await fired(world)).toEqual(['OutdialProviderClosed', 'OutdialWebhooksFail']);
  });

  test('the machine of the workers is gone', async () => {
    const world = await useWatchedStack({ backend });
    const { stack } = world;
    const organization = await stack.organization();
    await addReceiver(world, organization);
    await world.scrape();
    await stack.stopWorkers();
    await runCampaign(stack, organization, standing);
    await uploadOldDocument(world, organization);
    await waitFor('a delivery to wait', async () =>
      stack.db.selectFrom('webhook_deliveries').select('id').executeTakeFirst(),
    );
    await letPass(world, 300);
    world.setApiClockAhead(300_000);
    // The running scheduler notices the new time within a second.
    await waitFor(
      'campaigns to be looked at',
      async () => (await measureState(stack.db)).overdueSeconds < 30,
    );
    for (let n = 0; n < 3; n++) await world.scrape();
    expect(await fired(world)).toEqual([
      'OutdialIngestionStalls',
      'OutdialNoWorker',
      'OutdialQueueOld',
      'OutdialWebhooksLate',
    ]);
  });

  test('a table is gone, as after a migration by hand', async () => {
    // With a single scheduler, a sweep needs minutes to fail more than ten times.
    const world = await useWatchedStack({ backend, schedulers: 4 });
    const { stack } = world;
    stack.log.expect(/./);
    const organization = await stack.organization();
    const campaign = await runCampaign(stack, organization, standing);
    await campaign.dialed(2);
    await world.scrape();
    await sql`alter table campaign_runtime rename to campaign_runtime_away`.execute(stack.db);
    try {
      for (let n = 0; n < 6; n++) {
        await stack.control.publisher.publish(advanceCampaignJob, { campaign_id: campaign.id });
        await organization.clients.viewer.readCampaign(campaign.id).catch(() => undefined);
        await stack.jobsDone();
        await world.scrapeProcesses();
      }
      await waitFor('sweeps to have failed', async () => (await world.failuresOf('wake-due-campaigns')) > 11);
      await world.scrapeProcesses();
    } finally {
      await sql`alter table campaign_runtime_away rename to campaign_runtime`.execute(stack.db);
    }
    expect(await fired(world)).toEqual(['OutdialJobsFail', 'OutdialRequestsFail', 'OutdialSweepFails']);
  });

  test('a transaction locks tables and does not end', async () => {
    const world = await useWatchedStack({ backend });
    const { stack } = world;
    const organization = await stack.organization();
    const campaign = await runCampaign(stack, organization, standing);
    await campaign.dialed(2);
    await runCampaign(stack, organization, {
      phone_numbers: phoneNumbers(1),
      start_time: '09:01',
      end_time: '17:00',
    });
    await world.scrape();
    const release = await lockTables(world, 'lock table campaign_runtime, calls in exclusive mode');
    await letPass(world, 900);
    const { manager } = organization.clients;
    const waiting = Array.from({ length: 8 }, () =>
      manager.setConfig(campaign.id, { max_concurrent_calls: 2 }).catch(() => undefined),
    );
    await waitFor('requests to wait for a connection', async () => {
      const response = await fetch(`${stack.baseUrl}/metrics`, { headers: { authorization } });
      return /^outdial_pool_connections\{.*state="waiting".*\} [1-9]/m.test(await response.text());
    });
    for (let n = 0; n < 3; n++) await world.scrape();
    await release();
    await Promise.all(waiting);
    expect(await fired(world)).toEqual([
      'OutdialCallsUnchecked',
      'OutdialCampaignsOverdue',
      'OutdialPoolExhausted',
    ]);
  });

  test('a line counter is wrong, and a provider has no adapter here', async () => {
    const world = await useWatchedStack({ backend });
    const { stack } = world;
    stack.log.expect(/no adapter for the provider|line counters that disagreed/);
    await stack.setProvider('lost', { adapter: 'gateway', settings: {} });
    const acme = await stack.organization({ max_lines: 5 });
    const lost = await stack.organization({ default_provider: 'lost' });
    await runCampaign(stack, lost, standing);
    await waitFor('the campaign to be blocked', async () => {
      await markBlockedCampaigns(stack.control);
      const { rows } = await sql`select 1 from campaign_runtime where blocked_for = 'no_adapter'`.execute(
        stack.db,
      );
      return rows.length > 0;
    });
    await world.scrape();
    await stack.db.updateTable('organizations').set({ lines_in_use: 3 }).where('id', '=', acme.id).execute();
    stack.startScheduler();
    await waitFor('the counter to be put right', async () => {
      const row = await stack.db
        .selectFrom('organizations')
        .select('lines_in_use')
        .where('id', '=', acme.id)
        .executeTakeFirstOrThrow();
      return row.lines_in_use === 0;
    });
    await waitFor(
      'the repair to be counted',
      async () => (await world.repairsOf('reconcile-line-counters')) > 0,
    );
    for (let n = 0; n < 2; n++) await world.scrape();
    expect(await fired(world)).toEqual([
      'OutdialCountersRepaired',
      'OutdialProviderClosed',
      'OutdialWorkFails',
    ]);
  });

  test('a voice process is full and slow, its recognizer fails, and an agent is not right for it', async () => {
    let isDeaf = false;
    const world = await watchedVoice({
      hears: ['how are you'],
      thinkMs: 2_200,
      isDown: (part) => isDeaf && part === 'stt',
    });
    const scrapeForMinutes = async () => {
      for (let n = 0; n < 4; n++) {
        await world.scrape();
        world.scrapes.letPass(2);
      }
    };
    await world.scrape();
    const misled = await world.call({ llm: { endpoint: 'gone' } });
    await misled.closed;
    isDeaf = true;
    await Promise.all(
      Array.from({ length: voiceCapacity }, async () => {
        const page = await world.call({});
        await world.speak(page);
        // The agent apologizes and hangs up.
        await page.closed;
      }),
    );
    await waitFor('the endpoint to be left alone', async () => (await world.down()) === 1);
    await scrapeForMinutes();
    isDeaf = false;
    await waitFor('the endpoint to be asked again', async () => (await world.down()) === 0);
    const pages = [];
    for (let n = 0; n < voiceCapacity; n++) pages.push(await world.call({ idle: { after_seconds: 60 } }));
    const [talking] = pages;
    if (talking === undefined) throw new Error('a page was opened');
    await world.speak(talking);
    await waitFor('the agent to answer', () => talking.loudBytes() > 0);
    // Until then, it has asked for a moment.
    await waitFor('the model to answer', async () => (await world.modelAnswers()) > 0);
    await waitFor('the process to say that it is full', async () => (await world.calls()) === voiceCapacity);
    await scrapeForMinutes();
    await world.scrape();
    for (const page of pages) page.socket.close();
    expect(await fired(world)).toEqual([
      'OutdialVoiceCallsRefused',
      'OutdialVoiceEndpointDown',
      'OutdialVoiceFull',
      'OutdialVoiceSlow',
    ]);
  });

  test.runIf(hasRedis)('Redis is away from a worker, which then hangs, and is killed', async () => {
    const worker = await watchedWorker();
    await worker.scrape();
    await worker.cutRedis();
    for (let n = 0; n < 3; n++) await worker.scrape();
    await worker.reconnectRedis();
    await worker.scrape();
    for (let n = 0; n < 3; n++) {
      worker.scrapes.letPass(2);
      await worker.freeze(1_000);
      await worker.scrape();
    }
    await worker.kill();
    await worker.scrape();
    expect(await fired(worker)).toEqual(['OutdialDown', 'OutdialEventLoopLag', 'OutdialNotReady']);
  });

  test.runIf(hasRedis)('every alert has fired', () => {
    expect(alerts.filter((alert) => !caused.has(alert))).toEqual([]);
  });
});
