import {
  addConsents,
  addNumberChanges,
  addToScrubList,
  inTransaction,
  passGate,
  passRepeatGate,
} from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { gateTerms } from '../../support/gates/gate-terms.ts';
import { campaignByHand } from '../engine/by-hand.ts';

const consent = (phoneNumber: string, givenAt: string) => ({
  phoneNumber,
  basis: 'prior_express' as const,
  scope: null,
  textShown: null,
  source: 'a form',
  evidenceHash: null,
  givenAt: new Date(givenAt),
  expiresAt: null,
});

/** A worker of an earlier release passes neither scrub lists nor number changes to the gate. */
async function world() {
  const hand = await campaignByHand({ call_back_attempts: 3, retry_delay_seconds: 0 });
  const { stack, campaignId, recipient } = hand;
  const { organization_id: organizationId, phone_number: phoneNumber } = await recipient();
  const { agent_id: agentId } = await stack.db
    .selectFrom('campaigns')
    .select('agent_id')
    .executeTakeFirstOrThrow();
  const terms = () => gateTerms(stack, { id: organizationId, agentId }, campaignId);
  return { ...hand, db: stack.db, organizationId, phoneNumber, terms };
}

test('a worker that does not check scrub lists cannot dial for a campaign that needs them', async () => {
  const { stack, db, claim, recipient, organizationId, terms: termsOf } = await world();
  const scrubbedAt = await stack.clock.now();
  await inTransaction(db, (tx) =>
    addToScrubList(tx, {
      organizationId,
      name: 'registry',
      source: 'a registry',
      account: null,
      scrubbedAt,
      phoneNumbers: [],
      isComplete: true,
    }),
  );
  await claim();
  const { id: recipientId, claim_id: claimId } = await recipient();
  const terms = await termsOf();
  await sql`update campaign_configs set scrub_lists = array['registry']`.execute(db);
  const claims = [{ recipientId, claimId: claimId ?? '', attempt: 1, isAllowedDestination: true }];
  await expect(passGate(db, { ...terms, scrubLists: null }, claims)).rejects.toMatchObject({
    constraint: 'calls_ask_scrub_lists',
  });
  expect(await recipient()).toMatchObject({ state: 'claimed', attempts: 0 });
  const answers = await passGate(db, { ...terms, scrubLists: ['registry'] }, claims);
  expect(answers.get(claimId ?? '')).toMatchObject({ kind: 'passed' });
});

test('a worker that knows no changes of numbers cannot dial by a consent from before one', async () => {
  const { db, dial, organizationId, phoneNumber } = await world();
  const callId = await dial();
  const [consentId] = await addConsents(db, {
    organizationId,
    createdBy: null,
    consents: [consent(phoneNumber, '2027-01-01T00:00:00Z')],
  });
  const gateAgain = () =>
    sql`update calls set consent_id = ${consentId}, gated_at = gated_at + interval '1 second' where id = ${callId}`.execute(
      db,
    );
  await gateAgain();
  const changes = [
    {
      phoneNumber,
      kind: 'reassigned' as const,
      changedAt: new Date('2027-02-01T00:00:00Z'),
      source: 'a registry',
    },
  ];
  await inTransaction(db, (tx) => addNumberChanges(tx, { organizationId, createdBy: null, changes }));
  await expect(gateAgain()).rejects.toMatchObject({ constraint: 'calls_ask_number_changes' });
});

test('a repeated send relies on the current consent, and may follow a number change', async () => {
  const { db, dial, organizationId, phoneNumber, terms: termsOf } = await world();
  await sql`update campaign_configs set require_consent = true`.execute(db);
  const give = async (givenAt: string) =>
    (
      await addConsents(db, { organizationId, createdBy: null, consents: [consent(phoneNumber, givenAt)] })
    )[0] ?? '';
  const before = await give('2027-01-01T00:00:00Z');
  const callId = await dial();
  const callOf = () =>
    db
      .selectFrom('calls')
      .select(['consent_id', 'gated_at'])
      .where('id', '=', callId)
      .executeTakeFirstOrThrow();
  const first = await callOf();
  expect(first.consent_id).toBe(before);
  const terms = await termsOf();
  const placeAgain = async (gatedAt: Date | null) =>
    passRepeatGate(db, {
      callId,
      gatedAt: gatedAt ?? new Date(0),
      campaign: { ...terms, isAllowedDestination: true },
      direct: null,
      slotAt: null,
      lookUpGraceMs: 12_000,
    });
  const changedAt = new Date('2027-02-01T00:00:00Z');
  const changes = [{ phoneNumber, kind: 'reassigned' as const, changedAt, source: 'a registry' }];
  await inTransaction(db, (tx) => addNumberChanges(tx, { organizationId, createdBy: null, changes }));
  expect(await placeAgain(first.gated_at)).toMatchObject({ kind: 'refused', reason: 'no_consent' });
  const since = await give('2027-02-02T00:00:00Z');
  expect(await placeAgain(first.gated_at)).toMatchObject({ kind: 'passed' });
  const second = await callOf();
  expect(second.consent_id).toBe(since);
  // The third send relies on the same consent for the same attempt.
  expect(await placeAgain(second.gated_at)).toMatchObject({ kind: 'passed' });
  const uses = await sql<{ consent_id: string; uses: number }>`
    select consent_id, uses from consent_uses order by first_used_at`.execute(db);
  expect(uses.rows).toEqual([
    { consent_id: before, uses: 1 },
    { consent_id: since, uses: 1 },
  ]);
});
