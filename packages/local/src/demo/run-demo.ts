import { setTimeout as delay } from 'node:timers/promises';
import {
  type CampaignProgress,
  type Db,
  findCampaignProgress,
  findOrganizations,
  inTransaction,
  listCallsToCompare,
  requestHangUps,
} from '@outdial/db';
import { recipientFields, isOver, openProgressDisplay } from '@outdial/cli';
import type { DemoList } from './read-list.ts';
import type { DemoOrganization } from './seed-demo.ts';
import { summarize } from './summary.ts';
import { StartError } from '../start-error.ts';
import { z } from 'zod';

const faultsShown = 20;
/** A campaign is stuck if nothing changes for this much longer than the longest call. */
const stallMs = 90_000;
/** Some simulated calls never report their end. The demo hangs them up this long after they should have ended. */
const silentCallMs = 5_000;

/** Dials the list on the simulated carrier, shows the progress and prints a summary. */
export async function runDemo(args: {
  db: Db;
  demo: DemoOrganization;
  list: DemoList;
  baseUrl: string;
  installationProvider: string;
  simulator: { ringMs: number; talkMs: number };
  /** Never give up on a campaign that stands still, since a user may have paused it. */
  mayWaitForEver: boolean;
  out: { write(text: string): unknown };
  isTerminal: boolean;
  signal: AbortSignal;
}): Promise<{ isComplete: boolean }> {
  const { db, demo, list, signal } = args;
  const say = (text: string) => args.out.write(`${text}\n`);
  tellFaults(list, say);

  const agentId = await agentForDemo(args);
  if (agentId !== demo.agentId) {
    say('The demo uses the simulated carrier, not the configured one.');
  }
  const client = restClient({ baseUrl: args.baseUrl, apiKey: demo.keys.manager, signal });
  const name = `Demo ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
  const campaignId = await createDemoCampaign(client, { list, agentId, name });
  say(`Campaign “${name}” (${campaignId}) calls ${list.recipients.size} people from ${list.fileName}`);

  const longestCallMs = args.simulator.ringMs + args.simulator.talkMs + silentCallMs;
  const progress = await watchCampaign({
    db,
    organizationId: demo.organizationId,
    campaignId,
    out: args.out,
    isTerminal: args.isTerminal,
    longestCallMs,
    stalledAfterMs: args.mayWaitForEver ? null : stallMs + longestCallMs,
    signal,
  });
  const summary = summarize(progress, { recipients: list.recipients.size, leftOut: list.faults.length });
  say(['', ...summary.lines].join('\n'));
  if (summary.fault !== null) say(`\nThe counts do not add up: ${summary.fault}.`);
  return { isComplete: summary.fault === null };
}

function tellFaults(list: DemoList, say: (text: string) => void): void {
  if (list.faults.length === 0) return;
  say(`Left out of ${list.fileName}:`);
  for (const fault of list.faults.slice(0, faultsShown)) say(`  line ${fault.line} ${fault.message}`);
  if (list.faults.length > faultsShown) say(`  and ${list.faults.length - faultsShown} more`);
}

/** A demo never rings real phones: it uses the simulated agent unless the simulator is the default provider. */
async function agentForDemo(args: {
  db: Db;
  demo: DemoOrganization;
  installationProvider: string;
}): Promise<string> {
  const { demo } = args;
  const [organization] = await findOrganizations(args.db, { named: demo.organizationId, limit: 1 });
  const provider = organization?.default_provider ?? args.installationProvider;
  return provider === 'simulator' ? demo.agentId : demo.simulatedAgentId;
}

/** With this many concurrent calls, two hundred take about twenty seconds: short, but long enough to watch. */
const maxConcurrentCalls = 40;

/** Creates the demo's campaign and starts it. Returns its id. */
async function createDemoCampaign(
  client: RestClient,
  args: { list: DemoList; agentId: string; name: string },
): Promise<string> {
  const id = await client.send('POST', '/api/v1/campaigns', {
    name: args.name,
    agent_id: args.agentId,
    status: 'draft',
    ...recipientFields(args.list.recipients, undefined),
  });
  await client.send('PUT', `/api/v1/campaigns/${id}/config`, {
    call_on_weekend: true,
    call_back_attempts: 2,
    retry_delay_seconds: 2,
    max_concurrent_calls: maxConcurrentCalls,
  });
  await client.send('PUT', `/api/v1/campaigns/${id}/status`, { status: 'running' });
  return id;
}

const terminalPollMs = 250;
const linesPollMs = 1_000;
/** Enough for a crashed Postgres to restart. */
const outageMs = 60_000;

/**
 * Shows a campaign's progress until it is over, and hangs up simulated calls that last too long.
 * @param stalledAfterMs returns if nothing changes for this long; null never does, for example during a pause
 * @throws the signal's reason
 */
async function watchCampaign(args: {
  db: Db;
  organizationId: string;
  campaignId: string;
  out: { write(text: string): unknown };
  isTerminal: boolean;
  longestCallMs: number;
  stalledAfterMs: number | null;
  signal: AbortSignal;
}): Promise<CampaignProgress> {
  const { db, signal, stalledAfterMs } = args;
  const display = openProgressDisplay({ out: args.out, isTerminal: args.isTerminal }, {});
  let last = '';
  let changedAt = performance.now();
  let readAt = performance.now();
  const pollMs = args.isTerminal ? terminalPollMs : linesPollMs;
  // `delay` rejects with an AbortError, not with the signal's reason.
  const pause = () => delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  try {
    for (;;) {
      const progress = await watchOnce(db, args).catch((error: unknown) => {
        if (performance.now() - readAt > outageMs) throw error;
        return undefined;
      });
      if (progress === undefined) {
        await pause();
        continue;
      }
      readAt = performance.now();
      if (progress === null) throw new StartError('campaign_gone', 'The demo’s campaign was deleted.');
      display.show(progress);
      if (isOver(progress)) return progress;
      const state = JSON.stringify({ ...progress, asOf: null });
      if (state !== last) changedAt = performance.now();
      last = state;
      if (stalledAfterMs !== null && performance.now() - changedAt > stalledAfterMs) return progress;
      await pause();
    }
  } finally {
    display.close();
  }
}

async function watchOnce(
  db: Db,
  args: { organizationId: string; campaignId: string; longestCallMs: number },
): Promise<CampaignProgress | null> {
  const progress = await findCampaignProgress(db, args);
  if (progress === null) return null;
  const longestAgo = new Date(progress.as_of.getTime() - args.longestCallMs);
  // Those of an interrupted demo too, whose people cannot be called before their calls end.
  const all = { provider: 'simulator', since: new Date(0), areInProgress: true };
  for (const { id, organizationId, gatedAt } of await listCallsToCompare(db, all)) {
    if (organizationId !== args.organizationId || gatedAt > longestAgo) continue;
    await inTransaction(db, (tx) => requestHangUps(tx, { organizationId, callId: id }, progress.as_of));
  }
  return progress;
}

const answer = z.object({ data: z.object({ id: z.string() }) });
const refusal = z.object({ detail: z.unknown() });

interface RestClient {
  /** Sends a request as JSON and returns the id of the created or changed resource. */
  send(method: 'POST' | 'PUT', path: string, body: object): Promise<string>;
}

/** The demo uses only the public REST interface. */
function restClient(args: { baseUrl: string; apiKey: string; signal: AbortSignal }): RestClient {
  return {
    async send(method, path, body) {
      const response = await fetch(`${args.baseUrl}${path}`, {
        method,
        headers: { 'X-API-Key': args.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: args.signal,
      });
      const json: unknown = await response.json();
      if (response.ok) return answer.parse(json).data.id;
      const { data: refused } = refusal.safeParse(json);
      throw new StartError(
        'demo_refused',
        `The api answered ${response.status} to ${method} ${path}: ${JSON.stringify(refused?.detail ?? null)}`,
      );
    },
  };
}
