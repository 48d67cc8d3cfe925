import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import { gateWindow, type Outcome } from '@outdial/core';
import { inTransaction, loadCampaignDefinition, passGate, undoAttempt, type Db, type Tx } from '@outdial/db';
import { applyReports, type CallReport } from '@outdial/engine';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { mondayMorning, type Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { claimDue, phoneNumbers, runCampaign } from './campaign.ts';
import { gateTerms } from '../../support/gates/gate-terms.ts';

/** A stack without processes that dial; only the test does. */
export const noProcesses = { backend: anyBackend(), workers: 0, schedulers: 0 } as const;

/**
 * A running campaign whose calls the test makes and ends, statement by statement. It has a separate stack, or a separate organization in the stack
 * `on` of its file.
 */
export async function campaignByHand(
  config: CampaignConfigBody = {},
  fields: Partial<CreateCampaignBody> = {},
  { startAt = mondayMorning, on }: { startAt?: string; on?: Stack } = {},
) {
  await on?.clock.set(startAt);
  const stack = on ?? (await useStack({ ...noProcesses, startAt }));
  return byHand(stack, await stack.organization(), config, fields);
}

/** One of several such campaigns in a stack without workers. */
export async function byHand(
  stack: Stack,
  organization: TestOrganization,
  config: CampaignConfigBody = {},
  fields: Partial<CreateCampaignBody> = {},
) {
  const { db } = stack;
  const { manager } = organization.clients;
  const numbers = fields.phone_numbers ?? phoneNumbers(1);
  const { id: campaignId } = await runCampaign(
    stack,
    organization,
    { ...fields, phone_numbers: numbers },
    config,
  );
  const progress = {
    ...stack.control,
    settings: { ringTimeoutSeconds: 45, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  };
  const recipient = (phone = numbers[0] ?? '') =>
    db
      .selectFrom('campaign_recipients')
      .selectAll()
      .where('campaign_id', '=', campaignId)
      .where('phone_number', '=', phone)
      .executeTakeFirstOrThrow();

  /** Claims due recipients, and passes this one through the gate. Returns the id of its call. */
  async function dial(phone?: string): Promise<string> {
    await claimDue(stack, campaignId);
    const { id: recipientId, claim_id: callId, attempts, state } = await recipient(phone);
    expect(state).toBe('claimed');
    const terms = await gateTerms(stack, organization, campaignId);
    await passGate(db, terms, [
      { recipientId, claimId: callId ?? '', attempt: attempts + 1, isAllowedDestination: true },
    ]);
    expect(await recipient(phone)).toMatchObject({ state: 'dialing', attempts: attempts + 1 });
    return callId ?? '';
  }

  /** Passes all claims through the gate, in the current windows. Returns the ids of the calls. */
  async function dialClaimed() {
    const claimed = await db
      .selectFrom('campaign_recipients')
      .select(['id', 'claim_id', 'attempts'])
      .where('campaign_id', '=', campaignId)
      .where('state', '=', 'claimed')
      .execute();
    const definition = await loadCampaignDefinition(db, campaignId);
    const now = await stack.clock.now();
    const windows = (definition?.zones ?? []).flatMap((zone) => {
      const window = definition ? gateWindow(definition, zone, now) : null;
      return window === null ? [] : [{ zone, groundsId: null, ...window }];
    });
    const claims = claimed.map((one) => ({
      recipientId: one.id,
      claimId: one.claim_id ?? '',
      attempt: one.attempts + 1,
      isAllowedDestination: true,
    }));
    if (claims.length === 0) return [];
    await passGate(db, { ...(await gateTerms(stack, organization, campaignId)), windows }, claims);
    const callIds = claims.map((claim) => claim.claimId);
    return db.selectFrom('calls').selectAll().where('id', 'in', callIds).execute();
  }

  return {
    stack,
    dialClaimed,
    campaignId,
    manager,
    recipient,
    dial,
    claim: () => claimDue(stack, campaignId),
    report: (reports: readonly CallReport[]) => applyReports(progress, reports),
    async end(callId: string, outcome: Outcome, eventId: string = outcome) {
      const at = await stack.clock.now();
      return applyReports(progress, [
        { callId, facts: [{ kind: 'ended', eventId, at, outcome, details: {} }] },
      ]);
    },
    /** The statements of a worker whose provider defers a call. */
    async undo(callId: string) {
      const now = await stack.clock.now();
      const call = await db
        .selectFrom('calls')
        .selectAll()
        .where('id', '=', callId)
        .executeTakeFirstOrThrow();
      const gatedAt = call.gated_at ?? now;
      const args = { callId, gatedAt, retryAt: now, now, queueTimeoutSeconds: 60 };
      return inTransaction(db, (tx) => undoAttempt(tx, { ...args, why: 'provider_deferred' }));
    },
    overlapping: <T>(
      work: (tx: Tx) => Promise<unknown>,
      other: () => Promise<T>,
      meanwhile?: (tx: Tx) => Promise<unknown>,
    ): Promise<T> => overlapping(db, work, other, meanwhile),
  };
}

/**
 * Runs `work` in a transaction that stays open until `other` waits for a lock or has finished. Then awaits both. `meanwhile` runs in the transaction
 * while `other` waits.
 */
export async function overlapping<T>(
  db: Db,
  work: (tx: Tx) => Promise<unknown>,
  other: () => Promise<T>,
  meanwhile?: (tx: Tx) => Promise<unknown>,
): Promise<T> {
  const isOpen = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const open = inTransaction(db, async (tx) => {
    await work(tx);
    isOpen.resolve();
    await mayCommit.promise;
    await meanwhile?.(tx);
  });
  await Promise.race([isOpen.promise, open]);
  const theOther = other();
  const waits = waitFor('the other side to wait for a lock', async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length > 0;
  });
  await Promise.race([theOther, waits]);
  mayCommit.resolve();
  await open;
  // `other` may have finished without waiting.
  waits.catch(() => undefined);
  return theOther;
}
