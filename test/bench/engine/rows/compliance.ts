import { addConsents, inTransaction, updateOrganization } from '@outdial/db';
import { setCampaignConfig } from '@outdial/engine';
import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { answeringNumbers, makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { cpuSeconds } from '../process-cost.ts';
import { metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';
import { quiet, type World } from '../world.ts';
import { addConfirmedCallerId } from '../../../support/confirmed-caller-id.ts';

const lines = 1_000;
const limitSeconds = 600;
const concurrency = 200;
const mostSlower = 0.1;
const callerIds = 50;
/** A Tuesday on which every state and province allows calls. The numbers belong to none of them, so each one's rules apply. */
const openAt = '2027-03-02T19:30:00Z';

/** CPU time for a call. */
interface Cost {
  postgres: number;
  worker: number;
  /** Includes Redis and the scheduler. */
  all: number;
}

interface Run {
  callsPerSecond: number;
  cpuMs: Cost;
}

/** Measures calls completed per second and their CPU time, alternately with all compliance rules and with none. */
export const compliance: Program = {
  name: 'compliance',
  title: 'Compliance',
  async run(bed, { quick, rounds }) {
    const recipients = quick ? 2_000 : 30_000;
    const without: Run[] = [];
    const all: Run[] = [];
    for (let round = 0; round < rounds; round++) {
      without.push(await measure(bed, recipients, { isOn: false }));
      all.push(await measure(bed, recipients, { isOn: true }));
    }
    const speeds = (some: Run[]) => some.map(({ callsPerSecond }) => callsPerSecond);
    const costs = (some: Run[], of: keyof Cost) => some.map(({ cpuMs }) => cpuMs[of]);
    const shares = (some: number[], base: number[]) =>
      some.map((value, at) => value / (base[at] ?? Number.NaN) - 1);
    const slower = shares(speeds(all), speeds(without)).map((share) => -share);
    const dearer = shares(costs(all, 'all'), costs(without, 'all'));
    const cost = (what: string, of: keyof Cost) => ({
      what: `${what} for each of these calls, ms of processor`,
      baseline: `under none: ${median(costs(without, of)).toFixed(3)}`,
      measured: median(costs(all, of)).toFixed(3),
      spread: spread(costs(all, of), 3),
    });
    return {
      findings: [
        {
          what: `calls completed per second under the policy strict, with caps per person, consents, caller ids and receipts, a campaign of ${recipients.toLocaleString('en')}`,
          baseline: `under none, without any of them: ${median(speeds(without)).toFixed(0)}`,
          goal: `at most ${mostSlower * 100} % fewer`,
          measured: `${median(speeds(all)).toFixed(0)}, ${(median(slower) * 100).toFixed(0)} % fewer`,
          spread: spread(speeds(all), 0),
          verdict: metIf(median(slower) <= mostSlower),
        },
        {
          ...cost('all processes', 'all'),
          goal: `at most ${mostSlower * 100} % more`,
          measured: `${median(costs(all, 'all')).toFixed(3)}, ${(median(dearer) * 100).toFixed(0)} % more`,
          verdict: metIf(median(dearer) <= mostSlower),
        },
        { ...cost('Postgres', 'postgres'), goal: '–', verdict: 'told' },
        { ...cost('the worker', 'worker'), goal: '–', verdict: 'told' },
      ],
      plots: [],
      notes: [
        `Compliance: on Redis, with one worker and one scheduler. Each person has given a consent, and calls come from ${callerIds} caller ids. The numbers are in no state, so that all states' rules are asked. Processor time is read from the kernel, while calls are made.`,
      ],
    };
  },
};

async function measure(bed: Bed, recipients: number, { isOn }: { isOn: boolean }): Promise<Run> {
  const world = await bed.world('redis');
  try {
    await sql`update engine_clock
      set offset_ms = round(extract(epoch from ${new Date(openAt)}::timestamptz - clock_timestamp()) * 1000)`.execute(
      world.db,
    );
    if (isOn) await turnOn(world, recipients);
    const campaignId = await makeCampaign(world, { recipients, lines, startDate: new Date(openAt) });
    if (isOn) await requireConsent(world, campaignId);
    // Vacuums the rows that the preparation wrote, so that autovacuum does not count as a cost of the calls. Empty tables are left out: if Postgres
    // knows that they are empty, it plans to scan them until autovacuum comes.
    await sql`vacuum analyze campaign_recipients, consents, caller_ids`.execute(world.db);
    await sql`checkpoint`.execute(world.db);
    const scheduler = await world.startReady('scheduler/src/main.ts');
    const worker = await world.startReady('worker/src/main.ts', { WORKER_CONCURRENCY: String(concurrency) });
    const used = (pid: number | null) => (pid === null ? 0 : cpuSeconds(pid));
    const look = (): Cost => {
      const [ofPostgres, ofWorker] = [used(bed.servers.postgres), used(worker.pid)];
      const others = used(bed.servers.redis) + used(scheduler.pid);
      return { postgres: ofPostgres, worker: ofWorker, all: ofPostgres + ofWorker + others };
    };
    const before = look();
    await runCampaign(world, campaignId);
    const seconds = await secondsToFinish(world, campaignId, limitSeconds);
    const after = look();
    const perCall = (of: keyof Cost) => ((after[of] - before[of]) * 1000) / recipients;
    return {
      callsPerSecond: recipients / seconds,
      cpuMs: { postgres: perCall('postgres'), worker: perCall('worker'), all: perCall('all') },
    };
  } finally {
    await world.close();
  }
}

async function turnOn(world: World, recipients: number): Promise<void> {
  const { db, organizationId } = world;
  const now = new Date(openAt);
  const callerIdRules = { answerRateFrom: null, shortCallsTo: null };
  await inTransaction(db, (tx) =>
    updateOrganization(tx, organizationId, { calling_policy: 'strict', caller_id_rules: callerIdRules }, now),
  );
  const numbers = answeringNumbers(recipients);
  for (let from = 0; from < numbers.length; from += 5_000) {
    const consents = numbers.slice(from, from + 5_000).map((phoneNumber) => ({
      phone_number: phoneNumber,
      basis: 'prior_express_written' as const,
      scope: null,
      text_shown: null,
      source: 'bench',
      evidence_hash: null,
      given_at: new Date(now.getTime() - 86_400_000),
      expires_at: null,
    }));
    await addConsents(db, { organizationId, createdBy: null, consents });
  }
  for (let n = 0; n < callerIds; n++) {
    const callerId = {
      phone_number: `+1212555${String(1_000 + n)}`,
      country: 'US',
      prefixes: [],
      attestation: null,
      calls_per_day: 100_000,
      calls_per_hour: null,
      warm_up_days: 0,
    };
    await addConfirmedCallerId(db, organizationId, callerId);
  }
}

async function requireConsent(world: World, campaignId: string): Promise<void> {
  const { db, publisher, organizationId } = world;
  const body = { require_consent: true, purpose: 'marketing' as const };
  await setCampaignConfig({ db, publisher, log: quiet }, { organizationId, campaignId, body });
}
