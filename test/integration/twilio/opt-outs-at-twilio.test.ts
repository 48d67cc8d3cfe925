import { suppressEverywhere, inTransaction } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { isWithdrawn } from './queued-at-twilio.ts';
import { useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

/** Whatever withdraws a call before is due to the opt-out: a call without news is looked up only after this time. */
const settings = { ringTimeoutSeconds: 600 };
const number = '+15557000101';

async function optOut({ baseUrl, organization }: TwilioWorld, phoneNumber: string): Promise<void> {
  const response = await fetch(`${baseUrl}/api/v1/suppressions`, {
    method: 'POST',
    headers: { 'X-API-Key': organization.apiKeys.member, 'Content-Type': 'application/json' },
    body: JSON.stringify({ phone_number: phoneNumber }),
  });
  expect(response.status).toBe(200);
}

describe('the call of a person who opted out', () => {
  test.each([
    ['the organization', (world: TwilioWorld) => optOut(world, number)],
    [
      'the installation',
      (world: TwilioWorld) =>
        inTransaction(world.db, (tx) => suppressEverywhere(tx, [{ phoneNumber: number, reason: null }])),
    ],
  ])(
    'that Twilio is about to accept is withdrawn long before it would be looked up: on the list of %s',
    async (_of, suppress) => {
      const world = await useTwilioWorld({ callsPerSecond: 0, settings });
      const answer = Promise.withResolvers<void>();
      world.twilio.fail({ kind: 'answer_late', at: answer.promise });
      await world.campaign([number]);
      await waitFor('made at Twilio', () => world.twilio.calls.size === 1);
      await suppress(world);
      answer.resolve();
      await waitFor('withdrawn at Twilio', () => isWithdrawn(world, number));
      await waitFor('ended', async () => {
        const recipients = world.db.selectFrom('campaign_recipients').select(['state', 'attempts']);
        const [recipient] = await recipients.execute();
        return recipient?.state === 'suppressed' && recipient.attempts === 0;
      });
      expect(world.twilio.calls.size).toBe(1);
    },
  );

  test('is withdrawn while a hundred calls wait at Twilio or are still being sent, and no other call is', async () => {
    const world = await useTwilioWorld({ callsPerSecond: 0, settings });
    const people = Array.from({ length: 100 }, (_, n) => `+1555700${String(1_000 + n)}`);
    await world.campaign(people, { max_concurrent_calls: people.length });
    const withdrawn: string[] = [];
    for (let nth = 0; nth < 10; nth++) {
      const to = people[nth * 10] ?? '';
      await waitFor('made at Twilio', () =>
        [...world.twilio.calls.values()].some((call) => call.form.get('To') === to),
      );
      await optOut(world, to);
      await waitFor('withdrawn at Twilio', () => isWithdrawn(world, to));
      withdrawn.push(to);
      const canceled = people.filter((person) => isWithdrawn(world, person));
      expect(canceled).toEqual(withdrawn);
    }
    expect([...world.twilio.calls.values()].filter((call) => call.startTime !== null)).toEqual([]);
  });
});
