import type { Briefing, TelephonyProvider, TransferResult } from '@outdial/core';
import type { TransferRefusal } from '@outdial/engine';
import type { ConversationStep } from '../conversation/conversation.ts';

export type TransferStep = Extract<ConversationStep, { kind: 'transfer' }>;

/** The optional abilities of a provider during a call. */
export interface CallLine {
  /** False if the provider has not pressed the keys, or not in time. */
  press(digits: string, signal: AbortSignal): Promise<boolean>;
  /** @param brief asks the target first */
  transfer(to: string, signal: AbortSignal, brief?: Briefing): Promise<TransferResult>;
}

/** The second line of a call, for the target of a transfer. */
export interface TransferLine {
  /** Reserves the line and counts the transfer. Returns why the target may not be dialed, or null. */
  reserve(step: TransferStep): Promise<TransferRefusal | null>;
  /** Idempotent. Never rejects. */
  release(): Promise<void>;
}

export type TransferEnd =
  | { result: 'connected' }
  | { result: Exclude<TransferResult, 'connected'> }
  /** Not dialed. */
  | { result: 'refused'; reason: TransferRefusal };

/** A menu that waits for a key hangs up soon. */
const pressWithinMs = 2_000;

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
    async press(digits, signal) {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(pressWithinMs)]);
      return (await provider.pressKeys?.(callId, digits, inTime)) ?? false;
    },
    transfer: async (toPhone, signal, brief) =>
      (await provider.transfer?.({ callId, toPhone, ringTimeoutSeconds, maxCallSeconds, brief }, signal)) ??
      'failed',
  };
}
