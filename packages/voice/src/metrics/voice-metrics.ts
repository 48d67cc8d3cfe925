import type { Metrics } from '@outdial/runtime';
import type { ToolEnd } from '../tools/run-tool.ts';

/** What a person waits for. `reply` is all of it, from the end of their turn; `first_word` from the answer of the call. */
export type WaitStage = (typeof stages)[number];
const stages = ['recognizer', 'model', 'speech', 'reply', 'first_word'] as const;

/**
 * Why a media connection carries no call. `no_call`: it names no call that goes on. `agent`: `config.voice` is not right here. `mode`: the provider
 * carries sound and the agent wants words, or the other way round. `gone`: it closed before the call began. `error`: a fault of this service.
 */
export type RefusalReason = (typeof refusals)[number];
const refusals = ['no_call', 'agent', 'mode', 'gone', 'error'] as const;

/** What a voice process counts and times. No label is a tenant's word. */
export interface VoiceMetrics {
  took(stage: WaitStage, ms: number): void;
  turn(turn: { role: 'agent' | 'person'; interrupted: boolean }): void;
  toolCalled(tool: string, end: ToolEnd): void;
  endpointFailed(endpoint: string, isRefusal: boolean): void;
  refused(reason: RefusalReason): void;
  /** As it is now; told again and again. `down`: of all endpoints, those whose circuit is open. */
  state(now: {
    activeCalls: number;
    capacity: number;
    endpoints: Iterable<string>;
    down: readonly string[];
  }): void;
}

/** The names of the built-in tools. The others are named by agents, and ask a service over HTTP. */
const builtIn: readonly string[] = ['knowledge_base', 'end_call', 'opt_out', 'transfer_call', 'send_dtmf'];

export function voiceMetrics(metrics: Metrics): VoiceMetrics {
  // A series that begins with its first event shows no increase, and an alert on it would miss that event.
  for (const stage of stages) metrics.voiceLatency.zero({ stage });
  for (const reason of refusals) metrics.voiceCallsRefused.inc({ reason }, 0);
  return {
    took: (stage, ms) => metrics.voiceLatency.observe({ stage }, ms / 1_000),
    turn({ role, interrupted }) {
      metrics.voiceTurns.inc({ role });
      if (interrupted) metrics.voiceInterruptions.inc();
    },
    toolCalled(tool, result) {
      const name = builtIn.includes(tool) ? tool : result === 'unknown' ? 'unknown' : 'http_request';
      metrics.voiceToolCalls.inc({ tool: name, result });
    },
    endpointFailed: (endpoint, isRefusal) =>
      metrics.voiceEndpointFailures.inc({ endpoint, reason: isRefusal ? 'refused' : 'failed' }),
    refused: (reason) => metrics.voiceCallsRefused.inc({ reason }),
    state({ activeCalls, capacity, endpoints, down }) {
      metrics.voiceCalls.set(activeCalls);
      metrics.voiceCapacity.set(capacity);
      for (const endpoint of endpoints) {
        metrics.voiceEndpointDown.set({ endpoint }, down.includes(endpoint) ? 1 : 0);
      }
    },
  };
}

/** Tells how long the first part took to come. */
export async function* timedFirst<T>(
  parts: AsyncIterable<T>,
  nowMs: () => number,
  took: (ms: number) => void,
): AsyncGenerator<T, void, void> {
  const began = nowMs();
  let isFirst = true;
  for await (const part of parts) {
    if (isFirst) took(nowMs() - began);
    isFirst = false;
    yield part;
  }
}
