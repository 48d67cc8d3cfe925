import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AriClient } from './ari-client.ts';
import { readVariable } from './variables.ts';

/** Whether the dialplan has the extension that calls are sent to. Asked before a call, since afterwards it is too late. */
export interface DialplanProbe {
  /** `null` where it could not be found out. */
  exists(place: { context: string; extension: string }, application: string): Promise<boolean | null>;
}

const goodForMs = 60_000;
const badForMs = 5_000;
const askedAtMost = 1_000;

/**
 * ARI reads functions of the dialplan on a channel only, so a local one is made for the question, which is never answered, and
 * taken away again.
 */
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

  async function keepAccordingly(key: string, asking: Promise<boolean | null>): Promise<void> {
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
      void keepAccordingly(key, asking);
      return asking;
    },
  };
}
