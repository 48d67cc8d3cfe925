import { readFileSync } from 'node:fs';
import { campaignProgress, waitingReason, type WaitingDetail } from '@outdial/contracts';
import { longestProviderPauseMs, type WaitingReason } from '@outdial/core';
import { addRuleVersion, inTransaction } from '@outdial/db';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { startStack } from '../../support/stack/start-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { runOutdial } from '../cli/run-outdial.ts';
import { phoneNumbers, runCampaign, withAgent, type RunningCampaign } from '../engine/campaign.ts';

/** One service. Each test makes a campaign wait for another reason, and reads that reason everywhere. */
const stack = await startStack({ backend: anyBackend() });
afterAll(() => stack.close());

/** Reasons with tests in separate stacks, or in the tests of their rules. */
const triedElsewhere: readonly WaitingReason[] = [
  'calling_hours',
  'no_worker',
  'error',
  'person_cap',
  'caller_id',
  'number_query',
  'media_runtime',
  'abandonment',
  'scrub_list',
];
const tried = new Set<WaitingReason>(triedElsewhere);

const progressAnswer = z.object({ data: campaignProgress });
const campaignAnswer = z.object({ meta: z.object({ waiting_for: z.string().nullable() }) });
const whyAnswer = z.object({ waiting_for: z.string().nullable(), message: z.string(), remedy: z.string() });

async function read<Schema extends z.ZodType>(path: string, organization: TestOrganization, schema: Schema) {
  const response = await fetch(`${stack.baseUrl}/api/v1${path}`, {
    headers: { 'X-API-Key': organization.apiKeys.viewer },
  });
  return schema.parse(await response.json());
}

/** Waits until the campaign reports this reason, and expects the same from every source. */
async function saysEverywhere(
  reason: WaitingReason,
  organization: TestOrganization,
  { id }: Pick<RunningCampaign, 'id'>,
): Promise<WaitingDetail> {
  tried.add(reason);
  const seen = await waitFor(`the campaign to wait for ${reason}`, async () => {
    const { data } = await read(`/campaigns/${id}/progress`, organization, progressAnswer);
    return data.waiting_for === reason && data.waiting_detail;
  });
  expect(seen.remedy).not.toBe('');
  const { meta } = await read(`/campaigns/${id}`, organization, campaignAnswer);
  expect(meta.waiting_for).toBe(reason);
  const { out } = await runOutdial(['campaign', 'why', id, '--org', organization.id, '--json'], {
    env: { DATABASE_URL: stack.databaseUrl },
  });
  const { waiting_for, message, remedy } = whyAnswer.parse(JSON.parse(out));
  expect({ waiting_for, message, remedy }).toEqual({
    waiting_for: reason,
    message: seen.message,
    remedy: seen.remedy,
  });
  return seen;
}

const neverEnding = (count: number, areaCode = '555') => ({
  phone_numbers: phoneNumbers(count, '99', areaCode),
});

test('window: closed until the campaign begins, with the instant and the zone', async () => {
  const acme = await stack.organization();
  const fields = {
    phone_numbers: phoneNumbers(1),
    start_date: '2027-03-04',
    start_time: '09:00',
    end_time: '17:00',
  };
  const detail = await saysEverywhere('window', acme, await runCampaign(stack, acme, fields));
  expect(detail).toMatchObject({ until: '2027-03-04T14:00:00.000Z', timezone: 'America/New_York' });
});

