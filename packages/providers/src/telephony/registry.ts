import type { SettingsOf } from '@outdial/runtime';
import type { TelephonyAdapter } from './adapter.ts';
import { asteriskAdapter } from './asterisk/adapter.ts';
import { gatewayAdapter } from './gateway/adapter.ts';
import { simulatorAdapter } from './simulator/adapter.ts';
import { twilioAdapter } from './twilio/adapter.ts';

const registered = {
  simulator: simulatorAdapter,
  gateway: gatewayAdapter,
  asterisk: asteriskAdapter,
  twilio: twilioAdapter,
} as const;

export type AdapterName = keyof typeof registered;

/** The environment's settings for each kind of carrier. */
export type Installations = SettingsOf<{
  [Name in AdapterName]: (typeof registered)[Name]['environment'];
}>;

/** Every kind of carrier that this build supports. */
export const adapters: ReadonlyArray<TelephonyAdapter<AdapterName, unknown>> = Object.values(registered);

export const adapterNames: readonly AdapterName[] = adapters.map((adapter) => adapter.name);

export function findAdapter(name: string): TelephonyAdapter<AdapterName, unknown> | undefined {
  return adapters.find((adapter) => adapter.name === name);
}
