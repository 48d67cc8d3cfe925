import type { TelephonyProvider } from '@outdial/core';
import {
  addToScrubList,
  addSuppressions,
  gateConditions,
  inTransaction,
  refuseRecipients,
  updateOrganization,
  type UndoneFor,
} from '@outdial/db';
import {
  checkCalls,
  endWaitingForSuppressed,
  placeDirectCall,
  sendCall,
  type NeverPlaced,
  type SendDeps,
} from '@outdial/engine';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { startStack, type Stack } from '../../support/stack/start-stack.ts';
import { dialNow, runCampaign } from '../engine/campaign.ts';

/** Tries every reason for which a person is not dialed, and reads the explanation that the organization gets. */
let stack: Stack;
let engine: SendDeps;
let carrier: TelephonyProvider;

beforeAll(async () => {
  stack = await startStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  engine = engineInStep(stack).deps;
  const simulator = engine.providers.get('simulator');
  if (simulator === undefined) throw new Error('no simulator');
  carrier = simulator;
  return () => stack.close();
});

let numbers = 0;
const newNumber = () => `+44207946${String((numbers += 1)).padStart(4, '0')}`;

/** A recipient who is due. */
async function due() {
  const organization = await stack.organization();
  // The case may have closed the provider.
  await stack.db.updateTable('providers').set({ closed_until: null }).execute();
  const phone = newNumber();
  const { id: campaignId } = await runCampaign(stack, organization, { phone_numbers: [phone] });
  const { id: recipientId } = await stack.db
    .selectFrom('campaign_recipients')
    .select('id')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow();
  const refusals = async () =>
    (await organization.clients.viewer.explainRecipient(campaignId, recipientId)).refusals;
  /** Dials the recipient, and sends the call. Returns its id. */
  const dial = async (deps: SendDeps = engine): Promise<string> => {
    const [call] = await dialNow(stack, campaignId);
    if (call === undefined) throw new Error('the gate refused the recipient');
    await sendCall(deps, call);
    return call.pass.callId;
  };
  return { organization, phone, campaignId, recipientId, refusals, dial };
}

type Due = Awaited<ReturnType<typeof due>>;

/** The carrier, with the answers that a case overrides. */
const carrierThat = (differs: Partial<TelephonyProvider>): SendDeps => ({
  ...engine,
  providers: new Map([['simulator', { ...carrier, ...differs }]]),
});

async function allowOnlyAmerica({ id }: TestOrganization): Promise<void> {
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) => updateOrganization(tx, id, { allowed_countries: ['US'] }, now));
}

const suppress = ({ id }: TestOrganization, phoneNumber: string) =>
  inTransaction(stack.db, (tx) =>
    addSuppressions(tx, { organizationId: id, suppressions: [{ phoneNumber, reason: null }] }),
  );

test.each(gateConditions)('a refusal leaves a row with the reason: $reason', async ({ reason }) => {
  const { organization, campaignId, recipientId, refusals } = await due();
  const now = await stack.clock.now();
  const refusal = { reason, now, calling_key: null, person_free_at: null };
  const refused = { recipientId, next: { state: 'pending' as const, at: now }, refusal };
  const key = { organizationId: organization.id, campaignId };
  await inTransaction(stack.db, (tx) => refuseRecipients(tx, key, [refused], now));
  expect(await refusals()).toMatchObject({ by_condition: { [reason]: 1 }, last: { condition: reason } });
});

