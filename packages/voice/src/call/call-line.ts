import type { TelephonyProvider } from '@outdial/core';
import type { CallLine } from './transfers.ts';

export const canTransfer = (provider: TelephonyProvider | undefined): boolean =>
  provider?.transfer !== undefined;

/** Null if this process does not know the provider. */
export function createCallLine(
  provider: TelephonyProvider | undefined,
  call: { id: string; ringTimeoutSeconds: number; maxCallSeconds: number },
): CallLine | null {
  if (provider === undefined) return null;
  const { id: callId, ringTimeoutSeconds, maxCallSeconds } = call;
  return {
    press: async (digits, signal) => (await provider.pressKeys?.(callId, digits, signal)) ?? false,
    transfer: async (toPhone, signal, brief) =>
      (await provider.transfer?.({ callId, toPhone, ringTimeoutSeconds, maxCallSeconds, brief }, signal)) ??
      'failed',
  };
}
