import type { VoiceEndpoint, VoiceEndpoints } from '@outdial/runtime';
import type { Dispatcher } from 'undici';
import type { ModelFailedError } from './model-failed-error.ts';
import { createEndpointCircuit, type EndpointCircuit } from './endpoint-circuit.ts';
import { isRefusal, RequestRefusedError } from './refusal.ts';
import { createWarmUp } from './warm-up.ts';

/** The default timeout for silence. If an agent sets a shorter timeout, reaching it says nothing about the server. */
const patientMs = 5_000;

/** The endpoint of an agent for one kind of model, with its fallbacks. */
export interface ModelChoice {
  endpoint: string;
  fallbacks: readonly string[];
  /** Overrides the model of the first endpoint. */
  model?: string | undefined;
}

/** The known endpoints of a choice in order, each with the model to ask for. */
export function endpointsOf(
  endpoints: VoiceEndpoints,
  { endpoint: first, fallbacks, model: chosen }: ModelChoice,
): VoiceEndpoint[] {
  return [first, ...fallbacks].flatMap((name, index) => {
    const endpoint = endpoints.get(name);
    if (endpoint === undefined) return [];
    const model = (index === 0 ? chosen : undefined) ?? endpoint.model ?? chosen ?? null;
    return [{ ...endpoint, model }];
  });
}

/** None of an agent's endpoints answered. */
export class EndpointsFailedError extends Error {
  readonly code = 'endpoints_failed';

  constructor(names: readonly string[], cause: unknown) {
    super(`no endpoint answered: ${names.join(', ')}`, { cause });
    this.name = 'EndpointsFailedError';
  }
}

/** The model endpoints of this process, each with a circuit breaker. */
export interface ModelEndpoints {
  /**
   * Asks the endpoints of a choice in order until one answers. Skips endpoints whose circuit is open, unless all are. Neither an abort by `signal`
   * nor a refusal opens a circuit: all organizations share the circuits, and any of them can make a server refuse.
   * @param options `begins`: the answer is only the start of a stream; the caller reports the end with `note`. `takes`: the endpoints to ask
   */
  ask<T>(
    choice: ModelChoice,
    signal: AbortSignal,
    request: (endpoint: VoiceEndpoint) => Promise<T>,
    options?: { begins?: boolean; takes?: (endpoint: VoiceEndpoint) => boolean },
  ): Promise<T>;
  /** The known endpoints of a choice, in order. */
  all(choice: ModelChoice): VoiceEndpoint[];
  note(endpoint: string, answered: boolean): void;
  /** Records a failure of a language model, which opens the circuit only if the server is at fault. */
  noteFailure(failure: Pick<ModelFailedError, 'endpoint' | 'reason' | 'silentMs'>): void;
  /** The names of the endpoints whose circuit is open. */
  down(): string[];
  warm(choices: readonly ModelChoice[]): void;
  /** Undefined: undici's default. */
  connections: Dispatcher | undefined;
}

/** @param args `onFailure` is called for each failed request, including refusals */
export function createModelEndpoints(args: {
  endpoints: VoiceEndpoints;
  nowMs: () => number;
  connections?: Dispatcher;
  onFailure?: (endpoint: string, isRefusal: boolean) => void;
}): ModelEndpoints {
  const { endpoints, nowMs, connections, onFailure = () => undefined } = args;
  const warmUp = connections === undefined ? null : createWarmUp(connections);
  const circuits = new Map<string, EndpointCircuit>();

  function circuitOf(name: string): EndpointCircuit {
    const known = circuits.get(name);
    if (known) return known;
    const circuit = createEndpointCircuit();
    circuits.set(name, circuit);
    return circuit;
  }

  return {
    connections,
    warm(choices) {
      // Realtime sessions open their own connections to `ws:` addresses.
      const first = choices
        .flatMap((choice) => endpointsOf(endpoints, choice).slice(0, 1))
        .filter(({ name, url }) => /^https?:/.test(url) && !circuitOf(name).isOpen(nowMs()));
      warmUp?.(first);
    },
    async ask(choice, signal, request, { begins = false, takes = () => true } = {}) {
      const all = endpointsOf(endpoints, choice).filter(takes);
      const working = all.filter(({ name }) => !circuitOf(name).isOpen(nowMs()));
      let lastError: unknown = new Error('no such endpoint');
      for (const endpoint of working.length > 0 ? working : all.slice(0, 1)) {
        const circuit = circuitOf(endpoint.name);
        try {
          const answer = await request(endpoint);
          if (!begins) circuit.answered();
          return answer;
        } catch (error) {
          if (signal.aborted) throw error;
          if (!(error instanceof RequestRefusedError)) circuit.failed(nowMs());
          onFailure(endpoint.name, error instanceof RequestRefusedError);
          lastError = error;
        }
      }
      const names = all.map(({ name }) => name);
      throw new EndpointsFailedError(names, lastError);
    },
    all: (choice) => endpointsOf(endpoints, choice),
    note(endpoint, answered) {
      if (answered) return circuitOf(endpoint).answered();
      circuitOf(endpoint).failed(nowMs());
      onFailure(endpoint, false);
    },
    noteFailure(failure) {
      const isServerFault = blamesServer(failure);
      if (isServerFault) circuitOf(failure.endpoint).failed(nowMs());
      onFailure(failure.endpoint, !isServerFault);
    },
    down: () => [...circuits].flatMap(([name, circuit]) => (circuit.isOpen(nowMs()) ? [name] : [])),
  };
}

/** False for failures that an agent's prompt or settings can cause. */
function blamesServer({ reason, silentMs }: Pick<ModelFailedError, 'reason' | 'silentMs'>): boolean {
  if (reason === 'too_long' || reason === 'not_understood') return false;
  if (reason === 'silent_too_long') return silentMs === null || silentMs >= patientMs;
  const status = /^status_(\d+)$/.exec(reason)?.[1];
  return status === undefined || !isRefusal(Number(status));
}
