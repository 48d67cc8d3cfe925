import type { Recording } from '@outdial/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callReference, providerOf } from '../../support/provider.ts';
import { secret, startScriptedGateway, type Script } from './scripted-gateway.ts';

const { callId } = callReference();
const audio = Buffer.from('0123456789abcdef');

const servesRanges: Script = ({ headers }) => {
  const range = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '');
  const type = { 'content-type': 'audio/mpeg' };
  if (!range) return { status: 200, headers: type, body: audio };
  const contentRange = `bytes ${range[1]}-${range[2]}/${audio.length}`;
  const body = audio.subarray(Number(range[1]), Number(range[2]) + 1);
  return { status: 206, headers: { ...type, 'content-range': contentRange }, body };
};
const knowsNoRanges: Script = () => ({
  status: 200,
  headers: { 'content-type': 'audio/mpeg', 'content-length': String(audio.length) },
  body: audio,
});

/** A gateway and the host of its audio, which may differ. */
async function setup(script: Script, settings: Record<string, unknown> = {}) {
  const host = await startScriptedGateway(script);
  onTestFinished(() => host.close());
  const providerAt = (url: string) => providerOf('gateway', { gateway: { url, secret } }, settings);
  const soon = AbortSignal.timeout(20_000);
  const open = (recordingUrl: string | null, gatewayUrl = host.url) =>
    providerAt(gatewayUrl).openRecording(callReference({ callId, recordingUrl }), soon);
  const remove = () => {
    const call = callReference({ callId, recordingUrl: `${host.url}/recording` });
    return providerAt(host.url).deleteRecording?.(call, soon);
  };
  return { host, open, remove };
}

async function bytes(recording: Recording | null, range?: { start: number; end: number }): Promise<string> {
  if (recording === null) throw new Error('no recording');
  const chunks: Uint8Array[] = [];
  for await (const chunk of recording.read(range)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a recording', () => {
  test.each([
    ['serves ranges', servesRanges],
    ['knows no ranges', knowsNoRanges],
  ])('is read whole and in parts from a host that %s', async (_name, script) => {
    const { host, open } = await setup(script);
    const recording = await open(`${host.url}/r.mp3`);
    expect(recording).toMatchObject({ contentType: 'audio/mpeg', size: audio.length });
    expect(await bytes(recording)).toBe('0123456789abcdef');
    expect(await bytes(recording, { start: 4, end: 7 })).toBe('4567');
    expect(await bytes(recording, { start: 15, end: 15 })).toBe('f');
    expect(host.seen.every((one) => one.signed === true)).toBe(true);
  });

  test('is none if the call or its host has none', async () => {
    const { host, open } = await setup(() => ({ status: 404 }));
    expect(await open(null)).toBeNull();
    expect(await open(`${host.url}/gone`)).toBeNull();
  });

  test('is fetched from a host that is named, without a signature of ours', async () => {
    const { host: other, open } = await setup(servesRanges, { recording_hosts: ['localhost'] });
    const port = new URL(other.url).port;
    await expect(open(`http://localhost:${port}/r`, 'http://gateway.test')).rejects.toMatchObject({
      code: 'recording_host_refused',
    });
    const named = await setup(servesRanges, { recording_hosts: [new URL(other.url).host] });
    expect(await bytes(await named.open(`${other.url}/r`, 'http://gateway.test'))).toHaveLength(16);
    expect(other.seen.map((one) => one.signed)).toEqual([null, null]);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'https://evil.test/r.mp3',
    'http://user:password@gateway.test/r.mp3',
    'file:///etc/passwd',
  ])('is not fetched from %s', async (url) => {
    const { host, open } = await setup(servesRanges, { recording_hosts: ['gateway.test'] });
    await expect(open(url)).rejects.toMatchObject({ code: 'recording_host_refused' });
    expect(host.seen).toHaveLength(0);
  });

  test('is not fetched from a private address that only a pattern allows', async () => {
    const { host, open } = await setup(servesRanges, { recording_hosts: ['*.0.0.1'] });
    await expect(open('http://127.0.0.1/r')).rejects.toMatchObject({ code: 'recording_address_refused' });
    await expect(open(`${host.url}/r`)).rejects.toMatchObject({ code: 'recording_host_refused' });
    expect(host.seen).toHaveLength(0);
  });

  test.each([302, 401, 500])('is unavailable if its host answers %i', async (status) => {
    const { host, open } = await setup(() => ({ status, headers: { location: 'http://127.0.0.1:1/' } }));
    await expect(open(`${host.url}/r`)).rejects.toMatchObject({ code: 'recording_unavailable' });
    expect(host.seen).toHaveLength(1);
  });
});

describe('deleting a recording', () => {
  test.each([
    [204, 'deleted'],
    [410, 'deleted'],
    [404, 'refused'],
    [501, 'refused'],
    [503, 'unreachable'],
    [429, 'unreachable'],
  ])('%i means %s', async (status, kind) => {
    const { host, remove } = await setup(() => ({ status }));
    expect(await remove()).toMatchObject({ kind });
    const [asked] = host.seen;
    expect(asked).toMatchObject({ method: 'DELETE', path: `/calls/${callId}/recording`, signed: true });
    expect(asked?.headers['webhook-id']).toMatch(new RegExp(`^delete-recording_${callId}_`));
  });
});
