import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ChaosStack } from '../stack/chaos-stack.ts';

/** Line counters at one instant, with their caps. */
export interface LineSample {
  level: string;
  key: string;
  inUse: number;
  cap: number | null;
}

export interface Watch {
  /** Samples in which a counter exceeded its cap. */
  readonly past: readonly LineSample[];
  /** The repairs by each sweep, summed over all restarts of the processes. */
  readonly repairs: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const everyMs = 400;
const sweepLine = /^outdial_sweep_repaired_total\{[^}]*sweep="([^"]+)"[^}]*\} (\d+)/gm;

/** Samples counters and metrics during the run. Skips processes that are down until the next sample. */
export function startWatch(stack: ChaosStack, say: (line: string) => void): Watch {
  const past: LineSample[] = [];
  const repairs = new Map<string, number>();
  const lastSeen = new Map<string, number>();
  const stopped = new AbortController();
  const watch: Watch = {
    past,
    repairs,
    async stop() {
      stopped.abort();
      await looking;
    },
  };

  async function sampleLines(): Promise<void> {
    const { rows } = await sql<{ level: string; key: string; in_use: number; cap: number | null }>`
      select 'provider' as level, name as key, lines_in_use as in_use, max_lines as cap from providers
      union all select 'organization', id::text, lines_in_use, max_lines from organizations
      union all select 'campaign', rt.campaign_id::text, rt.lines_in_use, f.max_concurrent_calls
        from campaign_runtime rt join campaign_configs f on f.campaign_id = rt.campaign_id`.execute(stack.db);
    for (const row of rows) {
      if (row.cap !== null && row.in_use > row.cap) {
        past.push({ level: row.level, key: row.key, inUse: row.in_use, cap: row.cap });
      }
    }
  }

  async function readRepairs(): Promise<void> {
    const url = stack.metricsUrls.get('scheduler');
    if (url === undefined) return;
    const credential = Buffer.from(`${stack.ops.user}:${stack.ops.password}`).toString('base64');
    const response = await fetch(url, {
      headers: { authorization: `Basic ${credential}` },
      signal: AbortSignal.timeout(1_000),
    });
    for (const [, sweep = '', value = '0'] of (await response.text()).matchAll(sweepLine)) {
      const count = Number(value);
      const before = lastSeen.get(sweep) ?? 0;
      // A restarted scheduler's counters start at zero.
      repairs.set(sweep, (repairs.get(sweep) ?? 0) + (count >= before ? count - before : count));
      lastSeen.set(sweep, count);
    }
  }

  async function sayProgress(): Promise<void> {
    const { rows } = await sql<{
      name: string;
      status: string;
      left: number;
      in_hand: number;
      waiting_for: string;
    }>`
      select c.name, c.status, rt.waiting_for,
        count(*) filter (where r.state = 'pending')::int as left,
        count(*) filter (where r.state = 'dialing')::int as in_hand
      from campaigns c join campaign_recipients r on r.campaign_id = c.id
      join campaign_runtime rt on rt.campaign_id = c.id
      group by c.id, c.name, c.status, rt.waiting_for order by c.name`.execute(stack.db);
    say(
      rows
        .map(
          (row) =>
            `${row.name} ${row.status}, ${row.left} left, ${row.in_hand} in hand, waits for ${row.waiting_for ?? 'nothing'}`,
        )
        .join(' · '),
    );
  }

  async function look(): Promise<void> {
    for (let n = 0; !stopped.signal.aborted; n++) {
      await Promise.allSettled([sampleLines(), readRepairs(), ...(n % 20 === 0 ? [sayProgress()] : [])]);
      await sleep(everyMs, null, { signal: stopped.signal }).catch(() => null);
    }
  }
  const looking = look();
  return watch;
}