test('rules: a pinned version is gone; everything but calls works, and calls continue after an import', async () => {
  const acme = await stack.organization();
  const importRules = (version: string, pins: Record<string, number>) =>
    inTransaction(stack.db, (tx) => addRuleVersion(tx, { version, pins, rules: [] }));
  await importRules('gone', { FR: 99 });
  const campaign = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1, '91') });
  const detail = await saysEverywhere('rules', acme, campaign);
  expect(detail.message).toMatch(/the rules gone cannot be applied: pins\.FR .* pin version \d/);
  expect(detail.remedy).toContain('outdial rules import');
  const { member, manager } = acme.clients;
  await expect(member.makeCall(acme.agentId, { to_phone: '+15555550191' })).rejects.toMatchObject({
    status: 409,
    code: 'rules_unusable',
    message: expect.stringMatching(/pins\.FR .*outdial rules import/) as unknown,
  });
  await manager.setStatus(campaign.id, 'paused');
  await manager.setStatus(campaign.id, 'running');
  await saysEverywhere('rules', acme, campaign);
  await importRules('back', {});
  await campaign.dialed(1);
});

test('retry: every recipient was called, and is called again later', async () => {
  const acme = await stack.organization();
  const campaign = await runCampaign(
    stack,
    acme,
    { phone_numbers: phoneNumbers(1, '91') },
    { call_back_attempts: 1, retry_delay_seconds: 600 },
  );
  const detail = await saysEverywhere('retry', acme, campaign);
  expect(detail.until).not.toBeNull();
});

test('campaign_line: all lines of the campaign are in use', async () => {
  const acme = await stack.organization();
  const campaign = await runCampaign(stack, acme, neverEnding(2), { max_concurrent_calls: 1 });
  expect(await saysEverywhere('campaign_line', acme, campaign)).toMatchObject({ limit: 1, in_use: 1 });
});

test('outdial campaign why: a number in a call, or that waits for something else than its campaign', async () => {
  const acme = await stack.organization();
  const { phone_numbers } = neverEnding(2);
  const campaign = await runCampaign(stack, acme, { phone_numbers }, { max_concurrent_calls: 1 });
  await campaign.dialed(1);
  const [first = '', second = ''] = phone_numbers;
  const why = async (number: string) => {
    const { out } = await runOutdial(
      ['campaign', 'why', campaign.id, '--org', acme.id, '--number', number, '--json'],
      { env: { DATABASE_URL: stack.databaseUrl } },
    );
    const answer = z.object({ waiting_for: z.string().nullable(), message: z.string() });
    return answer.parse(JSON.parse(out));
  };
  expect(await why(first)).toEqual({
    waiting_for: null,
    message: 'The number is in a call, whose outcome decides whether it is called again.',
  });
  for (const [reason, what] of [
    ['person_cap', "the organization's caps per person"],
    ['caller_id', 'a caller id that may call it'],
    ['number_query', 'a query of reassigned numbers that is recent enough and says no'],
    [null, 'its retry delay'],
  ] as const) {
    const at = new Date('2028-03-06T12:00:00Z');
    await stack.db
      .updateTable('campaign_recipients')
      .set({ next_attempt_at: at, deferred_until: reason && at, deferred_for: reason })
      .where('campaign_id', '=', campaign.id)
      .where('phone_number', '=', second)
      .execute();
    expect(await why(second)).toEqual({
      waiting_for: reason ?? 'retry',
      message: `The number waits for ${what}, until 2028-03-06T12:00:00.000Z.`,
    });
  }
});

test('organization_line: names the campaign that uses the lines', async () => {
  const acme = await stack.organization({ max_lines: 1 });
  const first = await runCampaign(stack, acme, neverEnding(1));
  await first.dialed(1);
  const second = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1, '00', '556') });
  const detail = await saysEverywhere('organization_line', acme, second);
  expect(detail).toMatchObject({ limit: 1, in_use: 1, held_by: [{ campaign_id: first.id, lines: 1 }] });
});

test('provider_line: names the provider and the users of its lines', async () => {
  await stack.setProvider('small', { maxLines: 1 });
  const acme = await withAgent(stack, await stack.organization(), { provider: 'small' });
  const first = await runCampaign(stack, acme, neverEnding(1));
  await first.dialed(1);
  const second = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1, '00', '556') });
  const detail = await saysEverywhere('provider_line', acme, second);
  expect(detail).toMatchObject({ limit: 1, provider: 'small', held_by: [{ campaign_id: first.id }] });
});

