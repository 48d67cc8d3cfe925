import type { TelephonyProvider } from '@outdial/core';
import {
  addSuppressions,
  gateConditions,
  inTransaction,
  updateOrganization,
  type GateReason,
  type UndoneFor,
} from '@outdial/db';
import {
  checkCalls,
  endWaitingForSuppressed,
  placeCampaignCall,
  placeDirectCall,
  type NeverPlaced,
  type PlaceDeps,
} from '@outdial/engine';
import { beforeAll, describe, expect, test } from 'vitest';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { startStack, type Stack } from '../../support/stack/start-stack.ts';
import { claimDue, runCampaign } from '../engine/campaign.ts';

/** Tries every reason for which a person is not dialed, and reads the explanation that the organization gets. */
let stack: Stack;
let engine: PlaceDeps;
let carrier: TelephonyProvider;

beforeAll(async () => {
  stack = await startStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  // `not_due` is made up below: the rules do allow the attempt.
  stack.log.expect(/the gate refused an attempt that the rules allow/);
  engine = engineInStep(stack).deps;
  const simulator = engine.providers.get('simulator');
  if (simulator === undefined) throw new Error('no simulator');
  carrier = simulator;
  return () => stack.close();
});

let numbers = 0;

/** A recipient whose claim has not reached its gate. */
async function claimed() {
  const organization = await stack.organization();
  // The case may have closed the transaction.
  await stack.db.updateTable('providers').set({ closed_until: null }).execute();
  numbers += 1;
  const phone = `+44207946${String(numbers).padStart(4, '0')}`;
  const { id: campaignId } = await runCampaign(stack, organization, { phone_numbers: [phone] });
  await claimDue(stack, campaignId);
  const { id: recipientId, claim_id: claimId } = await stack.db
    .selectFrom('campaign_recipients')
    .select(['id', 'claim_id'])
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow();
  const job = {
    organizationId: organization.id,
    campaignId,
    recipientId,
    claimId: claimId ?? '',
    attempt: 1,
  };
  const refusals = async () =>
    (await organization.clients.viewer.explainRecipient(campaignId, recipientId)).refusals;
  return { organization, phone, job, refusals };
}

type Claimed = Awaited<ReturnType<typeof claimed>>;

/** The carrier, with the answers that a case overrides. */
const carrierThat = (differs: Partial<TelephonyProvider>): PlaceDeps => ({
  ...engine,
  providers: new Map([['simulator', { ...carrier, ...differs }]]),
});

async function allowOnlyAmerica({ id }: TestOrganization): Promise<void> {
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) => updateOrganization(tx, id, { allowedCountries: ['US'] }, now));
}

const suppress = ({ id }: TestOrganization, phoneNumber: string) =>
  inTransaction(stack.db, (tx) =>
    addSuppressions(tx, { organizationId: id, suppressions: [{ phoneNumber, reason: null }] }),
  );

describe('a gate that refuses a recipient', () => {
  /** Such a claim no longer belongs to the recipient, so there is nothing to explain. */
  const notOfTheRecipient: readonly GateReason[] = ['stale'];

  test.each(gateConditions)('leaves a row with the reason: $reason', async ({ reason }) => {
    const { job, refusals } = await claimed();
    const now = await stack.clock.now();
    const refusal = { reason, now, timezone: null, slotAt: null, personFreeAt: null };
    const gateBatcher = { pass: () => Promise.resolve({ kind: 'refused' as const, ...refusal }) };
    await placeCampaignCall({ ...engine, gateBatcher }, job);
    const told = await refusals();
    const counted = notOfTheRecipient.includes(reason) ? undefined : { [reason]: 1 };
    expect({ counts: told?.by_condition, last: told?.last.condition }).toEqual({
      counts: counted,
      last: counted && reason,
    });
  });
});

