import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call as callSchema, type Call } from '@outdial/contracts';
import type { Outcome } from '@outdial/core';
import { connect, createApiKey, engineNow, setProvider } from '@outdial/db';
import { freePort } from '@outdial/local';
import { prepareQueueBackend } from '@outdial/queues';
import { z } from 'zod';
import { createFleet } from '../../chaos/stack/fleet.ts';
import { makeOrganization, type TestOrganization } from '../stack/organization.ts';
import { waitFor } from '../stack/wait-for.ts';
import { fates } from './carrier/fates.ts';
import { startCarrier, type CarrierCall } from './carrier/start-carrier.ts';
import { watchChannels } from './channel-watch.ts';
import { freeUdpPort, startAsterisk } from './start-asterisk.ts';
import { quickDetection, type TrunkPrograms } from './trunk-programs.ts';

/** How many recipients meet which fate, by the last two digits of their numbers: 200, and everything that a carrier does. */
const recipients: Readonly<Record<string, number>> = {
  '00': 88,
  '80': 20,
  '81': 6,
  '86': 8,
  '87': 8,
  '89': 4,
  '90': 8,
  '91': 12,
  '92': 12,
  '93': 10,
  '94': 10,
  '95': 6,
  '96': 8,
};

export const linesAtOnce = 50;
const callerId = '+15550001111';
const ringTimeoutSeconds = 5;
const workers = 2;
const patienceMs = 120_000;

export interface RecordedCall {
  number: string;
  outcome: string | null;
  conversationId: string | null;
  /** Keys that the person pressed. */
  digits: string;
  recording: { seconds: number; peak: number } | null;
}

export interface TrunkCampaign {
  seconds: number;
  mostAtOnce: number;
  records: RecordedCall[];
  /** Every call that reached the carrier, and how those ended of which it has seen the end. */
  carrier: { invited: readonly string[]; ended: readonly CarrierCall[] };
  /** Lines at the levels error and fatal, by message. */
  errors: ReadonlyMap<string, number>;
}

/**
 * A campaign through the REST API, carried by a real Asterisk to a carrier that sipp plays, with real processes: api, scheduler and two workers.
 */
export async function runTrunkCampaign(args: {
  programs: TrunkPrograms;
  databaseUrl: string;
  say?: (what: string) => void;
}): Promise<TrunkCampaign> {
  const { databaseUrl, say = () => undefined } = args;
  const folder = mkdtempSync(join(tmpdir(), 'outdial-trunk-'));
  const closes: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const carrierPort = await freeUdpPort();
    say('Asterisk and the carrier start');
    const asterisk = await startAsterisk({ system: args.programs.system, carrierPort });
    closes.push(() => asterisk.close());
    // Long enough for all lines to be in use before the first of them is free again.
    const times = { ringMs: 300, talkMs: 10_000 };
    const carrier = await startCarrier({ sipp: args.programs.sipp, port: carrierPort, times });
    closes.push(() => carrier.close());
    const watch = await watchChannels(asterisk);
    closes.push(() => watch.close());

    say('api, scheduler and workers start');
    const service = await startService({ databaseUrl, folder, asterisk });
    closes.push(() => service.stop());
    const numbers = recipientNumbers();
    const began = performance.now();
    const campaignId = await startCampaign(service.organization, numbers);
    say(`the campaign runs: ${numbers.length} recipients, ${linesAtOnce} lines`);
    const client = service.organization.clients.manager;
    await waitFor(
      'the campaign to finish',
      async () => (await client.readCampaign(campaignId)).status === 'finished',
      { withinMs: patienceMs },
    );
    const seconds = (performance.now() - began) / 1000;
    say('the records are read, and the recordings listened to');
    await waitFor('the carrier to be at rest', () => watch.live() === 0);
    const records = await readRecords(service, campaignId);
    return {
      seconds,
      mostAtOnce: watch.mostAtOnce(),
      records,
      carrier: { invited: carrier.invited(), ended: carrier.ended() },
      errors: service.errors,
    };
  } finally {
    for (const close of closes.toReversed()) await close();
  }
}

