import type { TelephonyProvider } from '@outdial/core';
import { ensureProvider, type Db, type ProviderAdapterRow } from '@outdial/db';
import { createProviderDirectory } from '@outdial/engine';
import { startLoop, type ProcessContext } from '@outdial/runtime';

const refreshMs = 5_000;

/**
 * The adapters of a process that asks providers or hears from them, by the names of their rows. Makes sure of the installation's own
 * provider, builds what the table names, and keeps in step with it. Which adapters there are is the caller's knowledge.
 */
export async function openProviders(
  { log, shutdown }: Pick<ProcessContext<unknown>, 'log' | 'shutdown'>,
  args: {
    db: Db;
    /** Null if this process cannot build the adapter. */
    build: (row: ProviderAdapterRow) => TelephonyProvider | null;
    /** The provider of calls whose agent and organization name none. */
    installationProvider: string;
    /** The pace that a row of this adapter begins with; null for none. */
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
        'skipped a provider with the same secret as another one: each needs its own',
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
