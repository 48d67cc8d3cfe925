import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AriClient } from './ari-client.ts';

/** Makes urls of voice runtimes known to Asterisk, which connects only to what it has a name for. */
export interface RuntimeConnections {
  /** The name; null if this Asterisk takes none: it is too old, or its sorcery.conf does not allow it. */
  nameOf(url: string): Promise<string | null>;
  /** Asterisk has forgotten them, since it keeps them in memory. */
  forget(): void;
}

/** Urls of voice runtimes; an evicted one that comes again is sent to Asterisk again. */
const knownAtMost = 10_000;

export function createRuntimeConnections(ari: AriClient): RuntimeConnections {
  const known = new LRUCache<string, Promise<string | null>>({ max: knownAtMost });

  async function makeKnown(url: string): Promise<string | null> {
    // Made of the url, so that every process makes the same.
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
      const name = makeKnown(url);
      known.set(url, name);
      return name;
    },
    forget: () => known.clear(),
  };
}
