import { Redis } from 'ioredis';
import { placeCallJob } from '@outdial/contracts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { ScaleBed } from './bed.ts';
import { infoNumber } from './meters.ts';
import { populate } from './populate.ts';
import { seeded } from './random.ts';

export interface RowSizes {
  /** By the length of the transcript in characters: the bytes of the table with its TOAST table, and of its indexes. */
  calls: Array<{ transcriptChars: number; tableBytes: number; indexBytes: number }>;
  callIndexes: Record<string, number>;
  recipient: { tableBytes: number; indexBytes: number };
}

const rowsEach = 4_000;

/** Bytes of a row in `calls`, by the length of its transcript, and of a row in `campaign_recipients`. */
export async function measureRowSizes(bed: ScaleBed, lengths: readonly number[]): Promise<RowSizes> {
  const world = await bed.world(1);
  try {
    await populate(world.db, { campaigns: 1, endedCampaigns: 0, liveCalls: rowsEach, provider: 'simulator' });
    const random = seeded(7);
    const calls: RowSizes['calls'] = [];
    let callIndexes: Record<string, number> = {};
    for (const transcriptChars of lengths) {
      const ids = await sql<{ id: string }>`select id from calls`.execute(world.db);
      const texts = ids.rows.map(() => conversation(transcriptChars, random));
      await sql`
        update calls c set phase = 'ended', outcome = 'completed', ended_at = now(), answered_at = now(), check_at = null,
          line_held = false, duration_seconds = 60, external_status = 'completed', transcript = x.text,
          recording_url = 'https://recordings.example.com/' || c.id || '.wav',
          events = ${JSON.stringify(events)}::jsonb
        from unnest(${ids.rows.map((row) => row.id)}::uuid[], ${texts}::text[]) as x(id, text) where c.id = x.id`.execute(
        world.db,
      );
      await sql`vacuum full analyze calls`.execute(world.db);
      calls.push({ transcriptChars, ...(await bytesPerRow('calls', world.db)) });
      callIndexes = await indexBytes(world.db);
    }
    return { calls, callIndexes, recipient: await bytesPerRow('campaign_recipients', world.db) };
  } finally {
    await world.close();
  }
}

const events = ['placed', 'ringing', 'answered', 'ended'].map((type) => ({
  type,
  at: '2026-01-01T10:00:00.000Z',
}));

async function bytesPerRow(
  table: string,
  db: Parameters<typeof populate>[0],
): Promise<{ tableBytes: number; indexBytes: number }> {
  const { rows } = await sql<{ table_bytes: number; index_bytes: number }>`
    select (pg_table_size(${table}::regclass)::float8 / ${rowsEach}) as table_bytes,
      (pg_indexes_size(${table}::regclass)::float8 / ${rowsEach}) as index_bytes`.execute(db);
  return {
    tableBytes: Math.round(rows[0]?.table_bytes ?? 0),
    indexBytes: Math.round(rows[0]?.index_bytes ?? 0),
  };
}

async function indexBytes(db: Parameters<typeof populate>[0]): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select indexrelid::regclass::text as name, (pg_relation_size(indexrelid)::float8 / ${rowsEach}) as bytes
    from pg_index where indrelid = 'calls'::regclass order by 1`.execute(db);
  return Object.fromEntries(rows.map((row) => [row.name, Math.round(row.bytes)]));
}

/** Text that compresses about as well as speech: a few words often, many words seldom. */
export function conversation(chars: number, random: () => number): string {
  let text = '';
  while (text.length < chars) {
    // Zipf's law, roughly: the rank of a word is exponential in a uniform number.
    const rank = Math.floor(Math.exp(random() * Math.log(8_000)));
    text += `${text === '' ? '' : random() < 0.08 ? '.\nagent: ' : ' '}${word(rank)}`;
  }
  return text.slice(0, chars);
}

const syllables = [
  'ca',
  'll',
  'me',
  'to',
  'an',
  'er',
  'in',
  'the',
  'you',
  'ing',
  'is',
  'day',
  'or',
  'at',
  'on',
  'ly',
];

function word(rank: number): string {
  let left = rank;
  let text = '';
  do {
    text += syllables[left % syllables.length] ?? '';
    left = Math.floor(left / syllables.length);
  } while (left > 0);
  return text;
}

/** Bytes of Redis for one waiting `place-call` job. */
export async function measureJobBytes(bed: ScaleBed): Promise<number> {
  const world = await bed.world(1);
  const redis = new Redis(bed.redisUrl);
  try {
    const many = 20_000;
    await world.publisher.publishMany(placeCallJob, [placeCallPayload()]);
    const before = infoNumber(await redis.info('memory'), 'used_memory');
    for (let n = 0; n < many; n += 500) {
      await world.publisher.publishMany(placeCallJob, Array.from({ length: 500 }, placeCallPayload));
    }
    const after = infoNumber(await redis.info('memory'), 'used_memory');
    await redis.flushall();
    return Math.round((after - before) / many);
  } finally {
    redis.disconnect();
    await world.close();
  }
}

export function placeCallPayload() {
  return { call_id: randomUUID() };
}
