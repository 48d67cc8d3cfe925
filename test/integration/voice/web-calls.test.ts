import { createCallTokens } from '@outdial/runtime';
import { engineNow } from '@outdial/db';
import type { CallReport } from '@outdial/engine';
import { frameBytes, toMuLaw } from '@outdial/voice/sound';
import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { voiceLike } from '../../support/voice/voice-like.ts';
import { voiceSecret } from './talking-process.ts';
import { openPage, type Page, webCallWorld } from './web-world.ts';

/** Speaks for this long, in real time. */
async function speakFor({ socket }: Page, ms: number): Promise<void> {
  const voice = toMuLaw(voiceLike(ms));
  const beganAt = performance.now();
  await new Promise<void>((resolve) => {
    let sent = 0;
    const timer = setInterval(() => {
      // A busy machine skips ticks: what they would have sent follows at once, as a phone sends it after a stall.
      const due = Math.floor((performance.now() - beganAt) / 20) * frameBytes;
      for (; sent < Math.min(due, voice.length) && socket.readyState === socket.OPEN; sent += frameBytes) {
        socket.send(voice.subarray(sent, sent + frameBytes));
      }
      if (sent < voice.length && socket.readyState === socket.OPEN) return;
      clearInterval(timer);
      resolve();
    }, 20);
  });
}

test('a page gets the greeting, says something, and the agent answers and hangs up; the record has everything', async () => {
  const world = await webCallWorld({
    hears: ['goodbye'],
    answers: () => ({ say: 'Goodbye.', tool: 'end_call' }),
  });
  const call = await world.ask();
  const page = await openPage(call);
  await waitFor('the greeting to be over', () => page.told.find(({ type }) => type === 'turn'));
  expect(page.loudBytes()).toBeGreaterThan(500);
  await speakFor(page, 800);
  expect(await page.closed).toEqual({ code: 1_000, reason: '' });
  expect(page.told).toEqual([
    { type: 'turn', role: 'agent', text: 'Hello, this is Ada.', interrupted: false },
    { type: 'turn', role: 'person', text: 'goodbye', interrupted: false },
    { type: 'turn', role: 'agent', text: 'Goodbye.', interrupted: false },
    { type: 'ended' },
  ]);
  const record = await world.ended(call.call_id);
  expect(record).toMatchObject({
    provider: 'web',
    status: 'finish',
    phone_number: null,
    external_last_status: 'agent_ended',
    meta: { outcome: 'completed' },
  });
  expect(record.transcript).toMatch(/Agent: Hello, this is Ada\.\n.*Person: goodbye\n.*Agent: Goodbye\./);
  expect(record.duration).toBeGreaterThan(0);
  const types = record.events?.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['placed', 'answered', 'connected', 'ended']));
  const outbox = await world.stack.db
    .selectFrom('outbox')
    .select('type')
    .where('call_id', '=', call.call_id)
    .execute();
  expect(outbox.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['call.started', 'call.answered', 'call.ended']),
  );
});

test('a token is valid for one connection: a second one is closed, and the first continues', async () => {
  const world = await webCallWorld();
  const call = await world.ask();
  const first = await openPage(call);
  await waitFor('the agent to talk', () => first.loudBytes() > 0);
  const second = await openPage(call);
  await second.closed;
  expect(second.told).toEqual([]);
  expect(first.socket.readyState).toBe(first.socket.OPEN);
  first.socket.send(JSON.stringify({ type: 'hang_up' }));
  expect(await world.ended(call.call_id)).toMatchObject({ external_last_status: 'person_left' });
  const third = await openPage(call);
  await third.closed;
});

