import { expect, test } from 'vitest';
import { providerOf } from '../../support/provider.ts';
import { accountSid, authToken } from '../../support/twilio/stand-in.ts';
import { runOutdial } from '../cli/run-outdial.ts';
import { useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

function compare(world: TwilioWorld, since: string, name = 'twilio') {
  const provider = providerOf('twilio', {
    twilio: { accountSid, authToken, from: '+15550009999', apiUrl: world.twilio.url },
  });
  const args = ['provider', 'compare', name, '--since', since];
  const env = { DATABASE_URL: world.databaseUrl };
  return {
    json: () => runOutdial([...args, '--json'], { env, provider }),
    text: () => runOutdial(args, { env, provider }),
  };
}

test('outdial provider compare lists the calls that only Twilio or only the database has', async () => {
  const world = await useTwilioWorld();
  const since = new Date(Date.now() - 60_000).toISOString();
  const [known = '', unnamed = '', lost = '', other = ''] = await Promise.all(
    ['00', '91', '00', '00'].map((ending, n) => world.call(`+15557001${n}${ending}`)),
  );
  for (const id of [known, unnamed, lost, other]) await world.until(id, 'ended');
  const sidOf = (id: string) => world.twilio.callOf(id)?.sid;
  // The acceptance of one was lost, a backup does not have another, and Twilio does not have a third.
  await world.db.updateTable('calls').set({ conversation_id: null }).where('id', '=', unnamed).execute();
  await world.db.deleteFrom('calls').where('id', '=', lost).execute();
  await world.db
    .updateTable('calls')
    .set({ conversation_id: `CA${'0'.repeat(32)}` })
    .where('id', '=', other)
    .execute();

  const { status, out } = await compare(world, since).json();
  expect(status).toBe(0);
  const read = JSON.parse(out) as Record<string, Array<Record<string, string>>>;
  expect(read['both']).toBe(2);
  expect(new Set(read['only_at_provider']?.map((call) => call['conversation_id']))).toEqual(
    new Set([sidOf(lost), sidOf(other)]),
  );
  expect(read['only_here']).toMatchObject([{ call_id: other, phone_number: '+15557001300' }]);
  const text = await compare(world, since).text();
  expect(text.out).toContain('calls that only the carrier has');
  expect(text.out).toContain('+15557001200');
});

test('outdial provider compare says what it cannot compare', async () => {
  const world = await useTwilioWorld();
  const since = new Date().toISOString();
  expect(await compare(world, since, 'twilo').json()).toMatchObject({
    status: 2,
    err: expect.stringContaining('there is no provider twilo; there are simulator, twilio') as string,
  });
  expect(await compare(world, 'yesterday').json()).toMatchObject({
    err: expect.stringContaining('2026-11-27T08:00:00Z') as string,
  });
  world.twilio.failLookUps(401);
  expect(await compare(world, since).json()).toMatchObject({
    status: 1,
    err: expect.stringContaining('twilio_http_401') as string,
  });
});
