import { passGate, type GateClaim, type GateTerms } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { claimDue, phoneNumbers, runCampaign } from './campaign.ts';
import { gateTerms } from './gate-terms.ts';

/** A campaign with two claims, and what a worker would bring to the gate for them. */
async function atTheGate(): Promise<{
  stack: Stack;
  campaignId: string;
  terms: GateTerms;
  claims: GateClaim[];
}> {
  const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
  const { db } = stack;
  const organization = await stack.organization();
  const { id: campaignId } = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2) });
  await claimDue(stack, campaignId);
  const rows = await db.selectFrom('campaign_recipients').select(['id', 'claim_id']).execute();
  return {
    stack,
    campaignId,
    terms: await gateTerms(stack, organization, campaignId),
    claims: rows.map((row) => ({ recipientId: row.id, claimId: row.claim_id ?? '', attempt: 1 })),
  };
}

const setStatus = (status: string, campaignId: string) =>
  sql`update campaigns set status = ${status}, revision = revision + 1 where id = ${campaignId}`;

describe('the statement of the gate', () => {
  test('lets a live claim through, once', async () => {
    const { stack, terms, claims } = await atTheGate();
    const passed = await passGate(stack.db, terms, claims);
    expect([...passed.keys()].toSorted()).toEqual(claims.map((claim) => claim.claimId).toSorted());
    expect(await passGate(stack.db, terms, claims)).toEqual(new Map());
    const again = claims.map((claim) => ({ ...claim, attempt: 2 }));
    expect(await passGate(stack.db, terms, again)).toEqual(new Map());
  });

  test('opens for no other claim, attempt, organization, zone or time', async () => {
    const { stack, terms, claims } = await atTheGate();
    const pass = (changedTerms: Partial<GateTerms>, changedClaim: Partial<GateClaim> = {}) =>
      passGate(
        stack.db,
        { ...terms, ...changedTerms },
        claims.map((claim) => ({ ...claim, ...changedClaim })),
      );
    const window = terms.windows[0] ?? { zone: '', opensAt: new Date(), closesAt: new Date() };
    const stranger = '01a1fc4b-0d2f-7c9c-95bf-0a499810b96c';
    for (const refused of [
      pass({}, { claimId: stranger }),
      pass({}, { attempt: 2 }),
      pass({ organizationId: stranger }),
      pass({ revision: terms.revision - 1 }),
      pass({ revision: terms.revision + 1 }),
      pass({ windows: [] }),
      pass({ windows: [{ ...window, zone: 'Europe/Berlin' }] }),
      pass({ windows: [{ ...window, closesAt: window.opensAt }] }),
      pass({ windows: [{ ...window, opensAt: window.closesAt }] }),
    ]) {
      expect(await refused).toEqual(new Map());
    }
    expect(await passGate(stack.db, terms, claims)).toHaveProperty('size', 2);
  });

  test('stays shut after a pause, and after a pause that was taken back', async () => {
    const { stack, campaignId, terms, claims } = await atTheGate();
    await setStatus('paused', campaignId).execute(stack.db);
    expect(await passGate(stack.db, terms, claims)).toEqual(new Map());
    expect(await passGate(stack.db, { ...terms, revision: terms.revision + 1 }, claims)).toEqual(new Map());
    await setStatus('running', campaignId).execute(stack.db);
    expect(await passGate(stack.db, terms, claims)).toEqual(new Map());
  });

  test('waits for a pause that is under way, and then stays shut', async () => {
    const { stack, campaignId, terms, claims } = await atTheGate();
    const pausing = await stack.db.startTransaction().execute();
    await setStatus('paused', campaignId).execute(pausing);
    const passing = passGate(stack.db, terms, claims);
    await waitFor('the gate to wait', async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(stack.db);
      return rows[0]?.count === 1;
    });
    await pausing.commit().execute();
    expect(await passing).toEqual(new Map());
  });
});
