import type { TelephonyProvider } from '@outdial/core';
import type { ProviderRow } from './adapter.ts';
import { findAdapter, type Installations } from './registry.ts';

/** The carrier settings of the installation's environment. */
export type TelephonySettings = Partial<Installations> & {
  /** How providers reach the api, without a trailing slash. */
  publicUrl?: string;
};

/** The default limits of a new provider; null for no limit. */
export function firstCallsPerSecond(adapter: string): number | null {
  return findAdapter(adapter)?.firstCallsPerSecond ?? null;
}

/** The adapter of a provider; null if this build has none of that name, or the row's settings do not fit. */
export function buildProvider(
  row: ProviderRow,
  settings: TelephonySettings,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TelephonyProvider | null {
  const adapter = findAdapter(row.adapter);
  if (adapter === undefined) return null;
  const { publicUrl = 'http://localhost:3000' } = settings;
  return adapter.build(row, { installation: settings[adapter.name], publicUrl, environment });
}
