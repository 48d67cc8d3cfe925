import { campaign } from '@outdial/contracts';
import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import { z } from 'zod';
import type { ApiAnswer, ContractClient } from '../api/contract-client.ts';
import type { TestOrganization } from '../api/api-world.ts';

export const numbers = ['+15551230000', '+15551230001', '+15551230002'];

const answered = z.object({ message: z.string(), meta: z.record(z.string(), z.unknown()), data: campaign });

export function campaignOf(answer: ApiAnswer) {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.json)}`);
  return answered.parse(answer.json).data;
}

/** A campaign that starts in an hour, so that nothing is due during the test. */
export async function createPaused(client: ContractClient, owner: TestOrganization, fields: object = {}) {
  const answer = await client.send('POST /api/v1/campaigns', {
    key: owner.keys.manager,
    json: {
      name: 'Spring',
      agent_id: await owner.agent(),
      phone_numbers: numbers,
      status: 'paused',
      ...fields,
    },
  });
  return campaignOf(answer);
}

/** A Monday. At this instant of the engine's clock, windows are open at any time of the run. */
export const mondayAtTwo = '2027-03-01T14:00:00Z';

export const setClock = (db: Db, at = mondayAtTwo) =>
  sql`update engine_clock
    set offset_ms = round(extract(epoch from ${at}::timestamptz - clock_timestamp()) * 1000)`.execute(db);

/** Puts a recipient into a state of the engine. */
export const bring = (db: Db, campaignId: string, phoneNumber: string, to: Record<string, unknown>) =>
  sql`update campaign_recipients
    set ${sql.join(Object.entries(to).map(([name, value]) => sql`${sql.ref(name)} = ${value}`))}
    where campaign_id = ${campaignId} and phone_number = ${phoneNumber}`.execute(db);

export const done = { state: 'done', attempts: 1, round_attempts: 1, next_attempt_at: null };
