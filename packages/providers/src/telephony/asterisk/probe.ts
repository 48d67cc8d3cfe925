import { randomBytes } from 'node:crypto';
import type { AriClient } from './ari-client.ts';
import { variable } from './ari-events.ts';

/** Whether the dialplan has what calls are sent to. Asked before anybody is called, since afterwards it is too late. */
export interface DialplanProbe {
  /** `null` where it could not be found out. */
  exists(place: { context: string; extension: string }, application: string): Promise<boolean | null>;
}

const goodForMs = 60_000;
const badForMs = 5_000;

/**
 * ARI reads functions of the dialplan on a channel only, so a local one is made for the question that nobody ever answers, and
 * taken away again.
 */
export function createDialplanProbe(ari: AriClient): DialplanProbe {
  const asked = new Map<string, { untilMs: number; answer: Promise<boolean | null> }>();

  async function ask(context: string, extension: string, application: string): Promise<boolean | null> {
    const id = `outdial-probe-${randomBytes(6).toString('hex')}`;
    const made = await ari.ask({
      method: 'POST',
      path: '/channels/create',
      query: { endpoint: `Local/${extension}@${context}`, app: application, channelId: id },
    });
    if (made.kind === 'refused') return made.status === 400 || made.status >= 500 ? false : null;
    if (made.kind !== 'done') return null;
    const answer = await ari.ask({
      method: 'GET',
      path: `/channels/${id}/variable`,
      query: { variable: `DIALPLAN_EXISTS(${context},${extension},1)` },
    });
    await ari.ask({ method: 'DELETE', path: `/channels/${id}` });
    if (answer.kind !== 'done') return null;
    const read = variable.safeParse(answer.body);
    return read.success ? read.data.value === '1' : null;
  }

  return {
    exists({ context, extension }, application) {
      const key = `${extension}@${context}`;
      const before = asked.get(key);
      if (before && before.untilMs > performance.now()) return before.answer;
      const entry = { untilMs: performance.now() + goodForMs, answer: askAndKeep() };
      asked.set(key, entry);
      return entry.answer;

      async function askAndKeep(): Promise<boolean | null> {
        const answer = await ask(context, extension, application);
        if (answer !== true) entry.untilMs = performance.now() + (answer === null ? 0 : badForMs);
        return answer;
      }
    },
  };
}
