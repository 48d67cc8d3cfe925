import { type Db, findOrganizations } from '@outdial/db';
import { createDemoCampaign } from './create-campaign.ts';
import type { DemoList } from './read-list.ts';
import { restClient } from './rest-client.ts';
import type { DemoOrganization } from './seed-demo.ts';
import { summarize } from './summary.ts';
import { watchCampaign } from './watch-campaign.ts';

const faultsShown = 20;
/** A campaign is stuck if nothing changes for this much longer than the longest call. */
const stallMs = 90_000;

/** Dials the list on the simulated carrier, shows the progress and prints a summary. */
export async function runDemo(args: {
  db: Db;
  demo: DemoOrganization;
  list: DemoList;
  baseUrl: string;
  installationProvider: string;
  maxCallSeconds: number;
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

  const progress = await watchCampaign({
    db,
    organizationId: demo.organizationId,
    campaignId,
    out: args.out,
    isTerminal: args.isTerminal,
    stalledAfterMs: args.mayWaitForEver ? null : stallMs + args.maxCallSeconds * 1000,
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
