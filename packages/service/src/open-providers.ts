import type { TelephonyProvider } from '@outdial/core';
import { ensureProvider, type Db, type ProviderAdapterRow } from '@outdial/db';
import { createProviderDirectory } from '@outdial/engine';
import { startLoop, type ProcessContext } from '@outdial/runtime';

const refreshMs = 5_000;

/**
 * Builds an adapter for each row of the providers table, by name, and follows changes of the table. Creates the row of the installation's
 * default provider if it is missing.
 */
export async function openProviders(
  { log, shutdown }: Pick<ProcessContext<unknown>, 'log' | 'shutdown'>,
  args: {
    db: Db;
    /** Null if this process cannot build the adapter. */
    build: (row: ProviderAdapterRow) => TelephonyProvider | null;
    /** The default provider, for calls whose agent and organization name none. */
    installationProvider: string;
    /** The initial pace of a new row; null for none. */
    firstCallsPerSecond: (adapter: string) => number | null;
  },
): Promise<ReadonlyMap<string, TelephonyProvider>> {
  const name = args.installationProvider;
  await ensureProvider(args.db, {
    name,
    adapter: name,
    callsPerSecond: args.firstCallsPerSecond(name),
  });
  const directory = createProviderDirectory({
    db: args.db,
    build: args.build,
    onSharedSecret: (provider, other) =>
      log.error(
        { provider, other },
        'skipped a provider that shares its secret with another one: each needs its own',
      ),
  });
  await directory.refresh();
  const loop = startLoop({
    name: 'providers',
    log,
    runOnce: () => directory.refresh(),
    waitMs: () => refreshMs,
  });
  shutdown.add('providers', () => loop.stop());
  return directory.providers;
}
