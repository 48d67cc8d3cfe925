import { reconcileLines } from '@outdial/db';
import { applyReports, type CallReport } from '@outdial/engine';
import { expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { noProcesses } from './by-hand.ts';
import { dialNow, runCampaign } from './campaign.ts';

const stack = await useFileStack(noProcesses);

/** A campaign with one recipient, who is due again at once after an unknown outcome. The test makes the calls. */
async function oneRecipient() {
  const { db } = stack;
  const organization = await stack.organization();
  const { id: campaignId } = await runCampaign(
    stack,
    organization,
    { phone_numbers: ['+15552000000'] },
    { call_back_attempts: 2, retry_delay_seconds: 0, retry_on: ['unknown'] },
  );
  const now = await stack.clock.now();
  const progress = {
    ...stack.control,
    settings: { ringTimeoutSeconds: 45, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  };
  const recipient = () =>
    db
      .selectFrom('campaign_recipients')
      .selectAll()
      .where('campaign_id', '=', campaignId)
      .executeTakeFirstOrThrow();
  return {
    recipient,
    /** Dials the recipient. Returns the id of the call. */
    dial: async (): Promise<string> => {
      const [call] = await dialNow(stack, campaignId);
      return call?.pass.callId ?? '';
    },
    report: (reports: readonly CallReport[]) => applyReports(progress, reports),
    ends: (callId: string, outcome: 'unknown' | 'completed', eventId: string): CallReport => ({
      callId,
      facts: [{ kind: 'ended', eventId, at: now, outcome, details: {} }],
    }),
    /** The value of the line counter. Fails if it is wrong. */
    linesInUse: async (): Promise<number> => {
      expect(await db.transaction().execute((tx) => reconcileLines(tx))).toBe(0);
      const runtime = db.selectFrom('campaign_runtime').select('lines_in_use');
      return (await runtime.where('campaign_id', '=', campaignId).executeTakeFirstOrThrow()).lines_in_use;
    },
  };
}

test('a late end together with the end of the next attempt releases one line, not two', async () => {
  const { dial, ends, linesInUse, recipient, report } = await oneRecipient();
  const first = await dial();
  await report([ends(first, 'unknown', 'lost')]);
  const second = await dial();
  expect(await linesInUse()).toBe(1);

  const applied = await report([ends(first, 'completed', 'late'), ends(second, 'completed', 'in time')]);
  expect(applied).toBe(2);
  expect(await recipient()).toMatchObject({ state: 'done', attempts: 2 });
  expect(await linesInUse()).toBe(0);
});
