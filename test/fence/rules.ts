/**
 * Who may import whom, as data. The rules are those of docs/architecture.md, "Layout"; a package is a
 * top-level folder (`api`, `db`, …) or one package (`packages/core`).
 */
export type Package = string;

/** The workspace packages that each package may import. A package may always import itself. */
export const allowedPackages: Readonly<Record<Package, readonly Package[] | 'any package' | 'everything'>> = {
  'packages/core': [],
  'packages/client': [],
  'packages/mcp': ['packages/client'],
  'packages/console': ['packages/client'],
  'packages/contracts': ['packages/core'],
  'packages/providers': ['packages/core', 'packages/runtime'],
  'packages/runtime': ['packages/core'],
  'packages/sheets': [],
  'packages/queues': ['packages/core', 'packages/contracts'],
  'packages/engine': ['packages/core', 'packages/contracts', 'packages/queues', 'db'],
  'packages/webhooks': ['packages/core', 'packages/contracts', 'packages/queues', 'db'],
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

/** Packages whose sources may use no outside package but these, and nothing of Node's own: they are pure. */
export const allowedOutside: Readonly<Record<Package, readonly string[]>> = {
  'packages/core': ['luxon', 'libphonenumber-js', 'tinyqueue'],
};

/** The package of the adapters: only a program's `main.ts` decides which adapter is built. */
export const adapterPackage = 'packages/providers';

/** What of that package builds no adapter, and is free to all that may import packages. */
export const adapterFacts: readonly string[] = ['@outdial/providers/environment'];

/**
 * Folders of a package in the order in which they stand: a folder imports those before it, never those after it. Files beside them
 * are the ground that all stand on; only `index.ts`, the package's door, imports from every folder.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'packages/engine/src': [
    'limits',
    'provider-health',
    'pacing',
    'compliance',
    'progress',
    'calls',
    'campaigns',
    'sweeps',
    'waiting',
    'receipts',
    'consents',
    'number-changes',
    'scrub-lists',
    'forecast',
  ],
};

/** Files that may import a path which is known only when they run, and why. */
export const computedImports: Readonly<Record<string, string>> = {
  'db/src/migrate.ts': 'migrations are found by listing their folder',
  'test/ops/check/helm.ts': 'the schemas are brought into the cache, and are no dependency',
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
