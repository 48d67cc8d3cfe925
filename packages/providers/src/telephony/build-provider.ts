import type { TelephonyProvider } from '@outdial/core';
import type { ProviderRow } from './adapter.ts';
import { findAdapter, type Installations } from './registry.ts';

/** The carrier settings of the installation's environment. */
export type TelephonySettings = Partial<Installations> & {
  /** The URL at which providers reach the api, without a trailing slash. */
  publicUrl?: string;
};

/** The calls per second of a new provider; null for no limit. */
export function firstCallsPerSecond(adapter: string): number | null {
  return findAdapter(adapter)?.firstCallsPerSecond ?? null;
}

/** The adapter of a provider. Null if this build has no adapter of that name, or the row's settings are invalid. */
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
