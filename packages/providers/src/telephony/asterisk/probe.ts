import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AriClient } from './ari-client.ts';
import { readVariable } from './variables.ts';

/** Checks before a call whether the dialplan has the extension that the call is sent to. */
export interface DialplanProbe {
  /** Null if Asterisk gave no answer. */
  exists(place: { context: string; extension: string }, application: string): Promise<boolean | null>;
}

const goodForMs = 60_000;
const badForMs = 5_000;
const askedAtMost = 1_000;

/** ARI evaluates dialplan functions only on a channel. So the probe creates a local channel, which is never answered, and deletes it afterwards. */
export function createDialplanProbe(ari: AriClient): DialplanProbe {
  const asked = new LRUCache<string, Promise<boolean | null>>({ max: askedAtMost, ttl: goodForMs });

  async function ask(context: string, extension: string, application: string): Promise<boolean | null> {
    const id = `outdial-probe-${randomBytes(6).toString('hex')}`;
    const made = await ari.ask({
      method: 'POST',
      path: '/channels/create',
      query: { endpoint: `Local/${extension}@${context}`, app: application, channelId: id },
    });
    if (made.kind === 'refused') return made.status === 400 || made.status >= 500 ? false : null;
    if (made.kind !== 'done') return null;
    const value = await readVariable(ari, `DIALPLAN_EXISTS(${context},${extension},1)`, id);
    await ari.ask({ method: 'DELETE', path: `/channels/${id}` });
    return value === null ? null : value === '1';
  }

  async function cacheAnswer(key: string, asking: Promise<boolean | null>): Promise<void> {
    const answer = await asking.catch(() => null);
    if (answer === null) asked.delete(key);
    else if (!answer) asked.set(key, asking, { ttl: badForMs });
  }

  return {
    exists({ context, extension }, application) {
      const key = `${extension}@${context}`;
      const before = asked.get(key);
      if (before) return before;
      const asking = ask(context, extension, application);
      asked.set(key, asking);
      void cacheAnswer(key, asking);
      return asking;
    },
  };
}
