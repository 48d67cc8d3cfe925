import type { TelephonyProvider } from '@outdial/core';
import { buildProvider } from '@outdial/providers';
import type { AdapterName } from '@outdial/providers/environment';

export { callReference, callRequest } from '../../packages/providers/src/telephony/call.fixture.ts';

/**
 * The adapter of a row with these settings, which is named like its adapter.
 * @throws if the settings are not valid
 */
export function providerOf(
  adapter: AdapterName,
  installation: Parameters<typeof buildProvider>[1],
  settings: Record<string, unknown> = {},
): TelephonyProvider {
  const provider = buildProvider({ name: adapter, adapter, settings }, installation);
  if (provider === null) throw new Error(`no ${adapter}`);
  return provider;
}
