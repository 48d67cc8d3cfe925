import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import type { Outcome } from '@outdial/core';
import { engineNow, inTransaction, undoAttempt, type Db, type Tx } from '@outdial/db';
import { applyReports, type CallReport } from '@outdial/engine';
import { sql } from 'kysely';
import { anyBackend } from '../../support/queues.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { mondayMorning, type Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { dialNow, phoneNumbers, runCampaign } from './campaign.ts';

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

  /** Dials those who are due before this one, and this one. Returns the id of its call, which is not sent. */
  async function dial(phone = numbers[0] ?? ''): Promise<string> {
    for (;;) {
      const [call] = await dialNow(stack, campaignId, 1);
      if (call === undefined) throw new Error('the recipient is not due');
      if (call.pass.toPhone === phone) return call.pass.callId;
    }
  }

  /** Dials who is due. Returns the rows of the calls, which are not sent. */
  async function dialAll() {
    const calls = await dialNow(stack, campaignId);
    if (calls.length === 0) return [];
    const callIds = calls.map(({ pass }) => pass.callId);
    return db.selectFrom('calls').selectAll().where('id', 'in', callIds).execute();
  }

  return {
    stack,
    organization,
    dialAll,
    campaignId,
    manager,
    recipient,
    dial,
    report: (reports: readonly CallReport[]) => applyReports(progress, reports),
    async end(callId: string, outcome: Outcome, eventId: string = outcome) {
      const at = await stack.clock.now();
      return applyReports(progress, [
        { callId, facts: [{ kind: 'ended', eventId, at, outcome, details: {} }] },
      ]);
    },
    undo: (callId: string) => inTransaction(db, (tx) => undoDeferred(tx, callId)),
  };
}

/** The statements of a worker whose provider defers a call. */
export async function undoDeferred(tx: Tx, callId: string) {
  const now = await engineNow(tx);
  const call = tx.selectFrom('calls').select('gated_at').where('id', '=', callId);
  const { gated_at: gatedAt } = await call.executeTakeFirstOrThrow();
  const args = { callId, gatedAt: gatedAt ?? now, retryAt: now, now, queueTimeoutSeconds: 60 };
  return undoAttempt(tx, { ...args, why: 'provider_deferred' });
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

/** Runs `meanwhile` while a transaction holds these locks. */
export async function whileHeld(
  db: Db,
  lock: (tx: Tx) => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = inTransaction(db, async (tx) => {
    await lock(tx);
    // Waits for what was sent with it.
    await sql`select`.execute(tx);
    held.resolve();
    await released.promise;
  });
  await Promise.race([held.promise, holding]);
  try {
    await meanwhile();
  } finally {
    released.resolve();
    await holding;
  }
}
