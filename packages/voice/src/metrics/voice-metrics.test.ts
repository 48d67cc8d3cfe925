import { createMetrics } from '@outdial/runtime';
import { describe, expect, test } from 'vitest';
import { createModelEndpoints } from '../models/endpoints.ts';
import { RequestRefusedError } from '../models/refusal.ts';
import { runTool, type ToolEnd } from '../tools/run-tool.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import { z } from 'zod';
import { timedFirst, voiceMetrics } from './voice-metrics.ts';

const never = new AbortController().signal;

function counted() {
  const metrics = createMetrics({ service: 'voice' });
  const valuesOf = async (metric: {
    get(): Promise<{ values: Array<{ labels: Record<string, string | number | undefined>; value: number }> }>;
  }) => (await metric.get()).values.map(({ labels, value }) => [...Object.values(labels), value]);
  return { metrics, voice: voiceMetrics(metrics), valuesOf };
}

describe('metrics of conversations', () => {
  test('all tools that agents name share one series', async () => {
    const { metrics, voice, valuesOf } = counted();
    for (let n = 0; n < 100; n += 1) voice.toolCalled(`tool_of_agent_${n}`, 'done');
    for (let n = 0; n < 100; n += 1) voice.toolCalled(`made_up_${n}`, 'unknown');
    voice.toolCalled('opt_out', 'done');
    expect(await valuesOf(metrics.voiceToolCalls)).toEqual([
      ['http_request', 'done', 100],
      ['unknown', 'unknown', 100],
      ['opt_out', 'done', 1],
    ]);
  });

  test('an endpoint is down while its circuit is open, and failures are counted separately from refusals', async () => {
    const { metrics, voice, valuesOf } = counted();
    const clock = { ms: 0 };
    const names = ['stt', 'tts'];
    const endpoints = createModelEndpoints({
      endpoints: new Map(names.map((name) => [name, { name, url: 'http://x', key: null, model: null }])),
      nowMs: () => clock.ms,
      onFailure: (endpoint, isRefusal) => voice.endpointFailed(endpoint, isRefusal),
    });
    const ask = (endpoint: string, error: Error) =>
      endpoints.ask({ endpoint, fallbacks: [] }, never, () => Promise.reject(error)).catch(() => undefined);
    const state = () => {
      voice.state({ activeCalls: 3, capacity: 50, endpoints: names, down: endpoints.down() });
      return valuesOf(metrics.voiceEndpointDown);
    };
    for (let n = 0; n < 3; n += 1) await ask('stt', new Error('away'));
    const refused = new RequestRefusedError('/audio/speech was answered with 404');
    for (let n = 0; n < 3; n += 1) await ask('tts', refused);
    endpoints.noteFailure({ endpoint: 'tts', reason: 'status_500', silentMs: null });
    expect(await state()).toEqual([
      ['stt', 1],
      ['tts', 0],
    ]);
    expect(await valuesOf(metrics.voiceEndpointFailures)).toEqual([
      ['stt', 'failed', 3],
      ['tts', 'refused', 3],
      ['tts', 'failed', 1],
    ]);
    clock.ms += 2_000;
    expect(await state()).toEqual([
      ['stt', 0],
      ['tts', 0],
    ]);
    expect(await valuesOf(metrics.voiceCalls)).toEqual([[3]]);
    expect(await valuesOf(metrics.voiceCapacity)).toEqual([[50]]);
  });

  test('the time to the first audio is measured once, and no audio is lost', async () => {
    let now = 0;
    const waits: number[] = [];
    async function* sound() {
      now += 120;
      yield await Promise.resolve('a');
      now += 400;
      yield await Promise.resolve('b');
    }
    const parts = await Array.fromAsync(
      timedFirst(
        sound(),
        () => now,
        (ms) => waits.push(ms),
      ),
    );
    expect(parts).toEqual(['a', 'b']);
    expect(waits).toEqual([120]);
  });
});

describe('how a tool ended', () => {
  async function endOf(run: Tool['run'], options: { isSpokenOver?: boolean; name?: string } = {}) {
    const ends: ToolEnd[] = [];
    const tool = {
      ...defineTool({ name: 'ask', description: '', input: z.object({}), run: () => run('', never) }),
    };
    const person = new AbortController();
    if (options.isSpokenOver === true) person.abort();
    await runTool(
      new Map([['ask', tool]]),
      { id: '1', name: options.name ?? 'ask', arguments: '{}' },
      { signal: person.signal, onFault: () => undefined, onToolEnd: (_, end) => ends.push(end) },
    );
    return ends;
  }

  test('is counted once, however it ends', async () => {
    expect(await endOf(() => Promise.resolve({ text: 'yes' }))).toEqual(['done']);
    const refusal = { text: 'no', note: { type: 'tool_failed', reason: 'status_500' } };
    expect(await endOf(() => Promise.resolve(refusal))).toEqual(['failed']);
    expect(await endOf(() => Promise.reject(new Error('broken')))).toEqual(['failed']);
    expect(await endOf(() => Promise.resolve({ text: '' }), { isSpokenOver: true })).toEqual(['interrupted']);
    expect(await endOf(() => Promise.resolve({ text: '' }), { name: 'invented' })).toEqual(['unknown']);
  });
});