test('quota: the calls of the day are used up, until the day ends', async () => {
  const acme = await stack.organization();
  await stack.db
    .updateTable('organizations')
    .set({ max_calls_per_day: 1 })
    .where('id', '=', acme.id)
    .execute();
  const campaign = await runCampaign(
    stack,
    acme,
    { phone_numbers: phoneNumbers(3) },
    { max_concurrent_calls: 3 },
  );
  await campaign.dialed(1);
  const detail = await saysEverywhere('quota', acme, campaign);
  expect(detail.until).not.toBeNull();
});

test('calls_per_second: names the owner of the pace', async () => {
  const acme = await stack.organization();
  const campaign = await runCampaign(
    stack,
    acme,
    { phone_numbers: phoneNumbers(3) },
    { calls_per_second: 0.01 },
  );
  const detail = await saysEverywhere('calls_per_second', acme, campaign);
  expect(detail).toMatchObject({ limit: 0.01, provider: null });
});

test('provider: closed after failures, with its last error', async () => {
  await stack.setProvider('broken', {});
  const acme = await withAgent(stack, await stack.organization(), { provider: 'broken' });
  // A later instant would count as one from before the clock was set back, and be taken away.
  const until = new Date((await stack.clock.now()).getTime() + longestProviderPauseMs);
  await stack.db
    .updateTable('providers')
    .set({ closed_until: until, closed_reason: 'http_500' })
    .where('name', '=', 'broken')
    .execute();
  const campaign = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1) });
  const detail = await saysEverywhere('provider', acme, campaign);
  expect(detail).toMatchObject({
    provider: 'broken',
    last_error: 'http_500',
    until: until.toISOString(),
  });
});

test('no_adapter: no worker speaks to the provider', async () => {
  stack.log.expect(/no adapter for the provider/);
  await stack.setProvider('foreign', { adapter: 'pigeon' });
  const acme = await withAgent(stack, await stack.organization(), { provider: 'foreign' });
  const campaign = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1) });
  const detail = await saysEverywhere('no_adapter', acme, campaign);
  expect(detail).toMatchObject({ provider: 'foreign' });
  expect(detail.remedy).toContain('outdial provider set');
});

test('voice_not_allowed: the agent would have the carrier do what the operator has not allowed', async () => {
  const acme = await withAgent(stack, await stack.organization(), {
    voice: { connect: 'twiml', twiml: '<Response><Dial>+19005550199</Dial></Response>' },
  });
  const campaign = await runCampaign(stack, acme, { phone_numbers: phoneNumbers(1) });
  const detail = await saysEverywhere('voice_not_allowed', acme, campaign);
  expect(detail.remedy).toContain('outdial org set');
});

test('calls_in_progress: no recipient is left to dial', async () => {
  const acme = await stack.organization();
  const campaign = await runCampaign(stack, acme, neverEnding(1));
  expect(await saysEverywhere('calls_in_progress', acme, campaign)).toMatchObject({ in_use: 1 });
});

test('every reason is tried, and its cause and remedy are documented', () => {
  expect([...tried].toSorted()).toEqual(waitingReason.options.toSorted());
  const page = readFileSync(new URL('../../../docs/behaviour.md', import.meta.url), 'utf8');
  const section = page.split('## Why a campaign is not dialing')[1]?.split('\n## ')[0] ?? '';
  const rows = new Map(
    [...section.matchAll(/^\| `([a-z_]+)` +\| ([^|]+) \| ([^|]+) \|$/gm)].map((row) => [row[1], row]),
  );
  for (const reason of waitingReason.options) {
    expect(rows.get(reason)?.[2]?.trim()).toBeTruthy();
    expect(rows.get(reason)?.[3]?.trim()).toBeTruthy();
  }
});
