import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import type { Bed } from './bed.ts';
import { answeringNumbers, makeCampaign } from './campaign.ts';

export interface Creation {
  campaignSeconds: number;
  copySeconds: number;
}

/** Creating a campaign of so many numbers, and one COPY of the same rows into a table like theirs. */
export async function creationSeconds(bed: Bed, recipients: number): Promise<Creation> {
  const world = await bed.world('postgres');
  try {
    const startedMs = performance.now();
    const campaignId = await makeCampaign(world, { recipients, lines: 10 });
    const campaignSeconds = (performance.now() - startedMs) / 1000;
    return { campaignSeconds, copySeconds: await copySeconds(world.databaseUrl, campaignId, recipients) };
  } finally {
    await world.close();
  }
}

async function copySeconds(databaseUrl: string, campaignId: string, recipients: number): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('create table copied (like campaign_recipients including all)');
    const { rows } = await client.query<{ organization_id: string }>(
      'select organization_id from campaigns limit 1',
    );
    const organizationId = rows[0]?.organization_id ?? '';
    const startedMs = performance.now();
    const copy = client.query(
      from(
        'copy copied (organization_id, campaign_id, position, phone_number, timezone, next_attempt_at) from stdin',
      ),
    );
    const lines = Readable.from(
      (function* () {
        let position = 0;
        for (const number of answeringNumbers(recipients)) {
          yield `${organizationId}\t${campaignId}\t${position++}\t${number}\tUTC\t2026-01-01T00:00:00Z\n`;
        }
      })(),
    );
    await pipeline(lines, copy);
    return (performance.now() - startedMs) / 1000;
  } finally {
    await client.end();
  }
}
