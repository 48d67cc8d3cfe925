import { inTransaction, updateOrganization } from '@outdial/db';
import { setCampaignConfig } from '@outdial/engine';
import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { makeCampaign } from '../campaign.ts';
import { cpuSeconds, memoryMb } from '../process-cost.ts';
import { type Finding, metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';
import { quiet } from '../world.ts';

const goalSeconds = 2;
/** The most memory that a forecast may add to the api, for a thousand people and for a hundred thousand. */
const goalMb = 50;
const forecastsEach = 5;

interface Asked {
  seconds: number;
  /** CPU time of the api and of Postgres. */
  cpuSeconds: number;
}

interface Forecasts {
  asked: Asked[];
  /** The growth of the api's peak memory. */
  grownMb: number;
}

/** Measures `POST /campaigns/{campaign_id}/forecast` over HTTP. */
export const forecast: Program = {
  name: 'forecast',
  title: 'Forecasts',
  async run(bed, { quick }) {
    const sizes = quick ? [1_000, 10_000] : [1_000, 100_000];
    const findings: Finding[] = [];
    for (const recipients of sizes) {
      const { asked, grownMb } = await ask(bed, recipients);
      const what = `the forecast of a campaign of ${recipients.toLocaleString('en')} people, from the request to its answer`;
      const seconds = asked.map((one) => one.seconds);
      const cpu = asked.map((one) => one.cpuSeconds);
      findings.push(
        {
          what: `${what}, s`,
          baseline: '–',
          goal: `under ${goalSeconds}`,
          measured: median(seconds).toFixed(2),
          spread: spread(seconds, 2),
          verdict: metIf(median(seconds) < goalSeconds),
        },
        {
          what: 'processor time of the api and of Postgres for it, s',
          baseline: '–',
          goal: `under ${goalSeconds}`,
          measured: median(cpu).toFixed(2),
          spread: spread(cpu, 2),
          verdict: metIf(median(cpu) < goalSeconds),
        },
        {
          what: `memory of the api process, grown by ${forecastsEach} of them, MB`,
          baseline: '–',
          goal: `under ${goalMb}`,
          measured: grownMb.toFixed(0),
          spread: '–',
          verdict: metIf(grownMb < goalMb),
        },
      );
    }
    return {
      findings,
      plots: [],
      notes: [
        `Forecasts: of campaigns under the policy strict, with call-backs after an hour and a day and a fresh round each day; ${forecastsEach} for each size in a row, after one that warms up. Memory is the peak resident size of the api process, as counted by the kernel.`,
      ],
    };
  },
};

async function ask(bed: Bed, recipients: number): Promise<Forecasts> {
  const world = await bed.world('redis');
  try {
    const { db, publisher, organizationId } = world;
    const now = new Date();
    await inTransaction(db, (tx) =>
      updateOrganization(tx, organizationId, { calling_policy: 'strict' }, now),
    );
    const campaignId = await makeCampaign(world, { recipients, lines: 200 });
    const body = { queue_again: true, call_back_attempts: 2, retry_delays_seconds: [3_600, 86_400] };
    await setCampaignConfig({ db, publisher, log: quiet }, { organizationId, campaignId, body });
    await sql`
      insert into consents (organization_id, phone_number, basis, source, given_at, created_at)
      select organization_id, phone_number, 'prior_express_written', 'bench', engine_now() - interval '1 day', engine_now()
      from campaign_recipients where campaign_id = ${campaignId}`.execute(db);
    const api = await world.startReady('api/src/main.ts');
    const forecastNow = async (seed: number) => {
      const response = await fetch(`${api.url}/api/v1/campaigns/${campaignId}/forecast`, {
        method: 'POST',
        headers: { 'X-API-Key': world.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({ seed }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`no forecast: ${response.status} ${text}`);
    };
    await forecastNow(1);
    const idleMb = memoryMb(api.pid).peak;
    const asked: Asked[] = [];
    for (let n = 0; n < forecastsEach; n++) {
      const used = () => cpuSeconds(api.pid) + cpuSeconds(bed.servers.postgres);
      const [startedMs, before] = [performance.now(), used()];
      await forecastNow(n + 2);
      const seconds = (performance.now() - startedMs) / 1_000;
      asked.push({ seconds, cpuSeconds: used() - before });
    }
    return { asked, grownMb: memoryMb(api.pid).peak - idleMb };
  } finally {
    await world.close();
  }
}
