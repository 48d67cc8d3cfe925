import { describe, expect, onTestFinished, test } from 'vitest';
import { callReference, callRequest, providerOf } from '../../support/provider.ts';
import { json, secret, startScriptedGateway, type Reply } from './scripted-gateway.ts';

const request = callRequest({
  systemPrompt: 'Hello Ada — ¡hola!',
  promptParams: { name: 'Ada' },
  meta: { order: 7 },
  agent: { name: 'Caller', config: { voice: 'calm' }, skills: [] },
});
const { callId } = request;
const reference = callReference({ callId });

async function setup(reply: Reply) {
  const gateway = await startScriptedGateway(() => reply);
  onTestFinished(() => gateway.close());
  return { gateway, provider: providerAt(gateway.url) };
}

const providerAt = (url: string) =>
  providerOf('gateway', { gateway: { url, secret }, publicUrl: 'https://outdial.test' });

const soon = () => AbortSignal.timeout(20_000);

describe('placing a call', () => {
  test('says everything about it, with its id as the key, and signed', async () => {
    const { gateway, provider } = await setup(json(201, { conversation_id: 'c1' }));
    expect(await provider.place(request, soon())).toEqual({ kind: 'accepted', conversationId: 'c1' });
    const [seen] = gateway.seen;
    expect(seen).toMatchObject({ method: 'POST', path: '/calls', signed: true });
    expect(seen?.headers).toMatchObject({ 'idempotency-key': callId, 'webhook-id': callId });
    expect(JSON.parse(seen?.body ?? '')).toMatchObject({
      call_id: callId,
      attempt: 1,
      to_phone: '+15557000100',
      system_prompt: 'Hello Ada — ¡hola!',
      prompt_params: { name: 'Ada' },
      meta: { order: 7 },
      agent: { name: 'Caller', config: { voice: 'calm' }, skills: [] },
      events_url: 'https://outdial.test/provider-events/gateway',
    });
  });

  // The matcher is not typed.
  const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);
  const huge = 'x'.repeat(2 * 1024 * 1024);
  test.each<[string, Reply, unknown]>([
    ['202 without a body', { status: 202, body: '' }, { kind: 'accepted', conversationId: null }],
    [
      '200 with a body that is not JSON',
      { status: 200, body: '<html>' },
      { kind: 'ambiguous', reason: 'http_200', fault: { code: 'http_200', remedy: text(/sign-in/) } },
    ],
    ...['[]', '"ok"', 'null', '{"conversation_id": 7}'].map((body): [string, Reply, unknown] => [
      `200 with ${body}, which is no acceptance`,
      { status: 200, body },
      { kind: 'ambiguous', reason: 'http_200', fault: { code: 'http_200', remedy: text(/./) } },
    ]),
    [
      '201 with an endless body',
      { status: 201, body: huge },
      { kind: 'ambiguous', reason: 'http_201 with a body that cannot be read' },
    ],
    [
      '409 with a page',
      { status: 409, body: '<html>' },
      { kind: 'ambiguous', reason: 'http_409', fault: { code: 'http_409', remedy: text(/url/) } },
    ],
    [
      '409, for it has the call already',
      json(409, { conversation_id: 'c2' }),
      { kind: 'accepted', conversationId: 'c2' },
    ],
    [
      '429 with seconds',
      json(429, {}, { 'retry-after': '7' }),
      { kind: 'defer', retryAfterMs: 7_000, reason: 'http_429' },
    ],
    ['429 without Retry-After', json(429, {}), { kind: 'defer', retryAfterMs: 5_000, reason: 'http_429' }],
    [
      '503 with nonsense',
      json(503, {}, { 'retry-after': 'later' }),
      { kind: 'defer', retryAfterMs: 5_000, reason: 'http_503' },
    ],
    ['503 without Retry-After', json(503, {}), { kind: 'ambiguous', reason: 'http_503' }],
    ...[400, 418, 423, 499].map((status): [string, Reply, unknown] => [
      `${status}, which may concern anything`,
      json(status, {}),
      { kind: 'refused', outcome: 'failed', externalStatus: `http_${status}`, isUnknownCode: true },
    ]),
    ...[410, 422, 451].map((status): [string, Reply, unknown] => [
      `${status}, which concerns the number`,
      json(status, {}),
      { kind: 'refused', outcome: 'failed', externalStatus: `http_${status}` },
    ]),
    ...[401, 402, 403, 404, 405, 406, 407, 408, 411, 413, 414, 415, 421, 426, 431, 501, 505, 511].map(
      (status): [string, Reply, unknown] => [
        `${status}, which concerns every call`,
        json(status, {}),
        { kind: 'misconfigured', of: 'provider', code: `http_${status}`, remedy: text(/./) },
      ],
    ),
    ...[500, 502, 504].map((status): [string, Reply, unknown] => [
      `${status}, after which the person may have been called`,
      json(status, {}),
      { kind: 'ambiguous', reason: `http_${status}` },
    ]),
    [
      'a redirect, which is not followed',
      json(307, {}, { location: '/calls' }),
      { kind: 'ambiguous', reason: 'http_307', fault: { code: 'http_307', remedy: text(/redirects/) } },
    ],
    ['a connection that breaks', 'break', { kind: 'ambiguous', reason: 'ECONNRESET' }],
  ])('interprets %s correctly', async (_name, reply, expected) => {
    const { gateway, provider } = await setup(reply);
    expect(await provider.place(request, soon())).toEqual(expected);
    expect(gateway.seen).toHaveLength(1);
  });

  test('treats a request without an answer as ambiguous', async () => {
    const giveUp = new AbortController();
    const gateway = await startScriptedGateway(() => {
      giveUp.abort(new DOMException('The time is over', 'TimeoutError'));
      return 'silence';
    });
    onTestFinished(() => gateway.close());
    expect(await providerAt(gateway.url).place(request, giveUp.signal)).toMatchObject({ kind: 'ambiguous' });
  });

  test('treats a failed connection as not sent', async () => {
    const { gateway, provider } = await setup(json(201, {}));
    await gateway.stopListening();
    expect(await provider.place(request, soon())).toEqual({ kind: 'unreachable', reason: 'ECONNREFUSED' });
    const nowhere = providerAt('http://no-such-host.invalid');
    expect(await nowhere.place(request, soon())).toMatchObject({ kind: 'unreachable' });
    const noTls = providerAt(gateway.url.replace('http:', 'https:'));
    await gateway.listenAgain();
    expect(await noTls.place(request, soon())).toMatchObject({ kind: 'unreachable' });
    expect(gateway.seen).toHaveLength(0);
  });

  test('does not resend on a kept-alive connection that breaks', async () => {
    const gateway = await startScriptedGateway((_request, seen) =>
      seen.length === 1 ? json(201, {}) : 'break',
    );
    onTestFinished(() => gateway.close());
    const provider = providerAt(gateway.url);
    expect(await provider.place(request, soon())).toMatchObject({ kind: 'accepted' });
    expect(await provider.place(request, soon())).toMatchObject({ kind: 'ambiguous' });
    expect(gateway.seen).toHaveLength(2);
  });
});

