import { randomUUID } from 'node:crypto';
import { inTransaction, openAdvances, passGate, type GateDial, type GateTerms } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { noProcesses } from './by-hand.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';
import { gateTerms } from '../../support/gates/gate-terms.ts';

const stack = await useFileStack(noProcesses);

/** A campaign with two people who are due, and a worker's input to their gate. */
async function atTheGate(): Promise<{ campaignId: string; terms: GateTerms; dials: GateDial[] }> {
  const organization = await stack.organization();
  const { id: campaignId } = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2) });
  const recipients = stack.db.selectFrom('campaign_recipients').select('id');
  const rows = await recipients.where('campaign_id', '=', campaignId).execute();
  return {
    campaignId,
    terms: await gateTerms(stack, organization, campaignId),
    dials: rows.map(({ id }) => ({ recipientId: id, callId: randomUUID(), isAllowedDestination: true })),
  };
}

/** For each dial: passed, or the reason why not. */
async function answers(campaignId: string, terms: GateTerms, dials: readonly GateDial[]): Promise<string[]> {
  const passed = await inTransaction(stack.db, async (tx) => {
    await openAdvances(tx, [campaignId], { waits: true });
    return passGate(tx, [{ terms, dials }]);
  });
  return dials.map((dial) => {
    const answer = passed.get(dial.callId);
    return answer?.kind === 'refused' ? answer.reason : (answer?.kind ?? 'no answer');
  });
}

const both = (answer: string) => [answer, answer];

describe('the statement of the gate', () => {
  test('opens for no other recipient, organization, zone or time', async () => {
    const { campaignId, terms, dials } = await atTheGate();
    const [first] = dials;
    if (!first) throw new Error('a recipient was expected');
    const pass = async (changedTerms: Partial<GateTerms>, changedDial: Partial<GateDial> = {}) => {
      const changed = [{ ...first, ...changedDial }];
      const [answer] = await answers(campaignId, { ...terms, ...changedTerms }, changed);
      return answer;
    };
    const [window] = terms.windows;
    if (!window) throw new Error('a window was expected');
    const stranger = '01a1fc4b-0d2f-7c9c-95bf-0a499810b96c';
    expect(await pass({}, { recipientId: stranger })).toBe('stale');
    expect(await pass({ organizationId: stranger })).toBe('stale');
    expect(await pass({ windows: [] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, zone: 'Europe/Berlin' }] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, closesAt: window.opensAt }] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, opensAt: window.closesAt }] })).toBe('window_closed');
    expect(await pass({ windows: [{ ...window, hours: null }] })).toBe('calling_hours');
    expect(
      await pass({ windows: [{ ...window, hours: { openAt: window.opensAt, closeAt: window.opensAt } }] }),
    ).toBe('calling_hours');
    expect(await answers(campaignId, terms, dials)).toEqual(both('passed'));
  });
});