describe('an attempt that is undone after its gate', () => {
  const undone: Record<UndoneFor, (of: Due) => Promise<string>> = {
    provider_deferred: ({ dial }) =>
      dial(
        carrierThat({
          place: () => Promise.resolve({ kind: 'defer', retryAfterMs: 1_000, reason: 'no room' }),
        }),
      ),
    async not_sent({ campaignId }) {
      const mediaRuntimes = {
        freeCapacity: () => Promise.resolve(1),
        choose: () => Promise.reject(new Error('the voice processes cannot be read')),
        release: () => Promise.resolve(),
      };
      const [call] = await dialNow(stack, campaignId);
      if (call === undefined) throw new Error('a call was expected');
      await expect(sendCall({ ...engine, mediaRuntimes }, call)).rejects.toThrow('voice processes');
      return call.pass.callId;
    },
    async withdrawn_at_provider({ dial }) {
      const queues = carrierThat({
        place: () => Promise.resolve({ kind: 'accepted', conversationId: 'CA1' }),
        lookUp: () => Promise.resolve({ kind: 'withdrawn' }),
        withdraw: () => Promise.resolve({ kind: 'withdrawn' }),
      });
      const callId = await dial(queues);
      await engine.progress.drain();
      await checkCalls(queues, [callId]);
      return callId;
    },
  };

  test.each(Object.entries(undone))('leaves a row that says so: %s', async (reason, undo) => {
    const of = await due();
    const callId = await undo(of);
    // The call's row is deleted.
    await expect(of.organization.clients.viewer.readReceipt(callId)).rejects.toThrow('404');
    expect(await of.refusals()).toMatchObject({
      total: 1,
      by_condition: { [reason]: 1 },
      last: { condition: reason, grounds: { calling_policy: 'none' } },
    });
  });
});

test('a recipient whose country is no longer allowed is explained as its gate decides, and ends', async () => {
  const { organization, campaignId, recipientId, refusals } = await due();
  await allowOnlyAmerica(organization);
  const explain = () => organization.clients.viewer.explainRecipient(campaignId, recipientId);
  expect(await explain()).toMatchObject({ decision: 'would_refuse', refused_by: 'number_refused' });
  expect(await dialNow(stack, campaignId)).toEqual([]);
  expect(await refusals()).toMatchObject({ total: 1, by_condition: { number_refused: 1 } });
  expect(await explain()).toMatchObject({ state: 'suppressed' });
});

test.each([
  ['done', 1, 'not_due'],
  ['suppressed', 0, 'not_due'],
  ['withdrawn', 0, 'withdrawn'],
  ['dialing', 1, 'stale'],
])('a recipient who is %s, after %i attempts, is refused as %s', async (state, attempts, condition) => {
  const { organization, campaignId, recipientId } = await due();
  const withdrawnAt = state === 'withdrawn' ? await stack.clock.now() : null;
  await sql`
    update campaign_recipients set state = ${state}, next_attempt_at = null, withdrawn_at = ${withdrawnAt}, attempts = ${attempts},
      round_attempts = ${attempts}, last_outcome = 'no_answer', call_id = gen_random_uuid()
    where id = ${recipientId}`.execute(stack.db);
  const told = await organization.clients.viewer.explainRecipient(campaignId, recipientId);
  expect(told).toMatchObject({ decision: 'would_refuse', refused_by: condition });
  const failing = told.conditions.filter(({ verdict }) => verdict === 'fails');
  expect(failing[0]?.condition).toBe(condition);
});

describe('a send that never arrived is not repeated to a country that is no longer allowed', () => {
  /** Breaks the connection of each send, and promises lasting idempotency. */
  const sends: string[] = [];
  const losesSends = () =>
    carrierThat({
      idempotency: 'lasting',
      place({ callId }) {
        sends.push(callId);
        return Promise.resolve({ kind: 'ambiguous', reason: 'connection reset' });
      },
      lookUp: () => Promise.resolve({ kind: 'unknown' }),
    });

  test('of a campaign', async () => {
    const { organization, dial, refusals } = await due();
    const loses = losesSends();
    const id = await dial(loses);
    await allowOnlyAmerica(organization);
    await checkCalls(loses, [id]);
    expect(sends.filter((callId) => callId === id)).toHaveLength(1);
    // By then the first send cannot arrive.
    await stack.clock.advance(6 * 60_000);
    await checkCalls(loses, [id]);
    expect(await refusals()).toMatchObject({ by_condition: { number_refused: 1 } });
  });

  test('of a direct call', async () => {
    const organization = await stack.organization();
    const loses = losesSends();
    const phone = newNumber();
    const { member, viewer } = organization.clients;
    const made = await member.makeCall(organization.agentId, { to_phone: phone });
    const id = made.id ?? '';
    await placeDirectCall(loses, id);
    await allowOnlyAmerica(organization);
    await checkCalls(loses, [id]);
    expect(sends.filter((callId) => callId === id)).toHaveLength(1);
    await stack.clock.advance(6 * 60_000);
    await checkCalls(loses, [id]);
    await placeDirectCall(loses, id);
    expect(await viewer.readReceipt(id)).toMatchObject({ refused_by: 'number_refused' });
  });
});

