import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineNow, inTransaction, updateOrganization } from '@outdial/db';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { runOutdial } from '../cli/run-outdial.ts';
import { relay, useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

const twiml = { connect: 'twiml', twiml: '<Response><Dial>+19005550199</Dial></Response>' };
const fetched = { connect: 'twiml_url', url: 'https://voice.example.com/answer' };
const stream = { connect: 'stream', url: 'wss://voice.example.com/media' };

function outdial(world: TwilioWorld, ...args: string[]) {
  return runOutdial(args, { env: { DATABASE_URL: world.databaseUrl } });
}

async function orgSet(world: TwilioWorld, ...options: string[]) {
  const { status, err } = await outdial(world, 'org', 'set', world.organization.id, ...options);
  expect(err).toBe('');
  expect(status).toBe(0);
}

async function send(world: TwilioWorld, method: string, path: string, json?: object) {
  const answer = await fetch(`${world.baseUrl}/api/v1/${path}`, {
    method,
    headers: {
      'X-API-Key': world.organization.apiKeys.manager,
      ...(json && { 'Content-Type': 'application/json' }),
    },
    ...(json && { body: JSON.stringify(json) }),
  });
  return { status: answer.status, body: await answer.text() };
}

/** The field that the api refuses; null if it takes the agent. */
async function refusedField(world: TwilioWorld, voice: object): Promise<string | null> {
  const config = { telephony: { voice } };
  const changed = await send(world, 'PUT', `agents/${world.organization.agentId}`, { config });
  const created = await send(world, 'POST', 'agents', { name: 'Another', config });
  const fields = [changed, created].map(({ status, body }) => {
    if (status < 300) return null;
    expect(status).toBe(422);
    return body;
  });
  const field = fields.map(
    (text) => text && (/"config","telephony","voice","(\w+)"/.exec(text)?.[1] ?? text),
  );
  expect(field[0]).toBe(field[1]);
  return field[0] ?? null;
}

test('an agent brings instructions for the carrier only as the operator allows', async () => {
  const world = await useTwilioWorld({ voiceHosts: [], telephony: {} });
  expect(await refusedField(world, twiml)).toBe('connect');
  expect(await refusedField(world, fetched)).toBe('connect');
  expect(await refusedField(world, stream)).toBe('url');
  expect(await refusedField(world, relay)).toBe('url');

  await orgSet(world, '--voice-hosts', 'Voice.example.com');
  expect(await refusedField(world, stream)).toBeNull();
  expect(await refusedField(world, relay)).toBeNull();
  expect(await refusedField(world, { ...stream, url: 'wss://other.example.com/media' })).toBe('url');
  expect(await refusedField(world, twiml)).toBe('connect');
  expect(await refusedField(world, fetched)).toBe('connect');

  await orgSet(world, '--own-twiml', 'on');
  expect(await refusedField(world, twiml)).toBeNull();
  expect(await refusedField(world, fetched)).toBeNull();
  expect(await refusedField(world, { ...fetched, url: 'https://other.example.com' })).toBe('url');
  const { body } = await send(world, 'GET', 'organization');
  expect(JSON.parse(body)).toMatchObject({
    data: { limits: { own_twiml: true, voice_hosts: ['voice.example.com'] } },
  });

  await orgSet(world, '--voice-hosts', 'none', '--own-twiml', 'off');
  expect(await refusedField(world, stream)).toBe('url');
  expect(await refusedField(world, twiml)).toBe('connect');
});

test('an import is judged like a request', async () => {
  const world = await useTwilioWorld({ voiceHosts: [], telephony: {} });
  const directory = mkdtempSync(join(tmpdir(), 'instructions-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'agent.json');
  writeFileSync(
    file,
    JSON.stringify({
      name: 'Imported',
      config: { telephony: { voice: stream } },
      prompts: [{ prompt: 'Hi' }],
    }),
  );
  const args = ['agent', 'import', file, '--org', world.organization.id] as const;
  const refused = await outdial(world, ...args);
  expect(refused.status).not.toBe(0);
  expect(refused.err).toContain('config.telephony.voice.url');
  await orgSet(world, '--voice-hosts', 'voice.example.com');
  expect(await outdial(world, ...args)).toMatchObject({ status: 0, err: '' });
});

test('a campaign of an agent that may no longer do so waits, uses no attempt, and continues when allowed', async () => {
  const world = await useTwilioWorld({ voiceHosts: [], telephony: { voice: twiml } });
  const campaign = await world.campaign(['+15557000100']);
  await waitFor('the campaign waits', async () => (await world.waitingFor(campaign)) === 'voice_not_allowed');
  const recipient = world.db.selectFrom('campaign_recipients').select(['state', 'attempts']);
  expect(await recipient.executeTakeFirstOrThrow()).toEqual({ state: 'pending', attempts: 0 });
  expect(world.twilio.requests).toEqual([]);
  await expect(world.call('+15557000101')).rejects.toMatchObject({ code: 'voice_not_allowed' });

  await orgSet(world, '--own-twiml', 'on');
  const call = await waitFor('its call', async () =>
    world.db.selectFrom('calls').selectAll().where('phase', '=', 'ended').executeTakeFirst(),
  );
  expect(call).toMatchObject({ outcome: 'completed', attempt: 1 });
  expect(world.twilio.callOf(call.id)?.form.get('Twiml')).toBe(twiml.twiml);
});

test('a call that was requested while it was allowed is not sent when it no longer is', async () => {
  const world = await useTwilioWorld({
    telephony: { voice: stream },
    settings: { callQueueTimeoutSeconds: 3 },
  });
  const closed = (until: Date | null) =>
    world.db.updateTable('providers').set({ closed_until: until, closed_reason: 'test' }).execute();
  await closed(new Date((await engineNow(world.db)).getTime() + 60_000));
  const callId = await world.call('+15557000100');
  await inTransaction(world.db, async (tx) =>
    updateOrganization(tx, world.organization.id, { voice_hosts: [] }, await engineNow(tx)),
  );
  await closed(null);
  expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'canceled' });
  expect(world.twilio.requests).toEqual([]);
});
