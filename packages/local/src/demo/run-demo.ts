import { type Db, findOrganizations } from '@outdial/db';
import { createDemoCampaign } from './create-campaign.ts';
import type { DemoList } from './read-list.ts';
import { restClient } from './rest-client.ts';
import type { DemoOrganization } from './seed-demo.ts';
import { summarize } from './summary.ts';
import { watchCampaign } from './watch-campaign.ts';

const FAULTS_SHOWN = 20;
/** Beyond the longest call, how long a campaign may stand still before it counts as stuck. */
const STALL_MS = 90_000;

/** Dials the list on the simulated carrier, shows how it goes, and sums it up. Says whether it was dialed to its end. */
export async function runDemo(args: {
  db: Db;
  demo: DemoOrganization;
  list: DemoList;
  baseUrl: string;
  installationProvider: string;
  maxCallSeconds: number;
  /** A user may pause the campaign while it is watched. */
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
    say('The demo is dialed on the simulated carrier; the one that is set here is not called.');
  }
  const client = restClient({ baseUrl: args.baseUrl, apiKey: demo.keys.manager, signal });
  const name = `Demo ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
  const campaignId = await createDemoCampaign(client, { list, agentId, name });
  say(`Campaign “${name}” (${campaignId}) calls ${list.recipients.length} people of ${list.fileName}`);

  const progress = await watchCampaign({
    db,
    organizationId: demo.organizationId,
    campaignId,
    out: args.out,
    isTerminal: args.isTerminal,
    stalledAfterMs: args.mayWaitForEver ? null : STALL_MS + args.maxCallSeconds * 1000,
    signal,
  });
  const summary = summarize(progress, { recipients: list.recipients.length, leftOut: list.faults.length });
  say(['', ...summary.lines].join('\n'));
  if (summary.fault !== null) say(`\nThis does not add up: ${summary.fault}.`);
  return { isComplete: summary.fault === null };
}

function tellFaults(list: DemoList, say: (text: string) => void): void {
  if (list.faults.length === 0) return;
  say(`Left out of ${list.fileName}:`);
  for (const fault of list.faults.slice(0, FAULTS_SHOWN)) say(`  line ${fault.line} ${fault.message}`);
  if (list.faults.length > FAULTS_SHOWN) say(`  and ${list.faults.length - FAULTS_SHOWN} more`);
}

/** A demo never rings real telephones: where the installation or the organization calls through another carrier, the simulated agent. */
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
