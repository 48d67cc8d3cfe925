import { type Dispatcher, request } from 'undici';

interface Warmed {
  url: string;
  key: string | null;
}

const warmedAtOnce = 8;
const warmWithinMs = 3_000;
/** The answer is a list of models. If it is longer than this, the connection is closed. */
const bytesAtMost = 1_048_576;

/** Opens connections to the servers that a call is about to need, a few at a time per server. Ignores the results. */
export function createWarmUp(connections: Dispatcher): (endpoints: readonly Warmed[]) => void {
  const warming = new Map<string, number>();

  async function warm(endpoint: Warmed): Promise<void> {
    const { origin } = new URL(endpoint.url);
    const before = warming.get(origin) ?? 0;
    if (before >= warmedAtOnce) return;
    warming.set(origin, before + 1);
    try {
      // Not HEAD: undici closes the connection after it.
      const { body } = await request(`${endpoint.url}/models`, {
        dispatcher: connections,
        signal: AbortSignal.timeout(warmWithinMs),
        headers: { ...(endpoint.key !== null && { authorization: `Bearer ${endpoint.key}` }) },
      });
      await body.dump({ limit: bytesAtMost });
    } catch {
      // The call's own request will report it.
    } finally {
      const left = (warming.get(origin) ?? 1) - 1;
      if (left === 0) warming.delete(origin);
      else warming.set(origin, left);
    }
  }

  return (endpoints) => {
    const origins = new Map(endpoints.map((endpoint) => [new URL(endpoint.url).origin, endpoint]));
    for (const endpoint of endpoints) {
      // Several endpoints may be on one server, which needs one request.
      if (origins.get(new URL(endpoint.url).origin) === endpoint) void warm(endpoint);
    }
  };
}
