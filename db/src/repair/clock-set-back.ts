import { longestProviderPauseMs } from '@outdial/core';
import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import { wakeCampaignsOfProvider } from '../providers/provider-state.ts';

interface SetBack {
  now: Date;
  /** After this time, no send of a gate is in progress, so its call may be looked up. */
  lookUpGraceMs: number;
  limit: number;
}

export interface BroughtBack {
  done: number;
  /** Campaigns to advance, because their provider is open again. */
  campaignIds: string[];
}

/**
 * Corrects instants that are further ahead than any plan, because the clock was set back. Otherwise failed providers, look-ups, deferred direct calls and
 * campaigns that failed would be late by that amount. Paces and wake-ups are corrected where they are read (`pacing.ts`, `wake.ts`).
 */
export async function bringInstantsBack(tx: Tx, args: SetBack): Promise<BroughtBack> {
  const brought: BroughtBack = { done: 0, campaignIds: [] };
  await calls(tx, args, brought);
  await queuedCalls(tx, args, brought);
  await campaigns(tx, args, brought);
  await providers(tx, args, brought);
  return brought;
}

async function calls(tx: Tx, { now, lookUpGraceMs, limit }: SetBack, brought: BroughtBack): Promise<void> {
  const { rows } = await sql`
    with ahead as materialized (
      select id from calls
      where line_held and check_at > ${later(now, lookUpGraceMs)} and gated_at > ${later(now, 0)}
        -- For an answered web call, this is its longest end, and its voice process notices if it is lost.
        and (kind <> 'web' or phase = 'placing')
      order by id limit ${limit} for no key update skip locked)
    update calls c set check_at = ${new Date(now.getTime() + lookUpGraceMs)}
    from ahead where c.id = ahead.id returning 1`.execute(tx);
  brought.done += rows.length;
}

async function queuedCalls(tx: Tx, { now, limit }: SetBack, brought: BroughtBack): Promise<void> {
  const { rows } = await sql`
    with ahead as materialized (
      select id from calls
      where phase = 'queued' and queue_deadline_at is not null and check_at > ${later(now, longestProviderPauseMs)}
      order by id limit ${limit} for no key update skip locked)
    update calls c set check_at = ${now} from ahead where c.id = ahead.id returning 1`.execute(tx);
  brought.done += rows.length;
}

/** Those that failed wait no longer than for a provider. */
async function campaigns(tx: Tx, { now, limit }: SetBack, brought: BroughtBack): Promise<void> {
  const { rows } = await sql`
    with ahead as materialized (
      select campaign_id from campaign_runtime
      where retry_at > ${later(now, longestProviderPauseMs)} and (wake_at is not null or withdrawing)
      order by campaign_id limit ${limit} for no key update skip locked)
    update campaign_runtime rt set retry_at = ${now}, wake_at = case when rt.wake_at is not null then ${now}::timestamptz end
    from ahead where rt.campaign_id = ahead.campaign_id returning 1`.execute(tx);
  brought.done += rows.length;
}

async function providers(tx: Tx, { now }: SetBack, brought: BroughtBack): Promise<void> {
  const isAhead = sql`closed_until > ${later(now, longestProviderPauseMs)}`;
  const ahead = await sql<{
    name: string;
  }>`select name from providers where ${isAhead} order by name`.execute(tx);
  for (const { name } of ahead.rows) {
    brought.campaignIds.push(...(await wakeCampaignsOfProvider(tx, name, now)));
  }
  if (ahead.rows.length === 0) return;
  const { rows } = await sql`update providers set closed_until = ${now} where ${isAhead} returning 1`.execute(
    tx,
  );
  brought.done += rows.length;
}

/** Other transactions may plan from a slightly later instant. */
const slackMs = 10_000;

function later(now: Date, byMs: number): Date {
  return new Date(now.getTime() + byMs + slackMs);
}
