import type { CampaignStatus } from '@outdial/core';
import type { Db } from '@outdial/db';
import { engineNow } from '@outdial/db';
import { sql } from 'kysely';
import { RefusedRequestError } from '../../support/stack/http-client.ts';
import { again } from '../stack/again.ts';
import type { ChaosStack } from '../stack/chaos-stack.ts';

/** From the commit of a pause to the last instant at which the campaign was certainly still paused, by the database's clock. */
export interface PauseInterval {
  campaignId: string;
  fromMs: number;
  untilMs: number;
  /** The resume was committed at this instant or earlier. */
  resumedByMs: number;
}

/** Pauses and resumes campaigns through the API, and records the intervals. */
export interface PauseLog {
  readonly intervals: readonly PauseInterval[];
  /** False if the campaign is over, or another fault has paused it. */
  pauseFor(stack: ChaosStack, campaignId: string, hold: () => Promise<void>): Promise<boolean>;
}

export function createPauseLog(): PauseLog {
  const intervals: PauseInterval[] = [];
  const busy = new Set<string>();
  return {
    intervals,
    async pauseFor(stack, campaignId, hold) {
      if (busy.has(campaignId)) return false;
      busy.add(campaignId);
      try {
        if (!(await setStatus(stack, campaignId, 'paused'))) return false;
        const fromMs = await again('read the pause', () => pausedAtMs(stack.db, campaignId));
        await hold();
        const untilMs = await clockMs(stack.db);
        await setStatus(stack, campaignId, 'running');
        intervals.push({ campaignId, fromMs, untilMs, resumedByMs: await clockMs(stack.db) });
        return true;
      } finally {
        busy.delete(campaignId);
      }
    },
  };
}

/** Retries until it succeeds, because processes may be down. False if the campaign has ended. */
async function setStatus(stack: ChaosStack, campaignId: string, status: CampaignStatus): Promise<boolean> {
  return again(`set a campaign ${status}`, async () => {
    try {
      await stack.organization.clients.manager.setStatus(campaignId, status);
      return true;
    } catch (error) {
      if (error instanceof RefusedRequestError && error.status === 409) return false;
      throw error;
    }
  });
}

function clockMs(db: Db): Promise<number> {
  return again('read the clock', async () => (await engineNow(db)).getTime());
}

async function pausedAtMs(db: Db, campaignId: string): Promise<number> {
  const { rows } = await sql<{ status: string; updated_at: Date }>`
    select status, updated_at from campaigns where id = ${campaignId}`.execute(db);
  const row = rows[0];
  if (row?.status !== 'paused') throw new Error(`the campaign is ${row?.status}, not paused`);
  return row.updated_at.getTime();
}
