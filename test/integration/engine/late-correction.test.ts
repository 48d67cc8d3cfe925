import { passGate, reconcileLines } from '@outdial/db';
import { applyReports, type CallReport } from '@outdial/engine';
import { expect, test } from 'vitest';
import { useStack } from '../../support/stack/use-stack.ts';
import { claimDue, runCampaign } from './campaign.ts';
import { gateTerms } from './gate-terms.ts';

test('a late end that puts an unknown right takes back the claim of an attempt that has not begun', async () => {
  const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
  const { db } = stack;
  const organization = await stack.organization();
  const { id: campaignId } = await runCampaign(
    stack,
    organization,
    { phone_numbers: ['+15552000000'] },
    { call_back_attempts: 2, retry_delay_seconds: 0, retry_on: ['unknown'] },
  );
  await claimDue(stack, campaignId);
  const recipient = () => db.selectFrom('campaign_recipients').selectAll().executeTakeFirstOrThrow();
  const { id: recipientId, claim_id: callId } = await recipient();
  const now = await stack.clock.now();
  const terms = await gateTerms(stack, organization, campaignId);
  const passed = await passGate(db, terms, [{ recipientId, claimId: callId ?? '', attempt: 1 }]);
  expect(passed.size).toBe(1);

  const ends = (outcome: 'unknown' | 'completed', eventId: string): CallReport => ({
    callId: callId ?? '',
    facts: [{ kind: 'ended', eventId, at: now, outcome, details: {} }],
  });
  const progress = {
    ...stack.control,
    settings: { ringTimeoutSeconds: 45, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  };
  await applyReports(progress, [ends('unknown', 'lost')]);
  await claimDue(stack, campaignId);
  expect(await recipient()).toMatchObject({ state: 'claimed', attempts: 1 });

  await applyReports(progress, [ends('completed', 'late')]);
  expect(await recipient()).toMatchObject({ state: 'done', last_outcome: 'completed', claim_id: null });
  const lines = await db.selectFrom('campaign_runtime').select('lines_in_use').executeTakeFirstOrThrow();
  expect(lines.lines_in_use).toBe(0);
  expect(await db.transaction().execute((tx) => reconcileLines(tx))).toBe(0);
});
