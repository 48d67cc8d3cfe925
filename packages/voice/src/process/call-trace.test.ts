import { context, propagation, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createCallTokens } from '@outdial/runtime';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { called, chunk, isAfterTool, talkWith } from '../conversation/server-habits.fixture.ts';
import { createCallTrace } from './call-trace.ts';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
afterAll(async () => {
  await provider.shutdown();
  trace.disable();
  context.disable();
  propagation.disable();
});
beforeEach(() => exporter.reset());

const callId = '00000000-0000-4000-8000-000000000001';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const never = new AbortController().signal;

/** Every span as its path from the conversation, in the order in which they ended. */
function tree(): string[] {
  const spans = exporter.getFinishedSpans();
  const pathOf = (id: string | undefined): string => {
    const span = spans.find((one) => one.spanContext().spanId === id);
    return span === undefined ? '' : `${pathOf(span.parentSpanContext?.spanId)}/${span.name}`;
  };
  return spans.map((span) => pathOf(span.spanContext().spanId));
}

async function talk() {
  const usage = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } };
  const { conversation } = await talkWith((body) =>
    isAfterTool(body)
      ? [chunk({ content: 'A secret answer.' }, 'stop'), usage]
      : [chunk({ tool_calls: [called('note', '{"text":"A secret note."}')] }, 'tool_calls'), usage],
  );
  const spans = createCallTrace({
    callId,
    agentId: callId,
    recognizer: 'stt',
    voice: 'tts',
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
  });
  return { spans, conversation: spans.of(conversation) };
}

async function* sound() {
  yield new Int16Array(160);
}
const endOfTurn = {
  role: 'agent',
  text: 'A secret answer.',
  startedAt: 0,
  endedAt: 1,
  interrupted: false,
} as const;

test('a conversation is a tree of turns in the trace of its call, without a word of it', async () => {
  const { spans, conversation } = await talk();
  await Array.fromAsync(spans.speaks(sound));
  spans.turn(endOfTurn);
  expect(await spans.recognizes(() => Promise.resolve('A secret question.'))).toBe('A secret question.');
  const steps = await Array.fromAsync(conversation.reply('A secret question.', never));
  expect(steps.map(({ kind }) => kind)).toEqual(['working', 'say']);
  await Array.fromAsync(spans.speaks(sound));
  spans.turn({ ...endOfTurn, interrupted: true });
  spans.end('agent_done');

  const turn = '/invoke_agent/turn';
  expect(tree()).toEqual([
    `${turn}/speak`,
    turn,
    `${turn}/transcribe`,
    `${turn}/chat m`,
    `${turn}/execute_tool note`,
    `${turn}/chat m`,
    `${turn}/speak`,
    turn,
    '/invoke_agent',
  ]);
  const all = exporter.getFinishedSpans();
  expect(new Set(all.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
  expect(all.at(-1)?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(all.find(({ name }) => name === 'chat m')?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'm',
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 3,
  });
  expect(all.at(-1)?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': callId,
    'outdial.end_reason': 'agent_done',
  });
  // The tool answers "Noted."
  expect(
    JSON.stringify(all.map(({ name, attributes, events, status }) => [name, attributes, events, status])),
  ).not.toMatch(/secret|Noted/);
});

test('the token of a call names the trace in which the call is placed', async () => {
  const tokens = createCallTokens('a-secret-of-this-test-of-32-characters');
  const scope = { organizationId: callId, callId };
  const times = { now: new Date(), lifetimeSeconds: 60 };
  const traced = await provider.getTracer('test').startActiveSpan('place call', async (span) => {
    const token = await tokens.mint(scope, times);
    span.end();
    return { token, span };
  });
  const { traceId: id, spanId } = traced.span.spanContext();
  expect(await tokens.verify(traced.token, times.now)).toEqual({
    ...scope,
    traceparent: `00-${id}-${spanId}-01`,
  });
  // Twilio takes parameters of 500 characters with their name.
  expect(traced.token.length).toBeLessThan(480);
  expect(await tokens.verify(await tokens.mint(scope, times), times.now)).toEqual(scope);
});

test('a reply that was begun early is in the same turn, and a failure has its kind but not its text', async () => {
  const { spans, conversation } = await talk();
  const reply = conversation.prepare?.('A secret question.');
  await Array.fromAsync(reply?.steps(never) ?? []);
  await expect(spans.recognizes(() => Promise.reject(new TypeError('A secret fault.')))).rejects.toThrow(
    'fault',
  );
  spans.end('left');
  const paths = tree();
  expect(paths.filter((path) => path === '/invoke_agent/turn/chat m')).toHaveLength(2);
  expect(paths).toContain('/invoke_agent/turn/execute_tool note');
  const failed = exporter.getFinishedSpans().find(({ name }) => name === 'transcribe');
  expect(failed?.attributes['error.type']).toBe('TypeError');
  expect(JSON.stringify([failed?.attributes, failed?.events, failed?.status])).not.toContain('secret');
});