function recipientNumbers(): string[] {
  const endings = Object.entries(recipients).flatMap(([ending, count]) =>
    Array.from({ length: count }, () => ending),
  );
  // Conversations first, which fill the lines; then everything beside everything else, always in the same way.
  const first = linesAtOnce + 10;
  return endings
    .map((ending, at) => ({ ending, place: at < first ? at - first : (at * 83) % endings.length }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ ending }, at) => `+1555${String(10_000 + at)}${ending}`);
}

interface Service {
  organization: TestOrganization;
  baseUrl: string;
  viewerKey: string;
  errors: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

async function startService(args: {
  databaseUrl: string;
  folder: string;
  asterisk: { url: string; user: string; password: string };
}): Promise<Service> {
  const { databaseUrl, asterisk } = args;
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: databaseUrl,
    TELEPHONY_PROVIDER: 'asterisk',
    ASTERISK_URL: asterisk.url,
    ASTERISK_USER: asterisk.user,
    ASTERISK_PASSWORD: asterisk.password,
    ASTERISK_ENDPOINT: 'PJSIP/{number}@trunk',
    ASTERISK_RUNTIME: 'talk@agents',
    PUBLIC_URL: baseUrl,
    RING_TIMEOUT_SECONDS: String(ringTimeoutSeconds),
    MAX_CALL_SECONDS: '60',
    LOG_LEVEL: 'info',
  };
  const members = [
    { name: 'api', program: 'api/src/main.ts', env: { ...env, PORT: String(port) } },
    { name: 'scheduler', program: 'scheduler/src/main.ts', env },
    ...Array.from({ length: workers }, (_, n) => ({
      name: `worker-${n + 1}`,
      program: 'worker/src/main.ts',
      env,
    })),
  ];
  const db = connect({ databaseUrl, poolMax: 2, applicationName: 'trunk-campaign' });
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const fleet = createFleet({ root, folder: args.folder, members });
  const stop = async () => {
    await fleet.stopAll();
    await db.destroy();
  };
  try {
    await prepareQueueBackend({ kind: 'postgres', url: databaseUrl });
    const now = await engineNow(db);
    const settings = { machine_detection: quickDetection, caller_id: callerId };
    await setProvider(db, { name: 'asterisk', changes: { maxLines: linesAtOnce, settings }, now });
    const organization = await makeOrganization(db, { baseUrl, now, change: { timezone: 'UTC' } });
    for (const { name } of members) fleet.start(name);
    await waitFor(
      'the api to answer',
      async () => (await fetch(`${baseUrl}/readyz`).catch(() => null))?.ok ?? false,
      { withinMs: patienceMs },
    );
    const { key } = await createApiKey(db, {
      organizationId: organization.id,
      userId: organization.users.viewer.id,
      name: 'records',
      role: 'viewer',
    });
    return { organization, baseUrl, viewerKey: key, errors: fleet.errors, stop };
  } catch (error) {
    await stop();
    throw new Error(`the service did not start:\n${lastLines(args.folder)}`, { cause: error });
  }
}