test('a token that is expired, forged, of a telephone call or for another process opens nothing', async () => {
  const world = await webCallWorld();
  const { call_id: callId, url, token } = await world.ask();
  const now = await engineNow(world.stack.db);
  const scope = { organizationId: world.organization.id, callId };
  const mint = (secret: string, at: Date) =>
    createCallTokens(secret).mint(scope, { now: at, lifetimeSeconds: 60 });
  const refused = [
    '',
    token.slice(0, -2),
    await mint(voiceSecret, new Date(now.getTime() - 61_000)),
    await mint('another-secret-of-at-least-32-characters', now),
  ];
  for (const each of refused) await expect(openPage({ url, token: each })).rejects.toThrow('401');
  const onTheTelephone = await openPage({ url, token }, { path: url.replace('/web', '/asterisk') });
  await onTheTelephone.closed;
  await world.stack.db
    .updateTable('calls')
    .set({ kind: 'phone_outbound' })
    .where('id', '=', callId)
    .execute();
  const ofATelephone = await openPage({ url, token });
  await ofATelephone.closed;
  await world.stack.db.updateTable('calls').set({ kind: 'web' }).where('id', '=', callId).execute();
  expect(await world.record(callId)).toMatchObject({ status: 'init' });
});

test('pages of other origins are refused if the operator has set origins; programs have none', async () => {
  const world = await webCallWorld({}, { webOrigins: ['https://shop.example.com'] });
  const call = await world.ask();
  await expect(openPage(call, { origin: 'https://elsewhere.example.com' })).rejects.toThrow('403');
  const page = await openPage(call, { origin: 'https://shop.example.com' });
  await waitFor('the agent to talk', () => page.loudBytes() > 0);
  const program = await openPage(await world.ask());
  await waitFor('the agent to talk to the program', () => program.loudBytes() > 0);
});

test.each([
  ['a frame that is too long', (page: Page) => page.socket.send(Buffer.alloc(4_001)), 1_009],
  ['a message that is not JSON', (page: Page) => page.socket.send('hello'), 1_008],
  ['an unknown message', (page: Page) => page.socket.send('{"type":"dial","to":"+1"}'), 1_008],
  [
    'sound faster than anybody speaks',
    ({ socket }: Page) => {
      const frame = toMuLaw(voiceLike(20));
      for (let n = 0; n < 600; n += 1) socket.send(frame);
    },
    1_008,
  ],
  [
    'a flood of keys',
    ({ socket }: Page) => {
      for (let n = 0; n < 200; n += 1) socket.send('{"type":"key","digit":"1"}');
    },
    1_008,
  ],
])('%s ends the call of the page that sends it', async (_what, send, code) => {
  const world = await webCallWorld();
  const call = await world.ask();
  const page = await openPage(call);
  await waitFor('the agent to talk', () => page.loudBytes() > 0);
  send(page);
  expect((await page.closed).code).toBe(code);
  expect(await world.ended(call.call_id)).toMatchObject({ external_last_status: 'person_left' });
  await waitFor('the voice process to be free', () => world.voice.calls() === 0);
});

test('a conversation whose end cannot be recorded for a while is recorded as it was', async () => {
  let failures = 0;
  const failsToRecord = ({ facts }: CallReport) =>
    facts.some(({ kind }) => kind === 'ended') && ++failures <= 4;
  const world = await webCallWorld({}, { failsToRecord });
  const call = await world.ask();
  const page = await openPage(call);
  await waitFor('the agent to talk', () => page.loudBytes() > 0);
  page.socket.send(JSON.stringify({ type: 'hang_up' }));
  expect(await world.ended(call.call_id)).toMatchObject({
    status: 'finish',
    external_last_status: 'person_left',
  });
  expect(failures).toBe(5);
});

test('a call in progress can be hung up', async () => {
  const world = await webCallWorld();
  const call = await world.ask();
  const page = await openPage(call);
  await waitFor('the agent to talk', () => page.loudBytes() > 0);
  const response = await fetch(`${world.stack.baseUrl}/api/v1/calls/${call.call_id}/hang-up`, {
    method: 'POST',
    headers: { 'x-api-key': world.organization.apiKeys.member },
  });
  expect(response.status).toBe(200);
  expect(await world.ended(call.call_id)).toMatchObject({
    status: 'finish',
    external_last_status: 'hung_up',
  });
  await page.closed;
});
