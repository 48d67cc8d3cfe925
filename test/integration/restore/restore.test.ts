import { expect, test } from 'vitest';
import { runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import { type Dial, recordedDials } from '../../support/stack/dials.ts';
import { OutdialClient } from '../../support/stack/http-client.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { runOutdial } from '../cli/run-outdial.ts';
import { callsOver, phoneNumbers, runCampaign } from '../engine/campaign.ts';
import { backUp } from './back-up.ts';
import { fromPage } from './page.ts';

const simulator = { ringMs: 1_000, talkMs: 20_000 };
const callMs = simulator.ringMs + simulator.talkMs;
const hourMs = 3_600_000;

/** Step 3 of the page. */
async function hold(databaseUrl: string): Promise<void> {
  const [program, ...args] = fromPage('outdial campaign hold').split(' ');
  expect(program).toBe('outdial');
  const held = await runOutdial(args, { env: { DATABASE_URL: databaseUrl } });
  expect(held).toMatchObject({
    status: 0,
    err: '',
    out: expect.stringMatching(/^campaigns held: 1\n/) as unknown,
  });
}

const idsOf = (dials: readonly Dial[]) => new Set(dials.map(({ callId }) => callId));

/** Expects that the restored installation works while its campaigns are held: it dials a new campaign. */
async function dialsAnother(stack: Stack, organization: Parameters<typeof runCampaign>[1]): Promise<void> {
  const [number = ''] = phoneNumbers(1, '01', '556');
  const another = await runCampaign(stack, organization, { phone_numbers: [number] });
  await another.dialed(1);
  await runToEnd(stack.db, stack.clock, another.id);
}

test('an installation that is restored as the page says dials no one on the list until it is released, and then no one twice', async () => {
  const lost = await useStack({ backend: 'postgres', simulator });
  const acme = await lost.organization();
  const numbers = phoneNumbers(40);
  const campaign = await runCampaign(lost, acme, { phone_numbers: numbers }, { max_concurrent_calls: 5 });
  await campaign.dialed(5);
  await lost.clock.advance(callMs);
  await campaign.dialed(10);
  const [backup] = await Promise.all([backUp(lost.databaseUrl), lost.clock.advance(callMs)]);
  process.stdout.write(`backed up by ${backup.by}\n`);
  for (const dials of [15, 20, 25]) {
    await campaign.dialed(dials);
    await lost.clock.advance(callMs);
  }
  await campaign.dialed(30);

  // 1. Stop the processes.
  await lost.stopWorkers();
  const beforeTheLoss = await campaign.dials();
  const lostAt = await lost.clock.now();
  // 2 and 3.
  const database = await backup.restore();
  const migrated = await runOutdial(['migrate'], { env: { DATABASE_URL: database.databaseUrl } });
  expect(migrated).toMatchObject({ status: 0, out: expect.stringContaining('nothing to do') as unknown });
  await hold(database.databaseUrl);
  // 5. Calls in progress are looked up. No new call is made, not even an hour later.
  const restored = await useStack({
    backend: 'postgres',
    simulator,
    database,
    startAt: new Date(lostAt.getTime() + hourMs).toISOString(),
  });
  const clients = { ...acme.clients, manager: new OutdialClient(restored.baseUrl, acme.apiKeys.manager) };
  await callsOver(restored);
  await restored.clock.advance(hourMs);
  await dialsAnother(restored, { ...acme, clients });
  expect((await untilAtRest(restored.db, campaign.id)).status).toBe('paused');
  const known = await recordedDials(restored.db, { campaignId: campaign.id });
  expect(known.length).toBeGreaterThanOrEqual(10);
  expect(known.filter(({ callId }) => !idsOf(beforeTheLoss).has(callId))).toEqual([]);
  expect(new Set(known.map(({ outcome }) => outcome))).toEqual(new Set(['completed']));

  // 6. The provider has more calls than the backup: their people are suppressed or withdrawn.
  const unknown = beforeTheLoss.filter(({ callId }) => !idsOf(known).has(callId));
  expect(unknown.length).toBeGreaterThanOrEqual(10);
  const [suppressed, withdrawn] = [unknown.slice(0, 5), unknown.slice(5)];
  const suppress = ['suppress', 'add', ...suppressed.map(({ phone }) => phone), '--org', acme.id];
  expect(await runOutdial(suppress, { env: { DATABASE_URL: database.databaseUrl } })).toMatchObject({
    status: 0,
  });
  for (const { phone } of withdrawn) {
    const { id } = await restored.db
      .selectFrom('campaign_recipients')
      .select('id')
      .where('campaign_id', '=', campaign.id)
      .where('phone_number', '=', phone)
      .executeTakeFirstOrThrow();
    await clients.manager.withdrawRecipient(campaign.id, id, { hangUp: false });
  }
  await clients.manager.setStatus(campaign.id, 'running');
  await runToEnd(restored.db, restored.clock, campaign.id);
  expect((await clients.manager.readCampaign(campaign.id)).status).toBe('finished');
  const all = new Map(
    [...beforeTheLoss, ...(await recordedDials(restored.db, { campaignId: campaign.id }))].map(
      ({ callId, phone }) => [callId, phone],
    ),
  );
  expect([...all.values()].toSorted()).toEqual(numbers);
});
