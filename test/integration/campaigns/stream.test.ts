import { randomUUID } from 'node:crypto';
import { placeEvents } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { apiWorld } from '../api/api-world.ts';
import { createPaused, numbers } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const { viewer, manager } = acme.keys;

interface Heard {
  name: string;
  id: string | undefined;
  data: unknown;
}

/** As an EventSource keeps it: the last one of any block. */
let lastEventId = '';

/** Reads a stream until it has `enough` events, and disconnects. */
async function listen(
  campaignId: string,
  enough: (heard: Heard[]) => boolean,
  headers: Record<string, string> = {},
) {
  const leave = new AbortController();
  const response = await fetch(`${client.base}/api/v1/campaigns/${campaignId}/stream`, {
    headers: { 'X-API-Key': viewer, ...headers },
    signal: leave.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const heard: Heard[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const field = (name: string) =>
        part
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      lastEventId = field('id') ?? lastEventId;
      const name = field('event');
      if (name !== undefined) {
        heard.push({ name, id: field('id'), data: JSON.parse(field('data') ?? 'null') });
      }
    }
    if (enough(heard)) break;
  }
  leave.abort();
  return heard;
}

async function callEvent(campaignId: string, type: string): Promise<void> {
  await sql`insert into outbox (organization_id, type, campaign_id, call_id, data, created_at)
    values (${acme.id}, ${type}, ${campaignId}, ${randomUUID()}, '{"status": "init"}', engine_now())`.execute(
    db,
  );
  await placeEvents(db, { limit: 100 });
}

test('sends progress at once and when it changes, and each call in order', async () => {
  const { id } = await createPaused(client, acme);
  const { id: other } = await createPaused(client, acme);
  const heard = await listen(id, (events) => {
    if (events.length === 1) {
      void client
        .send(`PUT /api/v1/campaigns/${id}`, { key: manager, json: { phone_numbers: numbers.slice(1) } })
        .then(() => callEvent(other, 'call.started'))
        .then(() => callEvent(id, 'call.started'))
        .then(() => callEvent(id, 'call.ended'));
    }
    return (
      events.filter(({ name }) => name === 'call').length === 2 &&
      events.filter(({ name }) => name === 'progress').length >= 2
    );
  });
  expect(heard[0]).toMatchObject({ name: 'progress', data: { recipients: { total: 3, waiting: 3 } } });
  expect(heard.filter(({ name }) => name === 'progress')[1]).toMatchObject({
    data: { recipients: { withdrawn: 1 } },
  });
  const calls = heard.filter(({ name }) => name === 'call');
  expect(calls).toMatchObject([{ data: { type: 'call.started' } }, { data: { type: 'call.ended' } }]);

  // A reader that reconnects gets the events that it missed, and none twice.
  const again = await listen(id, (events) => events.some(({ name }) => name === 'progress'), {
    'Last-Event-ID': calls[0]?.id ?? '',
  });
  expect(again.filter(({ name }) => name === 'call')).toEqual([calls[1]]);
});

test('a reader that heard no call yet resumes after the id with which its stream began', async () => {
  const { id } = await createPaused(client, acme);
  await callEvent(id, 'call.started');
  await listen(id, (events) => events.length > 0);
  await callEvent(id, 'call.answered');
  const again = await listen(id, (events) => events.some(({ name }) => name === 'call'), {
    'Last-Event-ID': lastEventId,
  });
  expect(again.find(({ name }) => name === 'call')).toMatchObject({ data: { type: 'call.answered' } });
});

test('a credential has ten streams at most, and gets one again when one has gone', async () => {
  const { id } = await createPaused(client, acme);
  const leave = Array.from({ length: 11 }, () => new AbortController());
  const open = (at: number) =>
    fetch(`${client.base}/api/v1/campaigns/${id}/stream`, {
      headers: { 'X-API-Key': manager },
      signal: leave[at]?.signal ?? null,
    });
  const opened = await Promise.all(Array.from({ length: 10 }, (_, at) => open(at)));
  expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200));
  const refused = await open(10);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('10');
  leave.forEach((one) => one.abort());
});