/** What the processes said last, for whoever reads a failure. */
function lastLines(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8').split('\n').slice(-4).join('\n')}`)
    .join('\n');
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

const page = z.object({ data: z.object({ calls: z.array(callSchema) }) });

async function readRecords(service: Service, campaignId: string): Promise<RecordedCall[]> {
  const headers = { 'X-API-Key': service.viewerKey };
  const calls: Call[] = [];
  for (let number = 1; ; number += 1) {
    const url = `${service.baseUrl}/api/v1/agents/${service.organization.agentId}/calls?page=${number}&size=100`;
    const answer = page.parse(await (await fetch(url, { headers })).json());
    calls.push(...answer.data.calls);
    if (answer.data.calls.length < 100) break;
  }
  const records: RecordedCall[] = [];
  for (const call of calls.filter((one) => one.meta?.['campaign_id'] === campaignId)) {
    records.push({
      number: call.phone_number ?? '',
      outcome: z.string().nullish().parse(call.meta?.['outcome']) ?? null,
      conversationId: call.conversation_id ?? null,
      digits: (call.events ?? []).map((event) => (event['type'] === 'dtmf' ? event['digit'] : '')).join(''),
      recording: call.recording_url == null ? null : await listen(call.recording_url, headers),
    });
  }
  return records;
}

/** Length and loudest sample of a WAV file with 16-bit samples, 8,000 a second. */
async function listen(
  url: string,
  headers: Record<string, string>,
): Promise<{ seconds: number; peak: number }> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const wav = Buffer.from(await response.arrayBuffer());
  const first = wav.indexOf('data') + 8;
  let peak = 0;
  for (let at = first; at + 1 < wav.length; at += 2) peak = Math.max(peak, Math.abs(wav.readInt16LE(at)));
  return { seconds: (wav.length - first) / 16_000, peak };
}

/** What the record of a call must say, given what the carrier saw of it; null where it saw no end. */
export function expectedOutcome(number: string, seen: CarrierCall | undefined): Outcome {
  const fate: string = Object.entries(fates).find(([ending]) => number.endsWith(ending))?.[1] ?? 'answers';
  switch (seen?.end) {
    case 'busy':
      return 'busy';
    case 'rang_out':
    case 'canceled':
      return 'no_answer';
    case 'declined':
      return 'rejected';
    case 'unknown_number':
      return 'invalid_number';
    case 'hung_up_by_us':
      return fate === 'machine' ? 'voicemail' : 'completed';
    case 'hung_up_by_carrier':
      return 'completed';
    // It never said a word, or that it is congested.
    case 'congestion':
    case undefined:
      return 'failed';
  }
}

/** Differences between the records and what the carrier saw; none where all is well. */
export function differences({ records, carrier }: TrunkCampaign): string[] {
  const seen = new Map(carrier.ended.map((call) => [call.number, call]));
  const recorded = new Map(records.map((record) => [record.number, record]));
  const faults: string[] = [];
  const all = recipientNumbers();
  if (records.length !== all.length) faults.push(`${records.length} records of ${all.length} calls`);
  if (carrier.invited.length !== all.length)
    faults.push(`${carrier.invited.length} calls of ${all.length} reached the carrier`);
  for (const number of all) {
    const record = recorded.get(number);
    const end = seen.get(number);
    const expected = expectedOutcome(number, end);
    if (!carrier.invited.includes(number)) faults.push(`${number} never reached the carrier`);
    if (!record) {
      faults.push(`${number} has no record`);
      continue;
    }
    if (record.outcome !== expected)
      faults.push(`${number}: ${record.outcome}, and the carrier saw ${expected}`);
    if (end && end.callerId !== callerId) faults.push(`${number} was called by ${end.callerId}`);
    if (end && record.conversationId !== null && record.conversationId !== end.sipCallId)
      faults.push(`${number} has the Call-ID of another call`);
    faults.push(...conversationFaults(record));
  }
  return faults;
}

function conversationFaults({ number, digits, recording }: RecordedCall): string[] {
  const faults: string[] = [];
  if (number.endsWith('81') && digits !== '42')
    faults.push(`${number} pressed 42, and "${digits}" was heard`);
  if (!['00', '80', '81'].some((ending) => number.endsWith(ending))) return faults;
  if (recording === null) faults.push(`${number} has no recording`);
  else if (recording.seconds < 1 || recording.peak < 1_000)
    faults.push(`${number}: a recording of ${recording.seconds} s, at most ${recording.peak} loud`);
  return faults;
}
