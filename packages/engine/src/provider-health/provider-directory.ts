import type { TelephonyProvider } from '@outdial/core';
import { listProviderAdapters, type Db, type ProviderAdapterRow } from '@outdial/db';

/** The adapters of this process by name of their row, kept in sync with the providers table. */
export interface ProviderDirectory {
  readonly providers: ReadonlyMap<string, TelephonyProvider>;
  /** Builds adapters for new or changed rows, and drops those of deleted rows. Returns how many changed. */
  refresh(): Promise<{ changed: number }>;
}

export function createProviderDirectory(args: {
  db: Db;
  /** Null if this process cannot build the adapter. */
  build: (row: ProviderAdapterRow) => TelephonyProvider | null;
  /** Called once for a provider that is skipped because another one has the same secret. */
  onSharedSecret?: (provider: string, other: string) => void;
}): ProviderDirectory {
  const providers = new Map<string, TelephonyProvider>();
  const builtFrom = new Map<string, string>();

  /** Providers with the same secret could forge each other's events. */
  function findSharing(name: string, { secretId }: TelephonyProvider): string | undefined {
    if (secretId === undefined) return undefined;
    for (const [other, provider] of providers) {
      if (other !== name && provider.secretId === secretId) return other;
    }
    return undefined;
  }

  return {
    providers,
    async refresh() {
      const rows = await listProviderAdapters(args.db);
      let changed = 0;
      for (const row of rows) {
        const source = JSON.stringify([row.adapter, row.settings]);
        if (builtFrom.get(row.name) === source) continue;
        builtFrom.set(row.name, source);
        changed += 1;
        const provider = args.build(row);
        const other = provider ? findSharing(row.name, provider) : undefined;
        if (other !== undefined) args.onSharedSecret?.(row.name, other);
        if (provider && other === undefined) providers.set(row.name, provider);
        else providers.delete(row.name);
      }
      const names = new Set(rows.map((row) => row.name));
      for (const name of builtFrom.keys()) {
        if (names.has(name)) continue;
        builtFrom.delete(name);
        providers.delete(name);
        changed += 1;
      }
      return { changed };
    },
  };
}
