import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { authToken } from '../../support/twilio/stand-in.ts';
import { openTwilioWorld, useTwilioWorld } from './twilio-world.ts';

const world = await openTwilioWorld();
afterAll(() => world.close());

let calls = 0;

/** An answered call in progress. Each is to another number, because a second call to the same one would wait. */
async function answeredCall(): Promise<{ callId: string; url: string; sid: string }> {
  calls += 1;
  const callId = await world.call(`+155570${100 + calls}99`);
  await world.until(callId, 'answered');
  const call = world.twilio.callOf(callId);
  const [url = ''] = (call?.form.get('StatusCallback') ?? '').split('#');
  return { callId, url, sid: call?.sid ?? '' };
}

const completed = (sid: string) => ({ CallSid: sid, CallStatus: 'completed', CallDuration: '7' });

async function post(url: string, fields: Record<string, string>, signature?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(signature !== undefined && { 'x-twilio-signature': signature }),
    },
    body: new URLSearchParams(fields).toString(),
  });
}

describe('callbacks', () => {
  test('may come out of order and twice', async () => {
    const world = await useTwilioWorld({ callbacks: 'scrambled' });
    const numbers = ['00', '91', '93', '94'].map((ending) => `+155570001${ending}`);
    const ids = await Promise.all(numbers.map((number) => world.call(number)));
    await Promise.all(ids.map((id) => world.until(id, 'ended')));
    // A later callback may correct the outcome.
    await world.twilio.settled();
    const after = await Promise.all(ids.map((id) => world.row(id)));
    expect(after.map((call) => call.outcome)).toEqual(['completed', 'busy', 'rejected', 'voicemail']);
    for (const call of after) {
      const events = call.events.map((event) => event.id).filter((id) => id !== undefined);
      expect(new Set(events).size).toBe(events.length);
    }
    expect((await world.provider()).lines_in_use).toBe(0);
    expect(world.twilio.deliveries.every(({ answers }) => answers.join() === '200')).toBe(true);
  });

  test('are refused unless Twilio has signed the address and every field', async () => {
    const { callId, url, sid } = await answeredCall();
    const fields = completed(sid);
    const signed = await world.twilio.send({ url, fields: { ...fields, CallStatus: 'in-progress' } });
    expect(signed.answers).toEqual([200]);
    const { getExpectedTwilioSignature: sign } = (await import('twilio')).default;

    const right = sign(authToken, url, fields);
    const otherHost = url.replace('127.0.0.1', 'localhost');
    for (const refused of [
      await post(url, fields),
      await post(url, fields, ''),
      await post(url, fields, sign('another token', url, fields)),
      await post(url, { ...fields, CallDuration: '1' }, right),
      await post(url.replace(callId, randomUUID()), fields, right),
      await post(otherHost, fields, sign(authToken, otherHost, fields)),
    ]) {
      expect(refused.status).toBe(401);
    }
    expect((await world.row(callId)).phase).toBe('answered');
    expect((await post(url, fields, right)).status).toBe(200);
    expect(await world.row(callId)).toMatchObject({ outcome: 'completed', duration_seconds: 7 });
  });

  test('are refused at an address from elsewhere, such as custom instructions', async () => {
    const { callId, url, sid } = await answeredCall();
    const another = await world.call('+15557020099');
    for (const made of [url.replace(callId, another), url.replace(/&key=[^&]+/, ''), `${url}&hang_up=1`]) {
      const { answers } = await world.twilio.send({ url: made, fields: completed(sid) });
      expect(answers).not.toContain(200);
    }
    await world.until(another, 'answered');
    expect((await world.row(callId)).phase).toBe('answered');
  });

  test('without information about a call are still answered', async () => {
    const { callId, url, sid } = await answeredCall();
    const unreadable = await world.twilio.send({ url, fields: { CallSid: sid, CallStatus: 'dancing' } });
    expect(new Set(unreadable.answers)).toEqual(new Set([422]));
    const machineUrl = world.twilio.callOf(callId)?.form.get('AsyncAmdStatusCallback') ?? '';
    const human = await world.twilio.send({
      url: machineUrl,
      fields: { CallSid: sid, AnsweredBy: 'human' },
    });
    expect(human.answers).toEqual([200]);
    expect((await world.row(callId)).phase).toBe('answered');
  });

  test('with a field twice are refused, even if Twilio has signed both', async () => {
    const { callId, url, sid } = await answeredCall();
    const { getExpectedTwilioSignature: sign } = (await import('twilio')).default;
    const fields = { CallSid: sid, CallStatus: ['in-progress', 'completed'] };
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': sign(authToken, url, fields),
      },
      body: `CallSid=${sid}&CallStatus=in-progress&CallStatus=completed`,
    });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ['body', 'CallStatus'] }] });
    expect((await world.row(callId)).phase).toBe('answered');
  });

  test('reach the api through a proxy that changes host, port and path', async () => {
    const proxy = await startProxy();
    const world = await useTwilioWorld({
      publicUrl(baseUrl) {
        proxy.forwardTo(baseUrl);
        return proxy.url;
      },
    });
    const callId = await world.call('+15557000100');
    expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
    expect(world.twilio.callOf(callId)?.form.get('StatusCallback')).toContain(
      `${proxy.url}/provider-events/`,
    );
    expect(proxy.forwarded()).toBeGreaterThan(2);
  });
});

describe('a machine that answers', () => {
  test('is hung up on', async () => {
    const world = await useTwilioWorld({ talkMs: 60_000 });
    const callId = await world.call('+15557000194');
    const call = await world.until(callId, 'ended');
    expect(call).toMatchObject({ outcome: 'voicemail', external_status: 'completed, machine_start' });
    expect(call.events.map((event) => event.type)).toContain('machine');
    await waitFor('nothing in progress at Twilio', () => world.twilio.live() === 0);
  });

  test('gets a message if the agent is configured so', async () => {
    const telephony = {
      voice: { connect: 'stream', url: 'wss://voice.example.com/media' },
      machine_detection: 'message_end',
      on_machine: 'continue',
    };
    const world = await useTwilioWorld({ talkMs: 200, telephony });
    const callId = await world.call('+15557000194');
    expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'voicemail' });
    expect(world.twilio.requests.filter((request) => request.includes('/Calls/CA'))).toEqual([]);
  });
});

interface Proxy {
  url: string;
  forwardTo(baseUrl: string): void;
  forwarded(): number;
}

/** A reverse proxy that removes `/outdial` from the path, and adds no forwarding headers. */
async function startProxy(): Promise<Proxy> {
  const prefix = '/outdial';
  let target = '';
  let forwarded = 0;
  const server = http.createServer((req, res) => {
    forwarded += 1;
    const path = (req.url ?? '').slice(prefix.length);
    const { host: _host, ...headers } = req.headers;
    const onward = http.request(`${target}${path}`, { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.once('error', () => res.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}${prefix}`,
    forwardTo(baseUrl) {
      target = baseUrl;
    },
    forwarded: () => forwarded,
  };
}
