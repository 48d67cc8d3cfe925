import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AriClient } from './ari-client.ts';

/** Configures the URLs of voice runtimes on Asterisk, which connects only to websocket clients by their name. */
export interface RuntimeConnections {
  /** The client's name. Null if Asterisk refuses to configure one: it is too old, or its sorcery.conf does not allow it. */
  nameOf(url: string): Promise<string | null>;
  /** Forgets all names, because Asterisk, which keeps them in memory, may have restarted. */
  forget(): void;
}

/** An evicted URL is configured again when it is next used. */
const knownAtMost = 10_000;

export function createRuntimeConnections(ari: AriClient): RuntimeConnections {
  const known = new LRUCache<string, Promise<string | null>>({ max: knownAtMost });

  async function configure(url: string): Promise<string | null> {
    // Derived from the URL, so that every process uses the same name.
    const name = `outdial-${createHash('sha256').update(url).digest('hex').slice(0, 20)}`;
    const fields = {
      type: 'websocket_client',
      connection_type: 'per_call_config',
      uri: url,
      protocols: 'media',
      tls_enabled: url.startsWith('wss:') ? 'yes' : 'no',
      connection_timeout: '3000',
      reconnect_attempts: '1',
    };
    const answer = await ari.ask({
      method: 'PUT',
      path: `/asterisk/config/dynamic/res_websocket_client/websocket_client/${name}`,
      body: { fields: Object.entries(fields).map(([attribute, value]) => ({ attribute, value })) },
    });
    if (answer.kind === 'done') return name;
    known.delete(url);
    return null;
  }

  return {
    nameOf(url) {
      const before = known.get(url);
      if (before) return before;
      const name = configure(url);
      known.set(url, name);
      return name;
    },
    forget: () => known.clear(),
  };
}
