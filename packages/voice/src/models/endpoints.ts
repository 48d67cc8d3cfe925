import type { VoiceEndpoint, VoiceEndpoints } from '@outdial/runtime';
import type { ModelFailedError } from '../language-model/index.ts';
import type { Dispatcher } from 'undici';
import { createWarmUp } from './warm-up.ts';
import { createEndpointCircuit, type EndpointCircuit } from './endpoint-circuit.ts';
import { isRefusal, RequestRefusedError } from './refusal.ts';

/** What agents wait for that name no time of their own: the silence of a server counts from there on. */
const patientMs = 5_000;

/** What an agent's config says of a model: where it is, and what stands in for it. */
export interface ModelChoice {
  endpoint: string;
  fallbacks: readonly string[];
  /** In place of the first endpoint's own. */
  model?: string | undefined;
}

export interface ChosenEndpoint {
  name: string;
  url: string;
  key: string | null;
  model: string | null;
}

/** None of the endpoints that an agent names has answered. */
export class EndpointsFailedError extends Error {
  readonly code = 'endpoints_failed';

  constructor(names: readonly string[], cause: unknown) {
    super(`no endpoint answered: ${names.join(', ')}`, { cause });
    this.name = 'EndpointsFailedError';
  }
}

/** The endpoints of this process, with what it has learned of each. */
export interface ModelEndpoints {
  /**
   * Asks the chosen endpoint, and those that stand in for it after it, until one answers. One whose circuit is open is asked only
   * where no other is left. An abort by `signal` is no failure of an endpoint, and neither is a refusal: all organizations share the
   * circuit, and each can make a server refuse.
   * @param options `begins`: an answer is only the beginning; what becomes of it is noted by `note`
   */
  ask<T>(
    choice: ModelChoice,
    signal: AbortSignal,
    request: (endpoint: ChosenEndpoint) => Promise<T>,
    options?: { begins?: boolean },
  ): Promise<T>;
  /** What was learned of an endpoint elsewhere. */
  note(endpoint: string, answered: boolean): void;
  /** A language model has failed; counts where that is the server's fault. */
  noteFailure(failure: Pick<ModelFailedError, 'endpoint' | 'reason' | 'silentMs'>): void;
  /** Names of those whose circuit is open. */
  down(): string[];
  /** Opens connections to those that will be asked first. */
  warm(choices: readonly ModelChoice[]): void;
  /** Over which they are asked; undefined for those of undici. */
  connections: Dispatcher | undefined;
}

export function createModelEndpoints(args: {
  endpoints: VoiceEndpoints;
  nowMs: () => number;
  /** Kept open between requests. */
  connections?: Dispatcher;
  /** Told of each request that failed, whether or not that counts against the endpoint. */
  onFailure?: (endpoint: string, isRefusal: boolean) => void;
}): ModelEndpoints {
  const { endpoints, nowMs, connections, onFailure = () => undefined } = args;
  const warmUp = connections === undefined ? null : createWarmUp(connections);
  const circuits = new Map<string, EndpointCircuit>();

  function circuitOf(name: string): EndpointCircuit {
    const before = circuits.get(name);
    if (before) return before;
    const made = createEndpointCircuit();
    circuits.set(name, made);
    return made;
  }

  function chosen(choice: ModelChoice): ChosenEndpoint[] {
    const own = [choice.endpoint, ...choice.fallbacks];
    return own.flatMap((name, index) => {
      const endpoint: VoiceEndpoint | undefined = endpoints.get(name);
      if (endpoint === undefined) return [];
      return [
        {
          ...endpoint,
          model: (index === 0 ? choice.model : undefined) ?? endpoint.model ?? choice.model ?? null,
        },
      ];
    });
  }

  return {
    connections,
    warm(choices) {
      // Those at a `ws:` address are opened by their own session.
      const first = choices
        .flatMap((choice) => chosen(choice).slice(0, 1))
        .filter(({ name, url }) => /^https?:/.test(url) && !circuitOf(name).isOpen(nowMs()));
      warmUp?.(first);
    },
    async ask(choice, signal, request, { begins = false } = {}) {
      const all = chosen(choice);
      const open = all.filter(({ name }) => !circuitOf(name).isOpen(nowMs()));
      let last: unknown = new Error('no such endpoint');
      for (const endpoint of open.length > 0 ? open : all.slice(0, 1)) {
        const circuit = circuitOf(endpoint.name);
        try {
          const answer = await request(endpoint);
          if (!begins) circuit.answered();
          return answer;
        } catch (error) {
          if (signal.aborted) throw error;
          if (!(error instanceof RequestRefusedError)) circuit.failed(nowMs());
          onFailure(endpoint.name, error instanceof RequestRefusedError);
          last = error;
        }
      }
      throw new EndpointsFailedError(
        all.map(({ name }) => name),
        last,
      );
    },
    note(endpoint, answered) {
      if (answered) return circuitOf(endpoint).answered();
      circuitOf(endpoint).failed(nowMs());
      onFailure(endpoint, false);
    },
    noteFailure(failure) {
      if (isOfServer(failure)) circuitOf(failure.endpoint).failed(nowMs());
      onFailure(failure.endpoint, !isOfServer(failure));
    },
    down: () => [...circuits].flatMap(([name, circuit]) => (circuit.isOpen(nowMs()) ? [name] : [])),
  };
}

/** What an agent's prompt and settings can bring about says nothing of the server. */
function isOfServer({ reason, silentMs }: Pick<ModelFailedError, 'reason' | 'silentMs'>): boolean {
  if (reason === 'too_long' || reason === 'not_understood') return false;
  if (reason === 'silent_too_long') return silentMs === null || silentMs >= patientMs;
  const status = /^status_(\d+)$/.exec(reason)?.[1];
  return status === undefined || !isRefusal(Number(status));
}
