import type { EventType } from '@outdial/core';
import { createWebhookEndpoint, deleteOldOutboxEvents, inTransaction } from '@outdial/db';
import { newSigningSecret } from '@outdial/webhooks';
import { expect, test } from 'vitest';
import { anyBackend, engineBackends } from '../../support/queues.ts';
import { runToEnd } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';
import { startReceiver } from './receiver.ts';

test.each(engineBackends())(
  'a failing receiver gets every event of a campaign in order, with queues on %s',
  async (backend) => {
    const stack = await useStack({ backend, workers: 2 });
    const organization = await stack.organization();
    const receiver = await startReceiver();
    receiver.secret = newSigningSecret();
    await inTransaction(stack.db, (tx) =>
      createWebhookEndpoint(tx, {
        organizationId: organization.id,
        url: receiver.url,
        events: ['*'],
        description: '',
        enabled: true,
        secret: receiver.secret,
        atMost: 1,
      }),
    );
    receiver.behaviours = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? 500 : (request: { socket: { destroy(): void } }) => request.socket.destroy(),
    );
    const numbers = [...phoneNumbers(10), ...phoneNumbers(5, '97'), ...phoneNumbers(3, '91')];
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: numbers },
      { call_back_attempts: 1, retry_delay_seconds: 0 },
    );
    await runToEnd(stack.db, stack.clock, campaign.id);
    const written = await stack.db.selectFrom('outbox').select(['id']).execute();
    // A failed delivery is retried after five seconds, and then after five minutes.
    await waitFor('every event to be received', async () => {
      await stack.clock.advance(310_000);
      return new Set(receiver.events.map((event) => event.id)).size === written.length;
    });
    expect(receiver.refused).toBe(0);
    const heard = new Map(receiver.events.map((event) => [event.id, event]));
    const calls = await stack.db.selectFrom('calls').selectAll().execute();
    const ended = [...heard.values()].filter((event) => event.type === 'call.ended');
    const heardEnds = ended.map(({ data }) =>
      JSON.stringify([data['call_id'], data['outcome'], data['phone_number']]),
    );
    const ends = calls.map((call) => JSON.stringify([call.id, call.outcome, call.phone_number]));
    expect(heardEnds.toSorted()).toEqual(ends.toSorted());
    // The event has a link to the transcript.
    const talked = ended.find(({ data }) => data['outcome'] === 'completed');
    const record = await fetch(new URL(String(talked?.data['call_url']), stack.baseUrl), {
      headers: { 'X-API-Key': organization.apiKeys.viewer },
    });
    expect(await record.json()).toMatchObject({
      data: { id: talked?.data['call_id'], transcript: expect.stringContaining('Call ') as unknown },
    });
    expect([...heard.values()].filter((event) => event.type === 'recipient.finished').length).toBe(
      numbers.length,
    );
    for (const events of Map.groupBy(heard.values(), (event) => event.data['recipient_id']).values()) {
      expect(events.map((event) => event.sequence)).toEqual(events.map((_, n) => n + 1));
    }
  },
);

test('the events of a campaign continue with the next number when earlier ones are deleted', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0 });
  const organization = await stack.organization();
  const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1) });
  const numberOf = (type: EventType) =>
    waitFor(`${type} to be numbered`, async () => {
      const row = await stack.db
        .selectFrom('outbox')
        .select('sequence')
        .where('campaign_id', '=', campaign.id)
        .where('type', '=', type)
        .executeTakeFirst();
      return row?.sequence;
    });
  expect(await numberOf('campaign.started')).toBe('1');
  await stack.clock.advance(31 * 86_400_000);
  await deleteOldOutboxEvents(stack.db, { now: await stack.clock.now(), limit: 100 });
  await organization.clients.manager.setStatus(campaign.id, 'paused');
  expect(await numberOf('campaign.paused')).toBe('2');
});