describe('looking a call up', () => {
  const lookUp = async (reply: Reply) => {
    const { gateway, provider } = await setup(reply);
    const result = await provider.lookUp(reference, soon());
    expect(gateway.seen[0]).toMatchObject({
      method: 'GET',
      path: `/calls/${callId}`,
      body: '',
      signed: true,
    });
    expect(gateway.seen[0]?.headers['webhook-id']).toMatch(new RegExp(`^look-up_${callId}_`));
    return result;
  };

  test.each(['accepted', 'ringing', 'answered'])('finds it %s', async (state) => {
    const result = await lookUp(json(200, { state, data: {}, conversation_id: 'c1' }));
    const fact = { kind: state, eventId: null, at: reference.now };
    const progress = state === 'accepted' ? [] : [fact];
    expect(result).toEqual({ kind: 'found', conversationId: 'c1', progress, nextChangeAt: null });
  });

  test('finds it ended, with every detail, in texts that can be stored', async () => {
    const data = {
      outcome: 'completed',
      duration: 12.4,
      cost: 0.25,
      transcript: 'a\u0000b',
      recording_url: 'https://audio.test/1',
      call_extract: { 'k\u0000': ['\ud800'] },
      external_status: 'done',
    };
    const result = await lookUp(json(200, { state: 'ended', data, occurred_at: '2026-01-02T03:04:05Z' }));
    expect(result).toMatchObject({
      progress: [
        {
          kind: 'ended',
          at: new Date('2026-01-02T03:04:05Z'),
          outcome: 'completed',
          details: {
            durationSeconds: 12,
            cost: 0.25,
            transcript: 'a\uFFFDb',
            recordingUrl: 'https://audio.test/1',
            callExtract: { 'k\uFFFD': ['\uFFFD'] },
            externalStatus: 'done',
          },
        },
      ],
    });
  });

  test.each<[string, Reply, string]>([
    ['404: it was never seen', json(404, {}), 'unknown'],
    ['500', json(500, {}), 'unreachable'],
    ['410, which is not "never seen"', json(410, {}), 'unreachable'],
    ['an unknown outcome', json(200, { state: 'ended', data: { outcome: 'fine' } }), 'unreachable'],
    ['a body that is not JSON', { status: 200, body: 'ok' }, 'unreachable'],
    ['a broken connection', 'break', 'unreachable'],
  ])('interprets %s correctly', async (_name, reply, kind) => {
    expect((await lookUp(reply)).kind).toBe(kind);
  });
});

describe('hanging up', () => {
  test.each<[number, string]>([
    [200, 'confirmed'],
    [204, 'confirmed'],
    [202, 'requested'],
    [404, 'confirmed'],
    [410, 'confirmed'],
    [500, 'unreachable'],
    [409, 'unreachable'],
  ])('takes %i for %s', async (status, kind) => {
    const { gateway, provider } = await setup({ status, ...(status === 204 && { body: '' }) });
    expect(await provider.hangUp(reference, soon())).toMatchObject({ kind });
    expect(gateway.seen[0]).toMatchObject({ method: 'DELETE', path: `/calls/${callId}`, signed: true });
    expect(gateway.seen[0]?.headers['webhook-id']).toMatch(new RegExp(`^hang-up_${callId}_`));
  });

  test('does not take the page of a proxy for a confirmation, nor for a deleted recording', async () => {
    const { provider } = await setup({ status: 200, body: '<html>' });
    expect(await provider.hangUp(reference, soon())).toMatchObject({ kind: 'unreachable' });
    expect(await provider.deleteRecording?.(reference, soon())).toMatchObject({ kind: 'unreachable' });
  });
});
