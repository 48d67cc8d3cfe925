import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './attack.ts';
import { idOf, someNumber } from './tenant.ts';
import type { AttackWorld } from './world.ts';

/** The bounds of the neighbour's waits. They are wider on a busy machine, but never so wide that the neighbour could have waited for an attacker. */
export interface Limits {
  requestMs: number;
  firstDialMs: number;
  /** From a change of a campaign's status to its first dial, or to the withdrawal of its people. */
  campaignMs: number;
  uploadMs: number;
  /** A median during the attack, against the median of a while before it. Null on a busy machine, where such a while says little. */
  timesQuiet: { atMost: number; quietSeconds: number } | null;
}

/** How long the neighbour waited for each kind of thing, in ms, and what was refused. */
export interface Seen {
  requests: number[];
  lists: number[];
  /** Of direct calls. */
  dials: number[];
  /** From the start of a campaign. */
  campaignDials: number[];
  /** Until the people of a campaign are withdrawn. */
  cancels: number[];
  uploads: number[];
  failures: string[];
}

export interface Watch {
  /** Stops watching. */
  end(): Promise<Seen>;
}

const peopleOfList = 2_000;
const peopleOfCancel = 50;

const pollMs = 20;

/** Uses the service like an ordinary tenant during an attack, and measures the response times. */
export async function watchNeighbour({ neighbour, db }: AttackWorld): Promise<Watch> {
  async function newCampaign(people: number): Promise<string> {
    const campaign = await neighbour.send('POST /api/v1/campaigns', {
      json: {
        name: 'Quiet',
        agent_id: neighbour.agentId,
        phone_numbers: Array.from({ length: people }, someNumber),
        status: 'paused',
      },
    });
    return idOf(campaign);
  }
  const campaign = await newCampaign(peopleOfCancel);
  const listed = await newCampaign(peopleOfList);
  const base = idOf(await neighbour.send('POST /api/v1/knowledge-base', { json: { name: 'Facts' } }));
  const seen: Seen = {
    requests: [],
    lists: [],
    dials: [],
    campaignDials: [],
    cancels: [],
    uploads: [],
    failures: [],
  };
  const { failures } = seen;
  let over = false;

  const paths = [
    'GET /api/v1/campaigns',
    `GET /api/v1/campaigns/${campaign}`,
    'GET /readyz',
    `GET /api/v1/agents/${neighbour.agentId}/calls?size=10`,
  ];
  async function request(label: string) {
    const answer = await neighbour.send(label, { role: 'viewer' });
    seen.requests.push(answer.ms);
    if (answer.status !== 200) failures.push(`${label} ${answer.status} ${answer.text.slice(0, 100)}`);
  }
  async function list() {
    const label = `GET /api/v1/campaigns/${listed}/recipients?limit=1000`;
    const answer = await neighbour.send(label, { role: 'viewer' });
    seen.lists.push(answer.ms);
    if (answer.status !== 200) failures.push(`a list ${answer.status} ${answer.text.slice(0, 100)}`);
  }
  async function dialCampaign() {
    const id = await newCampaign(1);
    await neighbour.send(`PUT /api/v1/campaigns/${id}/config`, { json: { call_on_weekend: true } });
    const startedAt = performance.now();
    await setStatus(id, 'running');
    await until(async () => {
      const calls = db.selectFrom('calls').select('gated_at').where('campaign_id', '=', id);
      return (await calls.executeTakeFirst())?.gated_at != null;
    });
    seen.campaignDials.push(performance.now() - startedAt);
  }
  async function cancel() {
    const id = await newCampaign(peopleOfCancel);
    const startedAt = performance.now();
    await setStatus(id, 'canceled');
    await until(async () => {
      const left = db.selectFrom('campaign_recipients').select('id').where('campaign_id', '=', id);
      return (await left.where('state', '=', 'pending').executeTakeFirst()) === undefined;
    });
    seen.cancels.push(performance.now() - startedAt);
  }
  async function setStatus(id: string, status: string) {
    const answer = await neighbour.send(`PUT /api/v1/campaigns/${id}/status`, { json: { status } });
    if (answer.status !== 200) failures.push(`${status} ${answer.status} ${answer.text.slice(0, 100)}`);
  }
  async function dial() {
    const startedAt = performance.now();
    const made = await neighbour.send(`POST /api/v1/agents/${neighbour.agentId}/call`, {
      json: { to_phone: someNumber() },
    });
    if (made.status !== 200) {
      failures.push(`a call ${made.status} ${made.text.slice(0, 100)}`);
      return;
    }
    const callId = idOf(made);
    await until(async () => {
      const row = await db.selectFrom('calls').select('gated_at').where('id', '=', callId).executeTakeFirst();
      return row?.gated_at != null;
    });
    seen.dials.push(performance.now() - startedAt);
  }
  async function upload() {
    const startedAt = performance.now();
    const form = new FormData();
    form.set('file', new Blob([`Opening hours: nine to five. ${someNumber()}`]), 'hours.txt');
    const made = await neighbour.send(`POST /api/v1/knowledge-base/${base}/items`, { body: form });
    if (made.status !== 200) {
      failures.push(`an upload ${made.status} ${made.text.slice(0, 100)}`);
      return;
    }
    const path = `GET /api/v1/knowledge-base/${base}/items/${idOf(made)}`;
    await until(async () => (await neighbour.send(path)).text.includes('"status":"ready"'));
    seen.uploads.push(performance.now() - startedAt);
  }
  async function until(holds: () => Promise<boolean>) {
    const giveUpAt = performance.now() + 60_000;
    while (!(await holds()) && performance.now() < giveUpAt) await sleep(pollMs);
  }
  async function repeat(action: () => Promise<void>, pauseMs: number) {
    while (!over) {
      await action().catch((error: unknown) => failures.push(String(error)));
      await sleep(pauseMs);
    }
  }

  let turn = 0;
  const loops = [
    repeat(() => request(paths[turn++ % paths.length] ?? ''), 20),
    repeat(dial, 250),
    repeat(list, 100),
    repeat(dialCampaign, 250),
    repeat(cancel, 500),
    repeat(upload, 1_000),
  ];
  return {
    async end() {
      over = true;
      await Promise.all(loops);
      return seen;
    },
  };
}