test('a call that its carrier refuses has the receipt of a dial, with how it ended', async () => {
  const { organization, dial } = await due();
  const refuses = carrierThat({
    place: () => Promise.resolve({ kind: 'refused', outcome: 'invalid_number', externalStatus: '404' }),
  });
  expect(await organization.clients.viewer.readReceipt(await dial(refuses))).toMatchObject({
    decision: 'dialed',
    refused_by: null,
    outcome: 'invalid_number',
  });
});

test('a recipient that ended by a suppression keeps its refusal when the suppression is removed', async () => {
  const organization = await stack.organization();
  const { manager } = organization.clients;
  const phone = '+12125559999';
  const { id } = await runCampaign(stack, organization, {
    phone_numbers: [phone],
    start_date: '2028-03-01T00:00:00Z',
  });
  await suppress(organization, phone);
  await endWaitingForSuppressed(stack.control);
  await stack.db.deleteFrom('suppressions').where('phone_number', '=', phone).execute();
  const recipient = await stack.db
    .selectFrom('campaign_recipients')
    .select('id')
    .where('campaign_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(await manager.explainRecipient(id, recipient.id)).toMatchObject({
    state: 'suppressed',
    suppression: null,
    refusals: { by_condition: { suppressed: 1 } },
  });
});

describe('a direct call that is never placed', () => {
  const ended: Record<
    NeverPlaced,
    (organization: TestOrganization, callId: string, phone: string) => Promise<unknown>
  > = {
    async no_line_in_time(_, callId) {
      await stack.clock.advance(61_000);
      await placeDirectCall(engine, callId);
    },
    async suppressed(organization, callId, phone) {
      await suppress(organization, phone);
      await placeDirectCall(engine, callId);
    },
    async on_scrub_list({ id: organizationId }, callId, phone) {
      const now = await stack.clock.now();
      await inTransaction(stack.db, async (tx) => {
        await updateOrganization(tx, organizationId, { calling_policy: 'standard' }, now);
        const list = { name: 'registry', source: 'a registry', account: null, scrubbedAt: now };
        const numbersOfList = { phoneNumbers: [phone], isComplete: true, isChecked: true };
        await addToScrubList(tx, { organizationId, ...list, ...numbersOfList });
      });
      await placeDirectCall(engine, callId);
    },
    async no_consent({ id: organizationId }, callId) {
      const now = await stack.clock.now();
      await inTransaction(stack.db, (tx) =>
        updateOrganization(tx, organizationId, { calling_policy: 'strict' }, now),
      );
      await placeDirectCall(engine, callId);
    },
    async number_refused(organization, callId) {
      await allowOnlyAmerica(organization);
      await placeDirectCall(engine, callId);
    },
    hung_up: ({ clients }, callId) => clients.manager.hangUp(callId),
  };

  test.each(Object.entries(ended))('has a receipt that says why: %s', async (reason, end) => {
    const organization = await stack.organization();
    const phone = newNumber();
    const { member, viewer } = organization.clients;
    const { id } = await member.makeCall(organization.agentId, { to_phone: phone });
    await end(organization, id ?? '', phone);
    expect(await viewer.readReceipt(id ?? '')).toMatchObject({
      decision: 'not_dialed',
      refused_by: reason,
      conditions: reason === 'hung_up' ? [] : [{ condition: reason, verdict: 'fails' }],
    });
  });
});
