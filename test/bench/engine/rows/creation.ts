import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import type { Bed } from '../bed.ts';
import { answeringNumbers } from '../campaign.ts';
import { memoryMb } from '../process-cost.ts';
import { type Finding, metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';
import type { World } from '../world.ts';

const goalRatio = 3;
const goalMb = 300;

/** Measures the creation of a campaign over HTTP in a new api process, and one COPY of the same rows into a similar table. */
export const creation: Program = {
  name: 'creation',
  title: 'Creating a campaign',
  async run(bed, { quick, rounds }) {
    const sizes = quick ? [20_000] : [100_000, 1_000_000];
    const findings: Finding[] = [];
    const series = { copy: [] as number[][], campaign: [] as number[][] };
    for (const recipients of sizes) {
      const measured: Creation[] = [];
      for (let round = 0; round < rounds; round++) measured.push(await create(bed, recipients));
      findings.push(...findingsOf(recipients, measured));
      series.copy.push(measured.map((one) => one.copySeconds));
      series.campaign.push(measured.map((one) => one.campaignSeconds));
    }
    return {
      findings,
      plots: [
        {
          kind: 'bars',
          file: 'creation',
          title: 'Creating a campaign',
          unit: 's',
          groups: sizes.map((size) => `${size.toLocaleString('en')} numbers`),
          series: [
            { name: 'one COPY of the same rows', values: series.copy },
            { name: 'POST /campaigns', values: series.campaign },
          ],
        },
      ],
      notes: [
        'Creating a campaign is timed from the request to the last byte of its answer, which repeats the numbers. COPY goes into an empty table with the same columns, ' +
          'indexes, checks and fill factor, and no foreign keys. Memory is the peak resident size of the api process, as counted by the kernel.',
      ],
    };
  },
};

interface Creation {
  campaignSeconds: number;
  copySeconds: number;
  /** The memory of the api process, before the request and at its peak. */
  idleMb: number;
  peakMb: number;
}

function findingsOf(recipients: number, measured: readonly Creation[]): Finding[] {
  const seconds = measured.map((one) => one.campaignSeconds);
  const copies = measured.map((one) => one.copySeconds);
  const ratios = measured.map((one) => one.campaignSeconds / one.copySeconds);
  const peaks = measured.map((one) => one.peakMb);
  const what = `creating a campaign of ${recipients.toLocaleString('en')} numbers`;
  return [
    {
      what: `${what}, s`,
      baseline: `one COPY of the same rows: ${median(copies).toFixed(2)}`,
      goal: `within ${goalRatio} times`,
      measured: `${median(seconds).toFixed(2)}, ${median(ratios).toFixed(2)} times`,
      spread: `${spread(seconds, 2)}, ${spread(ratios, 2)}`,
      verdict: metIf(median(ratios) <= goalRatio),
    },
    {
      what: `${what}, memory of the api process, MB`,
      baseline: `before the request: ${median(measured.map((one) => one.idleMb)).toFixed(0)}`,
      goal: `under ${goalMb}`,
      measured: median(peaks).toFixed(0),
      spread: spread(peaks, 0),
      verdict: metIf(Math.max(...peaks) < goalMb),
    },
  ];
}

async function create(bed: Bed, recipients: number): Promise<Creation> {
  const world = await bed.world('redis');
  try {
    const api = await world.startReady('api/src/main.ts');
    const idleMb = memoryMb(api.pid).now;
    const body = JSON.stringify({
      name: 'Bench',
      agent_id: world.agentId,
      phone_numbers: answeringNumbers(recipients),
    });
    const startedMs = performance.now();
    const answer = await fetch(`${api.url}/api/v1/campaigns`, {
      method: 'POST',
      headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json' },
      body,
    });
    await answer.body?.pipeTo(new WritableStream());
    if (!answer.ok) throw new Error(`the campaign was not created: ${answer.status}`);
    const campaignSeconds = (performance.now() - startedMs) / 1000;
    const { peak: peakMb } = memoryMb(api.pid);
    await api.stop();
    return { campaignSeconds, idleMb, peakMb, copySeconds: await copySeconds(world, recipients) };
  } finally {
    await world.close();
  }
}

async function copySeconds(world: World, recipients: number): Promise<number> {
  const client = new pg.Client(world.databaseUrl);
  await client.connect();
  try {
    await client.query('create table copied (like campaign_recipients including all)');
    const { rows } = await client.query<{ id: string }>('select id from campaigns limit 1');
    const owner = `${world.organizationId}\t${rows[0]?.id ?? ''}`;
    const startedMs = performance.now();
    const copy = client.query(
      from(
        'copy copied (organization_id, campaign_id, position, phone_number, calling_key, next_attempt_at) from stdin',
      ),
    );
    await pipeline(Readable.from(copyText(owner, recipients)), copy);
    return (performance.now() - startedMs) / 1000;
  } finally {
    await client.end();
  }
}

/** In large pieces, so that the baseline does not wait for its client. */
function* copyText(owner: string, recipients: number): Generator<string> {
  const pieceLength = 5_000;
  const numbers = answeringNumbers(recipients);
  for (let start = 0; start < recipients; start += pieceLength) {
    yield numbers
      .slice(start, start + pieceLength)
      .map((number, n) => `${owner}\t${start + n}\t${number}\tUTC\t2026-01-01T00:00:00Z\n`)
      .join('');
  }
}
