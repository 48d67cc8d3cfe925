import http, { type RequestListener } from 'node:http';
import type { TelephonyProvider } from '@outdial/core';
import { freePort } from '@outdial/local';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callReference, callRequest, providerOf } from '../../support/provider.ts';
import { accountSid, authToken } from '../../support/twilio/stand-in.ts';

const sid = `CA${'0'.repeat(32)}`;

/** The adapter alone, with a server that has configured answers. Without one, nothing listens. */
async function useTwilio(listener: RequestListener | null): Promise<TelephonyProvider> {
  const port = await freePort();
  if (listener) {
    const server = http.createServer(listener);
    await new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
    onTestFinished(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    );
  }
  return providerOf(
    'twilio',
    {
      twilio: { accountSid, authToken, from: '+15550009999', apiUrl: `http://127.0.0.1:${port}` },
      publicUrl: 'https://calls.example.com',
    },
    { voice: { connect: 'stream', url: 'wss://v.example.com' } },
  );
}

const request = callRequest();
const reference = callReference({ conversationId: sid });
const soon = () => AbortSignal.timeout(60_000);
const json = (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): RequestListener => {
  return (_req, res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
};

describe('the result of a request to dial', () => {
  test.each<[string, RequestListener | null, object]>([
    ['no server listens', null, { kind: 'unreachable', reason: 'ECONNREFUSED' }],
    ['it is cut', (_req, res) => res.destroy(), { kind: 'ambiguous', reason: 'ECONNRESET' }],
    ['a malformed answer', json(201, 'made'), { kind: 'ambiguous' }],
    ['an answer without an id', json(201, {}), { kind: 'ambiguous', fault: { code: 'no_call_sid' } }],
    [
      'an answer that cannot be read',
      (_req, res) => res.writeHead(201).end('<html>'),
      { kind: 'ambiguous', fault: { code: 'http_201' } },
    ],
    ['the call', json(201, { sid }), { kind: 'accepted', conversationId: sid }],
    ['a redirect', json(307, {}, { location: 'http://127.0.0.1:1/' }), { kind: 'ambiguous' }],
    ['503', json(503, {}), { kind: 'ambiguous', reason: 'twilio_http_503' }],
    [
      'a number that is none',
      json(400, { code: 21211 }),
      { kind: 'refused', outcome: 'invalid_number', externalStatus: 'twilio_21211' },
    ],
    [
      'an unknown code',
      json(400, { code: 29999 }),
      { kind: 'refused', outcome: 'failed', externalStatus: 'twilio_29999', isUnknownCode: true },
    ],
    [
      'the caller id of the account',
      json(400, { code: 21210 }),
      { kind: 'misconfigured', of: 'provider', code: 'twilio_21210' },
    ],
    ['no credit', json(402, {}), { kind: 'misconfigured', of: 'provider', code: 'twilio_http_402' }],
    [
      '404 of a proxy',
      (_req, res) => res.writeHead(404).end('<html>'),
      { kind: 'misconfigured', of: 'provider', code: 'twilio_http_404' },
    ],
    [
      '503 and when',
      json(503, { code: 20503 }, { 'retry-after': '3' }),
      { kind: 'defer', retryAfterMs: 3_000, reason: 'twilio_20503' },
    ],
    [
      '429 and a date long past',
      json(429, { code: 20429 }, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
      { kind: 'defer', retryAfterMs: 1_000, reason: 'twilio_20429' },
    ],
    [
      '429 as text',
      (_req, res) => res.writeHead(429).end('slow down'),
      { kind: 'defer', retryAfterMs: 5_000 },
    ],
    [
      '403 of a proxy',
      (_req, res) => res.writeHead(403).end('<html>'),
      { kind: 'misconfigured', of: 'provider', code: 'twilio_http_403' },
    ],
  ])('%s', async (_what, listener, result) => {
    const twilio = await useTwilio(listener);
    expect(await twilio.place(request, soon())).toMatchObject(result);
  });

  test('silence ends at the deadline, and leaves the call ambiguous', async () => {
    const twilio = await useTwilio(() => undefined);
    expect(await twilio.place(request, AbortSignal.timeout(100))).toEqual({
      kind: 'ambiguous',
      reason: 'no answer in time',
    });
  });

  test('is never sent twice, for any answer', async () => {
    let requests = 0;
    const twilio = await useTwilio((_req, res) => {
      requests += 1;
      res.writeHead(429, { 'retry-after': '1' }).end('{}');
    });
    await twilio.place(request, soon());
    expect(requests).toBe(1);
  });
});

describe('the result of deleting a recording', () => {
  const recording = `RE${'a'.repeat(32)}`;
  const recorded = {
    ...reference,
    recordingUrl: `https://api.twilio.com/2010-04-01/Accounts/${accountSid}/Recordings/${recording}`,
  };

  test('deletes it at Twilio by the recording’s id only', async () => {
    const asked: Array<string | undefined> = [];
    const twilio = await useTwilio((req, res) => {
      asked.push(`${req.method} ${req.url}`);
      res.writeHead(204).end();
    });
    expect(await twilio.deleteRecording?.(recorded, soon())).toEqual({ kind: 'deleted' });
    expect(asked).toEqual([`DELETE /2010-04-01/Accounts/${accountSid}/Recordings/${recording}.json`]);
  });

  test.each<[string, RequestListener | null, object]>([
    ['gone already', json(404, { code: 20404 }), { kind: 'deleted' }],
    ['not allowed', json(400, { code: 20001 }), { kind: 'refused' }],
    ['429', json(429, { code: 20429 }), { kind: 'unreachable' }],
    ['500', json(500, {}), { kind: 'unreachable' }],
    ['it is cut', (_req, res) => res.destroy(), { kind: 'unreachable' }],
    ['no server listens', null, { kind: 'unreachable' }],
  ])('%s', async (_what, listener, result) => {
    const twilio = await useTwilio(listener);
    expect(await twilio.deleteRecording?.(recorded, soon())).toMatchObject(result);
  });

  test.each([null, 'no address', 'https://example.com/Recordings/RE1', `asterisk-recording:outdial-1`])(
    'an address %s is not a recording, and is not requested',
    async (recordingUrl) => {
      const twilio = await useTwilio(null);
      const answer = await twilio.deleteRecording?.({ ...reference, recordingUrl }, soon());
      expect(answer).toMatchObject({ kind: 'refused' });
    },
  );
});

describe('the result of other requests', () => {
  test.each<[string, RequestListener | null]>([
    ['no server listens', null],
    ['it is cut', (_req, res) => res.destroy()],
    ['429', json(429, { code: 20429 })],
    ['500', json(500, {})],
    ['401', json(401, { code: 20003 })],
  ])('%s: unknown, so the request is repeated', async (_what, listener) => {
    const twilio = await useTwilio(listener);
    expect(await twilio.lookUp(reference, soon())).toMatchObject({ kind: 'unreachable' });
    expect(await twilio.hangUp(reference, soon())).toMatchObject({ kind: 'unreachable' });
    expect(await twilio.withdraw?.(reference, soon())).toMatchObject({ kind: 'unreachable' });
  });

  test('404: there is no such call, so it holds no line', async () => {
    const twilio = await useTwilio(json(404, { code: 20404 }));
    expect(await twilio.lookUp(reference, soon())).toEqual({ kind: 'unknown' });
    expect(await twilio.hangUp(reference, soon())).toEqual({ kind: 'confirmed' });
    expect(await twilio.withdraw?.(reference, soon())).toEqual({ kind: 'too_late' });
  });

  test('a status that this version does not know changes nothing', async () => {
    const twilio = await useTwilio(json(200, { sid, status: 'hovering' }));
    expect(await twilio.lookUp(reference, soon())).toMatchObject({ kind: 'found', progress: [] });
  });

  test('recordings are fetched from Twilio only, wherever their address points', async () => {
    const asked: string[] = [];
    const twilio = await useTwilio((req, res) => {
      asked.push(req.url ?? '');
      res.writeHead(404).end();
    });
    const recording = `RE${'a'.repeat(32)}`;
    for (const recordingUrl of [
      `https://evil.example.com/Recordings/${recording}`,
      'https://evil.example.com/x',
    ]) {
      expect(await twilio.openRecording({ ...reference, recordingUrl }, soon())).toBeNull();
    }
    expect(asked).toEqual([`/2010-04-01/Accounts/${accountSid}/Recordings/${recording}.wav`]);
  });
});
