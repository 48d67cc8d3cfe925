import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './attack.ts';
import { idOf, someNumber } from './tenant.ts';
import type { AttackWorld } from './world.ts';

/** The bounds of the neighbour's waits. They are wider on a busy machine, but never so wide that the neighbour could have waited for an attacker. */
export interface Limits {
  requestMs: number;
  firstDialMs: number;
  uploadMs: number;
}

export interface Watch {
  /** Stops watching; returns what the neighbour saw. */
  end(): Promise<Figure[]>;
}

const pollMs = 20;

/** Uses the service like an ordinary tenant during an attack, and measures the response times. */
export async function watchNeighbour({ neighbour, db }: AttackWorld, limits: Limits): Promise<Watch> {
  const campaign = await neighbour.send('POST /api/v1/campaigns', {
    json: {
      name: 'Quiet',
      agent_id: neighbour.agentId,
      phone_numbers: Array.from({ length: 50 }, someNumber),
      status: 'paused',
    },
  });
  const base = idOf(await neighbour.send('POST /api/v1/knowledge-base', { json: { name: 'Facts' } }));
  const requests: number[] = [];
  const dials: number[] = [];
  const uploads: number[] = [];
  const failures: string[] = [];
  let over = false;

  const paths = [
    'GET /api/v1/campaigns',
    `GET /api/v1/campaigns/${idOf(campaign)}`,
    'GET /readyz',
    `GET /api/v1/agents/${neighbour.agentId}/calls?size=10`,
  ];
  async function request(label: string) {
    const answer = await neighbour.send(label, { role: 'viewer' });
    requests.push(answer.ms);
    if (answer.status !== 200) failures.push(`${label} ${answer.status} ${answer.text.slice(0, 100)}`);
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
    dials.push(performance.now() - startedAt);
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
    uploads.push(performance.now() - startedAt);
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
    repeat(upload, 1_000),
  ];
  return {
    async end() {
      over = true;
      await Promise.all(loops);
      if (failures.length > 0) console.error(`  the neighbour was refused: ${failures[0]}`);
      return [
        {
          what: 'the neighbour’s requests, p99',
          measured: p99(requests),
          unit: 'ms',
          atMost: limits.requestMs,
        },
        { what: 'its first dials, p99', measured: p99(dials), unit: 'ms', atMost: limits.firstDialMs },
        { what: 'its uploads, longest', measured: Math.max(...uploads), unit: 'ms', atMost: limits.uploadMs },
        { what: 'its requests that failed', measured: failures.length, unit: 'requests', atMost: 0 },
      ];
    },
  };
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
}
