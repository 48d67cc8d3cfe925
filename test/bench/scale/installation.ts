import { createJournal, createResource, type Journal, type Resource } from './kernel.ts';
import { counterRows, type Deployment } from './model.ts';

export interface Campaign {
  n: number;
  lines: number;
  free: Array<{ sinceMs: number }>;
  row: Resource;
  organization: Resource[];
  provider: Resource[];
  database: Database;
  /** The queue's rule: at most one waits and one runs. */
  isWaiting: boolean;
  isRunning: boolean;
}

interface Database {
  cpu: Resource;
  journal: Journal;
}

export interface Worker {
  loop: Resource;
  advances: Resource;
  /** Batches of ended calls in progress. */
  lanes: Resource;
  ended: Campaign[];
  laneWaits: boolean;
}

/** The resources of a simulated installation: rows, CPUs, journals and threads. */
export interface Installation {
  campaigns: Campaign[];
  workers: Worker[];
  databases: Database[];
  /** The shards of their counters. Empty if lines are not counted. */
  organizations: Resource[][];
  providers: Resource[][];
  redis: Resource[];
}

export function buildInstallation(deployment: Deployment): Installation {
  const rowOf = rowsBy(deployment);
  const databases = Array.from({ length: deployment.databases }, (_, n) => ({
    cpu: createResource(`Postgres CPU ${n}`, deployment.postgresCores),
    journal: createJournal(deployment.commitMs),
  }));
  const organizations = Array.from({ length: deployment.organizations }, (_, n) => rowOf('organization', n));
  // Each database has its own row for a provider.
  const providers = Array.from({ length: deployment.providers * deployment.databases }, (_, n) =>
    rowOf('provider', n),
  );
  const redis = Array.from({ length: deployment.redisNodes }, (_, n) => createResource(`Redis ${n}`, 1));
  const workers: Worker[] = Array.from({ length: deployment.workers }, (_, n) => ({
    loop: createResource(`worker loop ${n}`, 1),
    advances: createResource(`advances ${n}`, 8),
    lanes: createResource(`lanes ${n}`, 3),
    ended: [],
    laneWaits: false,
  }));
  const campaigns = makeCampaigns(deployment, { organizations, providers, databases });
  return { campaigns, workers, databases, organizations, providers, redis };
}

/** The shards of a counter. Empty if lines are not counted. */
function rowsBy(deployment: Deployment): (level: 'organization' | 'provider', n: number) => Resource[] {
  const shards = counterRows(deployment);
  return (level, n) =>
    Array.from({ length: shards }, (_, shard) => createResource(`${level} ${n}.${shard}`, 1));
}

/** One shard for each organization and each provider, without duplicates, in lock order: organizations first. */
export function sharedRows(
  campaigns: readonly Campaign[],
  pick: <Item>(items: readonly Item[]) => Item,
): Set<Resource> {
  const rows = new Set<Resource>();
  for (const level of ['organization', 'provider'] as const) {
    const counters = new Set(campaigns.map((campaign) => campaign[level]));
    const chosen = [...counters].filter((shards) => shards.length > 0).map((shards) => pick(shards));
    for (const row of chosen.toSorted((a, b) => (a.name < b.name ? -1 : 1))) rows.add(row);
  }
  return rows;
}

function makeCampaigns(
  deployment: Deployment,
  world: { organizations: Resource[][]; providers: Resource[][]; databases: Database[] },
): Campaign[] {
  return Array.from({ length: deployment.campaigns }, (_, n) => {
    const lines = Math.floor(deployment.lines / deployment.campaigns);
    const organization =
      world.organizations[
        shareOf(n, deployment.campaigns, deployment.busiestOrganization, deployment.organizations)
      ];
    const which = shareOf(n, deployment.campaigns, deployment.busiestProvider, deployment.providers);
    const provider = world.providers[which * deployment.databases + (n % deployment.databases)];
    const database = world.databases[n % deployment.databases];
    if (!organization || !provider || !database) {
      throw new Error('a deployment has organizations, providers and databases');
    }
    return {
      n,
      lines,
      free: [],
      row: createResource(`campaign ${n}`, 1),
      organization,
      provider,
      database,
      isWaiting: false,
      isRunning: false,
    };
  });
}

/** The first of several gets the share of the busiest. The others divide the rest equally. */
function shareOf(n: number, campaigns: number, busiest: number, many: number): number {
  if (many === 1 || n < campaigns * busiest) return 0;
  return 1 + (n % (many - 1));
}
