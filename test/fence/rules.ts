/**
 * The import rules of docs/architecture.md, "Packages", as data. A package is a top-level folder (`api`, `db`, …) or a folder of `packages`
 * (`packages/core`).
 */
export type Package = string;

/** The workspace packages that each package may import. A package may always import itself. */
export const allowedPackages: Readonly<Record<Package, readonly Package[] | 'any package' | 'everything'>> = {
  'packages/core': [],
  'packages/client': [],
  'packages/mcp': ['packages/client', 'packages/runtime'],
  'packages/console': ['packages/client', 'packages/core'],
  'packages/contracts': ['packages/core'],
  'packages/providers': ['packages/core', 'packages/runtime'],
  'packages/runtime': ['packages/core'],
  'packages/sheets': [],
  'packages/queues': ['packages/core', 'packages/contracts'],
  'packages/engine': ['packages/core', 'packages/contracts', 'packages/queues', 'db'],
  'packages/webhooks': ['packages/core', 'packages/contracts', 'packages/queues', 'packages/runtime', 'db'],
  'packages/service': ['packages/core', 'packages/queues', 'packages/engine', 'packages/runtime', 'db'],
  'packages/voice': 'any package',
  'packages/cli': 'any package',
  'packages/local': 'any package',
  db: ['packages/core'],
  api: 'any package',
  scheduler: 'any package',
  worker: 'any package',
  test: 'everything',
};

/** Pure packages: they may use only these external packages, and no module of Node. */
export const allowedOutside: Readonly<Record<Package, readonly string[]>> = {
  'packages/core': ['ipaddr.js', 'luxon', 'libphonenumber-js', 'tinyqueue'],
};

/** The package of the adapters. Only `main.ts` of a program may import it, because it decides which adapters are built. */
export const adapterPackage = 'packages/providers';

/** Modules of that package that build no adapter, which others may import. */
export const adapterFacts: readonly string[] = ['@outdial/providers/environment'];

/**
 * The layers of packages: a folder may import the folders before it, never those after it. Files beside the folders are the base layer, which all may
 * import, unless they are listed. `index.ts`, the entry point, may import every folder.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'db/src': [
    'schema',
    'lists',
    'locks.ts',
    'postgres',
    'audit',
    'transaction.ts',
    'connect.ts',
    'migrate.ts',
    'gate-locks.ts',
    'limits-changed.ts',
    'agents',
    'api-keys',
    'audit-log',
    'tags',
    'calls',
    'campaign-counts',
    'caller-ids',
    'compliance',
    'organizations',
    'outbox',
    'recordings',
    'workers',
    'providers',
    'lines',
    'send',
    'direct',
    'campaigns',
    'gate',
    'progress',
    'dial',
    'repair',
    'waiting',
    'idempotency',
    'inbound',
    'knowledge-base',
    'metrics',
    'people',
    'recipients',
    'retention',
    'sessions',
    'suppressions',
    'usage',
    'users',
    'voice',
    'webhooks',
  ],
  'packages/engine/src': [
    'provider-health',
    'compliance',
    'gate',
    'progress',
    'send',
    'dial',
    'campaigns',
    'direct',
    'inbound',
    'repair',
    'waiting',
    'receipts',
    'forecast',
  ],
  'packages/voice/src': [
    'audio',
    'turn',
    'machine',
    'activity',
    'models',
    'language-model',
    'tools',
    'conversation',
    'legs',
    'call',
    'metrics',
    'recorder',
    'process',
    'realtime',
    'simulation',
    'open-conversation.ts',
    'voice-process.ts',
    'main.ts',
  ],
  'packages/console/src/app': [
    'styles',
    'words',
    'plots',
    'data',
    'prompts',
    'sheets',
    'ui',
    'screens',
    'further-screens.ts',
    'screens.tsx',
    'app.tsx',
    'main.tsx',
  ],
};

/** Files that may import computed paths, with the reason. */
export const computedImports: Readonly<Record<string, string>> = {
  'db/src/migrate.ts': 'migrations are found by listing their folder',
  'test/ops/check/helm.ts': 'the schemas are downloaded into the cache, and are not a dependency',
};

/** May `from` import `to`? */
export function mayImport(from: Package, to: Package): boolean {
  if (from === to) return true;
  const allowed = allowedPackages[from];
  if (allowed === undefined) return false;
  if (allowed === 'everything') return true;
  if (allowed === 'any package') return to === 'db' || to.startsWith('packages/');
  return allowed.includes(to);
}