describe('an attempt that is undone after its gate', () => {
  const undone: Record<UndoneFor, (of: Claimed) => Promise<unknown>> = {
    provider_deferred: ({ job }) =>
      placeCampaignCall(
        carrierThat({
          place: () => Promise.resolve({ kind: 'defer', retryAfterMs: 1_000, reason: 'no room' }),
        }),
        job,
      ),
    async not_sent({ job }) {
      const mediaRuntimes = {
        freeCapacity: () => Promise.resolve(1),
        choose: () => Promise.reject(new Error('the voice processes cannot be read')),
        release: () => Promise.resolve(),
      };
      await expect(placeCampaignCall({ ...engine, mediaRuntimes }, job)).rejects.toThrow('voice processes');
    },
    async withdrawn_at_provider({ job }) {
      const queues = carrierThat({
        place: () => Promise.resolve({ kind: 'accepted', conversationId: 'CA1' }),
        lookUp: () => Promise.resolve({ kind: 'withdrawn' }),
        withdraw: () => Promise.resolve({ kind: 'withdrawn' }),
      });
      await placeCampaignCall(queues, job);
      await engine.progress.drain();
      await checkCalls(queues, [job.claimId]);
    },
  };

  test.each(Object.entries(undone))('leaves a row that says so: %s', async (reason, undo) => {
    const of = await claimed();
    await undo(of);
    // The call's row is deleted.
    await expect(of.organization.clients.viewer.readReceipt(of.job.claimId)).rejects.toThrow('404');
    expect(await of.refusals()).toMatchObject({
      total: 1,
      by_condition: { [reason]: 1 },
      last: { condition: reason, grounds: { calling_policy: 'none' } },
    });
  });
});

describe('a recipient whose country is no longer allowed', () => {
  test('is explained as its gate decides, and ends', async () => {
    const { organization, job, refusals } = await claimed();
    await allowOnlyAmerica(organization);
    expect(await organization.clients.viewer.explainRecipient(job.campaignId, job.recipientId)).toMatchObject(
      { decision: 'would_refuse', refused_by: 'number_refused' },
    );
    expect(await placeCampaignCall(engine, job)).toEqual({ kind: 'returned', reason: 'number_refused' });
    expect(await refusals()).toMatchObject({ total: 1, by_condition: { number_refused: 1 } });
    expect(await organization.clients.viewer.explainRecipient(job.campaignId, job.recipientId)).toMatchObject(
      { state: 'suppressed' },
    );
  });
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
    const { organization, job, refusals } = await claimed();
    const loses = losesSends();
    await placeCampaignCall(loses, job);
    await allowOnlyAmerica(organization);
    await checkCalls(loses, [job.claimId]);
    expect(sends.filter((callId) => callId === job.claimId)).toHaveLength(1);
    // By then the first send cannot arrive.
    await stack.clock.advance(6 * 60_000);
    await checkCalls(loses, [job.claimId]);
    expect(await refusals()).toMatchObject({ by_condition: { number_refused: 1 } });
  });

  test('of a direct call', async () => {
    const organization = await stack.organization();
    const loses = losesSends();
    numbers += 1;
    const phone = `+44207946${String(numbers).padStart(4, '0')}`;
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
  const { organization, job } = await claimed();
  const refuses = carrierThat({
    place: () => Promise.resolve({ kind: 'refused', outcome: 'invalid_number', externalStatus: '404' }),
  });
  await placeCampaignCall(refuses, job);
  expect(await organization.clients.viewer.readReceipt(job.claimId)).toMatchObject({
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
    async number_refused(organization, callId) {
      await allowOnlyAmerica(organization);
      await placeDirectCall(engine, callId);
    },
    hung_up: ({ clients }, callId) => clients.manager.hangUp(callId),
  };

  test.each(Object.entries(ended))('has a receipt that says why: %s', async (reason, end) => {
    const organization = await stack.organization();
    numbers += 1;
    const phone = `+44207946${String(numbers).padStart(4, '0')}`;
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
