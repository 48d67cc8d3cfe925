import { applyReports, placeDirectCall } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { engineBackends } from '../../support/queues.ts';
import { linesInUse, runToEnd } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { noProcesses } from './by-hand.ts';
import { dialNow, phoneNumbers, runCampaign, withAgent } from './campaign.ts';

describe.each(engineBackends())('direct calls, queues on %s', (backend) => {
  test('go before the calls of campaigns when all lines are in use', async () => {
    const stack = await useStack({
      backend,
      simulator: { talkMs: 300_000 },
      settings: { callQueueTimeoutSeconds: 3_600 },
    });
    const organization = await stack.organization({ max_lines: 2 });
    const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(8) });
    await campaign.dialed(2);
    const { id } = await organization.clients.member.makeCall(organization.agentId, {
      to_phone: '+15559990000',
    });
    expect(await recordedDials(stack.db)).toHaveLength(2);
    await runToEnd(stack.db, stack.clock, campaign.id);
    const order = (await recordedDials(stack.db)).map((dial) => dial.callId);
    // Only the calls that began before it come first, and one that gets the other line at the same moment.
    expect(order.indexOf(id ?? '')).toBeGreaterThanOrEqual(2);
    expect(order.indexOf(id ?? '')).toBeLessThanOrEqual(3);
  });

  test('wait for a line no longer than they may, and then end as canceled', async () => {
    const stack = await useStack({
      backend,
      simulator: { talkMs: 600_000 },
      settings: { callQueueTimeoutSeconds: 120 },
    });
    await stack.setProvider('simulator', { maxLines: 5 });
    const organization = await stack.organization({ max_lines: 1 });
    const { member } = organization.clients;
    const call = (to_phone: string) => member.makeCall(organization.agentId, { to_phone });
    await call('+15551110000');
    await waitFor('the first to be dialed', async () => (await recordedDials(stack.db)).length === 1);
    const waits = await call('+15552220000');
    await stack.clock.advance(60_000);
    expect(await member.readCall(waits.id ?? '')).toMatchObject({ status: 'init' });
    await stack.clock.advance(61_000);
    const canceled = await waitFor('the second to be given up', async () => {
      const read = await member.readCall(waits.id ?? '');
      return read.status === 'other' && read;
    });
    expect(canceled).toMatchObject({
      meta: { outcome: 'canceled' },
      events: [{ type: 'prompt_placeholder_missing' }, { type: 'canceled' }],
    });
    expect(await recordedDials(stack.db)).toHaveLength(1);
    // The line belongs to the call in progress, so it counts for the organization and the provider, and for no campaign.
    expect(await linesInUse(stack.db)).toBe(2);
  });

  test('use the provider and the caller id that their agent names', async () => {
    const stack = await useStack({ backend });
    await stack.setProvider('own-carrier', {});
    const { clients, agentId } = await stack.organization();
    await stack.db
      .updateTable('agents')
      .set({ config: JSON.stringify({ telephony: { provider: 'own-carrier', from_phone: '+15550001111' } }) })
      .where('id', '=', agentId)
      .execute();
    const { id } = await clients.member.makeCall(agentId, { to_phone: '+15551230000' });
    const row = await stack.db
      .selectFrom('calls')
      .select(['provider', 'from_phone'])
      .where('id', '=', id ?? '')
      .executeTakeFirst();
    expect(row).toEqual({ provider: 'own-carrier', from_phone: '+15550001111' });
    await waitFor('its end', async () => (await clients.viewer.readCall(id ?? '')).status === 'finish');
  });
});

describe('direct calls that wait', () => {
  test('for a provider that fails keep no line of their organization from campaigns of another provider', async () => {
    const stack = await useStack(noProcesses);
    await stack.setProvider('failing', {});
    await sql`update providers set failures_in_a_row = 5, closed_until = engine_now() + interval '1 minute'
      where name = 'failing'`.execute(stack.db);
    const organization = await stack.organization({ max_lines: 4 });
    const { agentId } = await withAgent(stack, organization, { provider: 'failing' });
    const { deps } = engineInStep(stack);
    for (const to_phone of phoneNumbers(8)) {
      const { id } = await organization.clients.member.makeCall(agentId, { to_phone });
      expect(await placeDirectCall(deps, id ?? '')).toEqual({ kind: 'waiting', reason: 'provider' });
    }
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(9, '00', '556') },
      { max_concurrent_calls: 9 },
    );
    expect(await dialNow(stack, campaign.id)).toHaveLength(4);
  });

  test('for another call to their number wait with others for a line once it has ended', async () => {
    const stack = await useStack(noProcesses);
    await stack.clock.stop();
    const { clients, agentId } = await stack.organization({ max_lines: 1 });
    const engine = engineInStep(stack);
    const { deps } = engine;
    // The simulated calls last until the test ends them.
    const [number, other] = ['+15552000099', '+15552000199'];
    const place = async (callId: string) => {
      const placed = await placeDirectCall(deps, callId);
      await deps.progress.drain();
      return placed;
    };
    const request = async (to_phone: string) =>
      (await clients.member.makeCall(agentId, { to_phone })).id ?? '';
    const end = async (callId: string) => {
      const at = await stack.clock.now();
      const ended = { kind: 'ended', eventId: 'end', at, outcome: 'completed', details: {} } as const;
      await applyReports(deps, [{ callId, facts: [ended] }]);
    };
    const sent = { kind: 'sent', sent: 'accepted' };
    const first = await request(number);
    expect(await place(first)).toEqual(sent);
    const waits = await request(number);
    expect(await place(waits)).toEqual({ kind: 'waiting', reason: 'number_in_call' });
    await end(first);
    const between = await request(other);
    expect(await place(between)).toEqual(sent);
    expect(await place(waits)).toEqual({ kind: 'waiting', reason: 'organization_line' });
    await end(between);
    await engine.settle();
    expect((await recordedDials(stack.db)).map(({ callId }) => callId)).toContain(waits);
  });
});
