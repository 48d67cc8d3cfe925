import { makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { loadWith, type Load, type Request } from '../load.ts';
import { type Finding, metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';
import type { Started, World } from '../world.ts';

const goalRate = 0.7;
const goalP99 = 1.5;
const connections = 50;
const campaigns = 60;
const numbers = 20;
/** Repeats each request before the measurement, so that it runs compiled code and no compiler. */
const warmUpSeconds = 10;
/** So long that one stall, which delays fifty requests, is not the whole slowest percent. */
const runSeconds = 8;

/** Measures the api under load, and bare Express with the same statements, alternately and on one database. */
export const api: Program = {
  name: 'api',
  title: 'The interface',
  async run(bed, { quick, rounds }) {
    const world = await bed.world('redis');
    try {
      const requests = await prepare(world);
      const bare = await world.startReady('test/bench/engine/processes/bare-express.ts', {
        ORGANIZATION_ID: world.organizationId,
        USER_ID: world.userId,
      });
      const product = await world.startReady('api/src/main.ts');
      const seconds = quick ? { warmUp: 1, run: 2 } : { warmUp: warmUpSeconds, run: runSeconds };
      const load = (server: Started, request: Request, forSeconds: number) =>
        loadWith(server.url, request, { apiKey: world.apiKey, connections, seconds: forSeconds });
      for (const request of Object.values(requests)) {
        for (const server of [bare, product]) await load(server, request, seconds.warmUp);
      }
      const compared: Compared[] = [];
      for (const [what, request] of Object.entries(requests)) {
        const asked = {
          bare: () => load(bare, request, seconds.run),
          product: () => load(product, request, seconds.run),
        };
        compared.push(await compare(what, asked, rounds));
      }
      return {
        findings: compared.flatMap(findingsOf),
        plots: [
          {
            kind: 'bars',
            file: 'api',
            title: `Requests per second, ${connections} connections`,
            unit: 'requests/s',
            groups: compared.map((one) => one.what),
            series: [
              { name: 'bare Express', values: compared.map((one) => rates(one.bare)) },
              { name: 'Outdial', values: compared.map((one) => rates(one.product)) },
            ],
          },
        ],
        notes: [
          `Api: autocannon in a separate process, ${connections} connections without pauses, the two servers in turn and with the same Node flags, after ` +
            `${warmUpSeconds} s of warm-up per request, for ${runSeconds} s in each round; figures of the same round are compared. Bare Express ` +
            '(`test/bench/engine/processes/bare-express.ts`) runs the statements that the requests need in the same transactions through pg, one after another and unprepared, and does not authenticate, validate, audit, log, count, enqueue a job or shape ' +
            `its answers. \`GET /campaigns\` answers a page of 50 campaigns with ${numbers} numbers each.`,
        ],
      };
    } finally {
      await world.close();
    }
  },
};

/** Creates what the requests read: campaigns to list, and a call that has ended. */
async function prepare(world: World): Promise<Record<string, Request>> {
  const scheduler = await world.startReady('scheduler/src/main.ts');
  const worker = await world.startReady('worker/src/main.ts');
  const dialed = await makeCampaign(world, { recipients: 1, lines: 1 });
  await runCampaign(world, dialed);
  await secondsToFinish(world, dialed, 30);
  await worker.stop();
  await scheduler.stop();
  for (let n = 0; n < campaigns; n++) await makeCampaign(world, { recipients: numbers, lines: 1 });
  const call = await world.db.selectFrom('calls').select('id').executeTakeFirstOrThrow();
  const body = JSON.stringify({ to_phone: '+15551230000', prompt_params: { name: 'Ada' } });
  return {
    'POST /agents/{id}/call': { method: 'POST', path: `/api/v1/agents/${world.agentId}/call`, body },
    'GET /calls/{id}': { method: 'GET', path: `/api/v1/calls/${call.id}` },
    'GET /campaigns': { method: 'GET', path: '/api/v1/campaigns' },
  };
}

interface Compared {
  what: string;
  bare: Load[];
  product: Load[];
}

async function compare(
  what: string,
  ask: Record<'bare' | 'product', () => Promise<Load>>,
  rounds: number,
): Promise<Compared> {
  const compared: Compared = { what, bare: [], product: [] };
  // The order alternates, so that a machine that becomes slower or faster favours neither.
  const orders = [['bare', 'product'] as const, ['product', 'bare'] as const];
  for (let round = 0; round < rounds; round++) {
    for (const server of orders[round % 2] ?? []) compared[server].push(await ask[server]());
  }
  return compared;
}

function rates(loads: readonly Load[]): number[] {
  return loads.map((load) => load.requestsPerSecond);
}

function findingsOf({ what, bare, product }: Compared): Finding[] {
  const times = (of: (load: Load) => number) =>
    product.map((load, at) => of(load) / (bare[at] ? of(bare[at]) : Number.NaN));
  const p99s = (loads: readonly Load[]) => loads.map((load) => load.p99Ms);
  const rate = times((load) => load.requestsPerSecond);
  const p99 = times((load) => load.p99Ms);
  return [
    {
      what: `\`${what}\`, requests per second`,
      baseline: `bare Express: ${median(rates(bare)).toFixed(0)}`,
      goal: `at least ${goalRate} of it`,
      measured: `${median(rates(product)).toFixed(0)}, ${median(rate).toFixed(2)} of it`,
      spread: `${spread(rates(product), 0)}, ${spread(rate, 2)}`,
      verdict: metIf(median(rate) >= goalRate),
    },
    {
      what: `\`${what}\`, p99, ms`,
      baseline: `bare Express: ${median(p99s(bare)).toFixed(0)}`,
      goal: `within ${goalP99} times`,
      measured: `${median(p99s(product)).toFixed(0)}, ${median(p99).toFixed(2)} times`,
      spread: `${spread(p99s(product), 0)}, ${spread(p99, 2)}`,
      verdict: metIf(median(p99) <= goalP99),
    },
  ];
}
