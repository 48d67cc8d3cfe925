import type { Recording, TelephonyProvider } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { apiWorld } from './api-world.ts';

const audio = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 256));

/** A carrier with a single recording. */
function tapePlayer(name: string, tape: Recording | null): TelephonyProvider {
  return {
    name,
    idempotency: 'none',
    place: async () => ({ kind: 'refused', outcome: 'failed', externalStatus: 'plays tapes only' }),
    lookUp: async () => ({ kind: 'unknown' }),
    hangUp: async () => ({ kind: 'confirmed' }),
    openRecording: async () => tape,
  };
}

async function* inTwo(range = { start: 0, end: audio.length - 1 }) {
  const middle = Math.floor((range.start + range.end) / 2);
  yield audio.subarray(range.start, middle + 1);
  yield audio.subarray(middle + 1, range.end + 1);
}

const providers = new Map(
  [
    tapePlayer('tape', { contentType: 'audio/wav', size: audio.length, read: inTwo }),
    tapePlayer('endless', { contentType: 'text/html', size: null, read: () => inTwo() }),
    tapePlayer('silent', null),
    {
      ...tapePlayer('broken', null),
      openRecording: async () => {
        throw new Error('the provider is away');
      },
    },
  ].map((provider) => [provider.name, provider]),
);

const { client, organization } = await apiWorld({ providers });

async function setup(provider = 'tape') {
  const acme = await organization();
  const id = await acme.call({ provider, recording_url: 'tape:1' });
  const send = (headers: Record<string, string> = {}, method = 'GET') =>
    client.send(`${method} /api/v1/calls/${id}/recording`, { key: acme.keys.viewer, headers });
  return { acme, id, send };
}

describe('GET /calls/{call_id}/recording', () => {
  test('answers the audio, and the call names this path', async () => {
    const { acme, id, send } = await setup();
    const answer = await send();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('audio/wav');
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(answer.headers.get('content-length')).toBe('1000');
    expect(answer.bytes.equals(audio)).toBe(true);
    const call = await client.send(`GET /api/v1/calls/${id}`, { key: acme.keys.viewer });
    expect(call.json).toMatchObject({
      data: {
        status: 'finish',
        meta: { outcome: 'completed' },
        recording_url: `${client.base}/api/v1/calls/${id}/recording`,
      },
    });
  });

  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=990-', 990, 999],
    ['bytes=-5', 995, 999],
    ['bytes=0-99999', 0, 999],
  ])('%s is a part', async (range, start, end) => {
    const { send } = await setup();
    const answer = await send({ Range: range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/1000`);
    expect(answer.headers.get('content-length')).toBe(String(end - start + 1));
    expect(answer.bytes.equals(audio.subarray(start, end + 1))).toBe(true);
  });

  test.each(['bytes=1000-', 'bytes=-0', 'bytes=9-1'])('%s is 416', async (range) => {
    const { send } = await setup();
    const answer = await send({ Range: range });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */1000');
  });

  test.each(['bytes=0-1,5-6', 'lines=1-2', 'bytes=a-b'])('%s is answered with the whole', async (range) => {
    const { send } = await setup();
    expect((await send({ Range: range })).bytes).toHaveLength(1_000);
  });

  test('a range with If-Range returns the whole', async () => {
    const { send } = await setup();
    expect((await send({ Range: 'bytes=0-1', 'If-Range': '"x"' })).status).toBe(200);
  });

  test('HEAD says how long it is', async () => {
    const { send } = await setup();
    const answer = await send({}, 'HEAD');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe('1000');
    expect(answer.bytes).toHaveLength(0);
  });

  test('without a size there are no ranges, and other content types are never rendered', async () => {
    const { send } = await setup('endless');
    const answer = await send({ Range: 'bytes=0-1' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('accept-ranges')).toBe('none');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.bytes).toHaveLength(1_000);
  });

  test('404 without a recording, 503 if the provider is down', async () => {
    expect((await (await setup('silent')).send()).status).toBe(404);
    const away = await (await setup('broken')).send();
    expect(away.status).toBe(503);
    expect(away.json).toMatchObject({ code: 'recording_unavailable' });
  });
});
