import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestOrganization } from '../stack/organization.ts';
import { waitFor } from '../stack/wait-for.ts';
import { startCarrier, type CarrierCall } from './carrier/start-carrier.ts';
import { watchChannels } from './channel-watch.ts';
import { freeUdpPort, startAsterisk } from './start-asterisk.ts';
import type { TrunkPrograms } from './trunk-programs.ts';
import { linesAtOnce, recipientNumbers } from './trunk-recipients.ts';
import { readRecords, type RecordedCall } from './trunk-records.ts';
import { startTrunkService } from './trunk-service.ts';

const patienceMs = 120_000;
/** Who lets the others go, as the carrier knows by the last two digits. It is not called by the campaign. */
const releasing = '+1555000098';

export interface TrunkCampaign {
  seconds: number;
  mostAtOnce: number;
  records: RecordedCall[];
  /** Every call that reached the carrier, with its end if the carrier saw it. */
  carrier: { invited: readonly string[]; ended: readonly CarrierCall[] };
  /** The number of log lines at the levels error and fatal, by message. */
  errors: ReadonlyMap<string, number>;
}

/**
 * Runs a campaign through the REST API with real processes (api, scheduler and two workers) over a real Asterisk, to a carrier that sipp simulates.
 */
export async function runTrunkCampaign(args: {
  programs: TrunkPrograms;
  databaseUrl: string;
  say?: (what: string) => void;
}): Promise<TrunkCampaign> {
  const { databaseUrl, say = () => undefined } = args;
  const folder = mkdtempSync(join(tmpdir(), 'outdial-trunk-'));
  const closes: Array<() => unknown> = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const carrierPort = await freeUdpPort();
    say('starting Asterisk and the carrier');
    const asterisk = await startAsterisk({ system: args.programs.system, carrierPort });
    closes.push(() => asterisk.close());
    // People talk on until all lines are in use, however long that takes.
    const times = { ringMs: 300, talkMs: 3_000, untilReleased: true };
    const carrier = await startCarrier({ sipp: args.programs.sipp, port: carrierPort, times });
    closes.push(() => carrier.close());
    const watch = await watchChannels(asterisk);
    closes.push(() => watch.close());

    say('starting api, scheduler and workers');
    const service = await startTrunkService({ databaseUrl, folder, asterisk });
    closes.push(() => service.stop());
    const numbers = recipientNumbers();
    const began = performance.now();
    const campaignId = await startCampaign(service.organization, numbers);
    say(`the campaign runs: ${numbers.length} recipients, ${linesAtOnce} lines`);
    await waitFor('all lines to be in use', () => watch.live() >= linesAtOnce, { withinMs: patienceMs });
    await asterisk.cli(`channel originate PJSIP/${releasing}@trunk application Wait 1`);
    const client = service.organization.clients.manager;
    await waitFor(
      'the campaign to finish',
      async () => (await client.readCampaign(campaignId)).status === 'finished',
      { withinMs: patienceMs },
    );
    const seconds = (performance.now() - began) / 1000;
    say('reading the records and recordings');
    await waitFor('all calls to end at the carrier', () => watch.live() === 0);
    const records = await readRecords(service, campaignId);
    return {
      seconds,
      mostAtOnce: watch.mostAtOnce(),
      records,
      carrier: {
        invited: carrier.invited().filter((number) => number !== releasing),
        ended: carrier.ended().filter(({ number }) => number !== releasing),
      },
      errors: service.errors,
    };
  } finally {
    for (const close of closes.toReversed()) await close();
  }
}

async function startCampaign(organization: TestOrganization, numbers: string[]): Promise<string> {
  const { manager } = organization.clients;
  const { id } = await manager.createCampaign({
    name: 'a trunk',
    agent_id: organization.agentId,
    phone_numbers: numbers,
    status: 'paused',
    additional_params: { prompt_params: { name: 'Ada', topic: 'the weather' } },
  });
  if (id == null) throw new Error('a campaign without an id');
  await manager.setConfig(id, { call_on_weekend: true, max_concurrent_calls: linesAtOnce });
  await manager.setStatus(id, 'running');
  return id;
}
