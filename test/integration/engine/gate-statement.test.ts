import type { CampaignStatus } from '@outdial/core';
import {
  engineNow,
  inTransaction,
  passGate,
  writeCampaignStatus,
  type GateClaim,
  type GateTerms,
  type Tx,
} from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { noProcesses } from './by-hand.ts';
import { claimDue, phoneNumbers, runCampaign } from './campaign.ts';
import { gateTerms } from '../../support/gates/gate-terms.ts';

const stack = await useFileStack(noProcesses);

/** A campaign with two claims, and a worker's input to their gates. */
async function atTheGate(): Promise<{
  campaignId: string;
  terms: GateTerms;
  claims: GateClaim[];
}> {
  const organization = await stack.organization();
  const { id: campaignId } = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2) });
  await claimDue(stack, campaignId);
  const recipients = stack.db.selectFrom('campaign_recipients').select(['id', 'claim_id']);
  const rows = await recipients.where('campaign_id', '=', campaignId).execute();
  return {
    campaignId,
    terms: await gateTerms(stack, organization, campaignId),
    claims: rows.map((row) => ({
      recipientId: row.id,
      claimId: row.claim_id ?? '',
      attempt: 1,
      isAllowedDestination: true,
    })),
  };
}

/** For each claim: passed, or the reason why not. */
async function answers(terms: GateTerms, claims: readonly GateClaim[]): Promise<string[]> {
  const passed = await passGate(stack.db, terms, claims);
  return claims.map((claim) => {
    const answer = passed.get(claim.claimId);
    return answer?.kind === 'refused' ? answer.reason : (answer?.kind ?? 'no answer');
  });
}

const both = (answer: string) => [answer, answer];

const setStatus = async (status: CampaignStatus, campaignId: string, tx: Tx) =>
  writeCampaignStatus(tx, { campaignId, status, now: await engineNow(tx) });

describe('the statement of the gate', () => {
  test('lets a live claim through, once', async () => {
    const { terms, claims } = await atTheGate();
    expect(await answers(terms, claims)).toEqual(both('passed'));
    expect(await answers(terms, claims)).toEqual(both('stale'));
    const again = claims.map((claim) => ({ ...claim, attempt: 2 }));
    expect(await answers(terms, again)).toEqual(both('stale'));
  });

  test('opens for no other claim, attempt, organization, zone or time', async () => {
    const { terms, claims } = await atTheGate();
    const [first] = claims;
    if (!first) throw new Error('a claim was expected');
    const pass = async (changedTerms: Partial<GateTerms>, changedClaim: Partial<GateClaim> = {}) => {
      const [answer] = await answers({ ...terms, ...changedTerms }, [{ ...first, ...changedClaim }]);
      return answer;
    };
    const [window] = terms.windows;
    if (!window) throw new Error('a window was expected');
    const stranger = '01a1fc4b-0d2f-7c9c-95bf-0a499810b96c';
    expect(await pass({}, { claimId: stranger })).toBe('stale');
    expect(await pass({}, { attempt: 2 })).toBe('stale');
    expect(await pass({ organizationId: stranger })).toBe('stale');
    expect(await pass({ revision: terms.revision - 1 })).toBe('changed');
    expect(await pass({ revision: terms.revision + 1 })).toBe('changed');
    expect(await pass({ windows: [] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, zone: 'Europe/Berlin' }] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, closesAt: window.opensAt }] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, opensAt: window.closesAt }] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, hours: null }] })).toBe('calling_hours');
    expect(
      await pass({ windows: [{ ...window, hours: { openAt: window.opensAt, closeAt: window.opensAt } }] }),
    ).toBe('calling_hours');
    expect(await answers(terms, claims)).toEqual(both('passed'));
  });

  test('stays shut after a pause, and after a pause and a resume', async () => {
    const { campaignId, terms, claims } = await atTheGate();
    await inTransaction(stack.db, (tx) => setStatus('paused', campaignId, tx));
    expect(await answers(terms, claims)).toEqual(both('not_running'));
    const later = { ...terms, revision: terms.revision + 1 };
    expect(await answers(later, claims)).toEqual(both('not_running'));
    await inTransaction(stack.db, (tx) => setStatus('running', campaignId, tx));
    expect(await answers(terms, claims)).toEqual(both('changed'));
  });

  test('waits for a pause in progress, and then refuses', async () => {
    const { campaignId, terms, claims } = await atTheGate();
    const pausing = await stack.db.startTransaction().execute();
    await setStatus('paused', campaignId, pausing);
    const passing = answers(terms, claims);
    await waitFor('the gate to wait', async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(stack.db);
      return rows[0]?.count === 1;
    });
    await pausing.commit().execute();
    expect(await passing).toEqual(both('not_running'));
  });
});