/** @param quiet what the neighbour saw before the attack */
export function neighbourFigures(seen: Seen, quiet: Seen | null, limits: Limits): Figure[] {
  if (seen.failures.length > 0) console.error(`  the neighbour was refused: ${seen.failures[0]}`);
  const kinds: ReadonlyArray<{ what: string; of: (all: Seen) => readonly number[]; atMost: number }> = [
    { what: 'its requests', of: ({ requests }) => requests, atMost: limits.requestMs },
    { what: 'its lists', of: ({ lists }) => lists, atMost: limits.requestMs },
    { what: 'its first dials of calls', of: ({ dials }) => dials, atMost: limits.firstDialMs },
    {
      what: 'its first dials of campaigns',
      of: ({ campaignDials }) => campaignDials,
      atMost: limits.campaignMs,
    },
    { what: 'its cancels', of: ({ cancels }) => cancels, atMost: limits.campaignMs },
  ];
  const medians = kinds.map(({ what, of, atMost }): Figure => {
    const now = median(of(seen));
    if (quiet === null || limits.timesQuiet === null) {
      return { what: `${what}, median`, measured: now, unit: 'ms', atMost };
    }
    const before = median(of(quiet));
    return {
      what: `${what}, median of ${Math.round(now)} ms against ${Math.round(before)} ms before`,
      measured: now / before,
      unit: 'times',
      atMost: limits.timesQuiet.atMost,
    };
  });
  return [
    {
      what: 'the neighbour’s requests, p99',
      measured: p99(seen.requests),
      unit: 'ms',
      atMost: limits.requestMs,
    },
    { what: 'its first dials, p99', measured: p99(seen.dials), unit: 'ms', atMost: limits.firstDialMs },
    {
      what: 'its uploads, longest',
      measured: Math.max(...seen.uploads),
      unit: 'ms',
      atMost: limits.uploadMs,
    },
    ...medians,
    { what: 'its requests that failed', measured: seen.failures.length, unit: 'requests', atMost: 0 },
  ];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY;
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
}
