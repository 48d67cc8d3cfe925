import type { TelephonyProvider } from '@outdial/core';
import type { LineAbilities } from '../tools/tools-of-agent.ts';
import type { CallLine } from './transfers.ts';

/** What a carrier can do for the calls of one provider. */
export const abilitiesOf = (provider: TelephonyProvider | undefined): LineAbilities => ({
  transfers: provider?.transfer !== undefined,
  keys: provider?.pressKeys !== undefined,
});

/** The line of one call, for what is not sound. */
export function lineOfCall(
  provider: TelephonyProvider | undefined,
  call: { id: string; ringTimeoutSeconds: number; maxCallSeconds: number },
): CallLine | null {
  if (provider === undefined) return null;
  const { id: callId, ringTimeoutSeconds, maxCallSeconds } = call;
  return {
    press: async (digits, signal) => (await provider.pressKeys?.(callId, digits, signal)) ?? false,
    transfer: async (toPhone, signal) =>
      (await provider.transfer?.({ callId, toPhone, ringTimeoutSeconds, maxCallSeconds }, signal)) ??
      'failed',
  };
}
