import type { Attack } from '../attack.ts';
import { idOf, openTenant, someNumber, type Tenant } from '../tenant.ts';

const people = 40_000;
const peopleOfOther = 10_000;
/** The fifth of an organization is refused. */
const atOnce = 4;
/** The attacker had an export in its turn when the other began, and perhaps one when it ended. Without turns, four times. */
const timesAtMost = 2;
const readWithinMs = 120_000;

export const largeExports: Attack = {
  name: 'large-exports',
  does: 'a member exports 40,000 people again and again, four times at once',
  perSecond: 10,
  async begin({ api, db }) {
    const [attacker, other] = [await openTenant(db, api.url), await openTenant(db, api.url)];
    const url = api.url + (await exportOf(attacker, people));
    const otherUrl = api.url + (await exportOf(other, peopleOfOther));
    const over = new AbortController();
    let taken = 0;
    async function takeAgain() {
      const key = attacker.keys.member;
      while (!over.signal.aborted) {
        await read(url, { key, signal: over.signal }, (bytes) => (taken += bytes)).catch(() => undefined);
      }
    }
    const running: Array<Promise<void>> = [];
    return {
      async send() {
        if (running.length < atOnce) running.push(takeAgain());
      },
      async figures() {
        const before = taken;
        let own = 0;
        await read(otherUrl, { key: other.keys.member }, (bytes) => (own += bytes));
        const times = (taken - before) / own;
        over.abort();
        await Promise.all(running);
        return [
          {
            what: 'taken by the attacker’s exports during one of another organization, against that one',
            measured: times,
            unit: 'times' as const,
            atMost: timesAtMost,
          },
        ];
      },
    };
  },
  withoutProtection: [
    {
      file: 'api/src/routes/campaigns/export.ts',
      find: 'inTurn: (read, left) => deps.longAnswers.fetchAndRest(organizationId, left, read),',
      replace: 'inTurn: (read) => read(),',
    },
  ],
};

async function exportOf(tenant: Tenant, count: number): Promise<string> {
  const made = await tenant.send('POST /api/v1/campaigns', {
    json: {
      name: 'Large',
      agent_id: tenant.agentId,
      phone_numbers: Array.from({ length: count }, someNumber),
      status: 'paused',
    },
  });
  return `/api/v1/campaigns/${idOf(made)}/export`;
}

async function read(
  url: string,
  { key, signal }: { key: string; signal?: AbortSignal },
  onBytes: (bytes: number) => void,
): Promise<void> {
  const answer = await fetch(url, {
    headers: { 'X-API-Key': key },
    signal: AbortSignal.any([AbortSignal.timeout(readWithinMs), ...(signal ? [signal] : [])]),
  });
  if (answer.status !== 200) throw new Error(`an export was refused with ${answer.status}`);
  await answer.body?.pipeTo(
    new WritableStream<Uint8Array>({
      write(bytes) {
        onBytes(bytes.length);
      },
    }),
  );
}
