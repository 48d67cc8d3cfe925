import { z } from 'zod';
import { StartError } from '../start-error.ts';

const answer = z.object({ data: z.object({ id: z.string() }) });
const refusal = z.object({ detail: z.unknown() });

export interface RestClient {
  /** Sends a request as JSON and returns the id of the created or changed resource. */
  send(method: 'POST' | 'PUT', path: string, body: object): Promise<string>;
}

/** The demo uses only the public REST interface. */
export function restClient(args: { baseUrl: string; apiKey: string; signal: AbortSignal }): RestClient {
  return {
    async send(method, path, body) {
      const response = await fetch(`${args.baseUrl}${path}`, {
        method,
        headers: { 'X-API-Key': args.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: args.signal,
      });
      const json: unknown = await response.json();
      if (response.ok) return answer.parse(json).data.id;
      const { data: refused } = refusal.safeParse(json);
      throw new StartError(
        'demo_refused',
        `The api answered ${response.status} to ${method} ${path}: ${JSON.stringify(refused?.detail ?? null)}`,
      );
    },
  };
}
