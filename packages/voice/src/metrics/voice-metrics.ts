import type { Metrics } from '@outdial/runtime';
import type { ToolEnd } from '../tools/run-tool.ts';

/** The waits of a person. `reply`: the whole wait after their turn. `first_word`: the wait from the answer of the call. */
export type WaitStage = (typeof stages)[number];
const stages = ['recognizer', 'model', 'speech', 'reply', 'first_word'] as const;

/**
 * Why a media connection was refused. `no_call`: it names no current call. `agent`: `config.voice` is invalid. `mode`: the provider carries audio and the
 * agent's mode needs text, or the other way round. `gone`: it closed before the call began. `error`: a fault of this service.
 */
export type RefusalReason = (typeof refusals)[number];
const refusals = ['no_call', 'agent', 'mode', 'gone', 'error'] as const;

/** The metrics of a voice process. No label is chosen by a tenant. */
export interface VoiceMetrics {
  took(stage: WaitStage, ms: number): void;
  turn(turn: { role: 'agent' | 'person'; interrupted: boolean }): void;
  toolCalled(tool: string, end: ToolEnd): void;
  endpointFailed(endpoint: string, isRefusal: boolean): void;
  refused(reason: RefusalReason): void;
  /** Sets the gauges. `down`: the endpoints whose circuit is open. */
  state(now: {
    activeCalls: number;
    capacity: number;
    endpoints: Iterable<string>;
    down: readonly string[];
  }): void;
}

/** Agents name all other tools themselves; they are counted as `http_request`. */
const builtIn: readonly string[] = ['knowledge_base', 'end_call', 'opt_out', 'transfer_call', 'send_dtmf'];

export function voiceMetrics(metrics: Metrics): VoiceMetrics {
  // A series that starts at its first event shows no increase, so alerts would miss that event.
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

/** Reports how long the first part took. */
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
