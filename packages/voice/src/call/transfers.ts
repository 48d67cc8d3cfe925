import type { Briefing, TransferResult } from '@outdial/core';
import { type TransferRefusal, transfersAtMost } from '@outdial/engine';
import type { ConversationStep } from '../conversation/conversation.ts';
import { wordsOfRefusedTransfer } from '../tools/call-tools.ts';

export type TransferStep = Extract<ConversationStep, { kind: 'transfer' }>;

/** The optional abilities of a provider during a call. */
export interface CallLine {
  /** False if the provider has not pressed the keys. */
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

/** Dials the transfers of one call. */
export function createTransfers(parts: {
  line: CallLine | null;
  transferLine: TransferLine;
  log: { warn(fields: object, message: string): void };
}) {
  const { line, transferLine, log } = parts;
  let attempts = 0;

  return {
    /** Reserves a line just before dialing. Unless the target is connected, the line is free again when this resolves. */
    async dial(step: TransferStep, signal: AbortSignal, brief: Briefing): Promise<TransferEnd> {
      attempts += 1;
      if (attempts > transfersAtMost) return { result: 'refused', reason: 'too_many_transfers' };
      if (line === null) return { result: 'failed' };
      let result: TransferResult = 'failed';
      try {
        const reason = await transferLine.reserve(step);
        if (reason !== null) return { result: 'refused', reason };
        if (!signal.aborted) {
          result = await line.transfer(step.to, signal, step.mode === 'warm' ? brief : undefined);
        }
      } catch (error) {
        log.warn({ err: error }, 'a transfer failed');
      } finally {
        // Needed even if the reservation failed, because it may have been committed. The next transfer waits for the release.
        if (result !== 'connected') await transferLine.release();
      }
      return { result };
    },
  };
}

/** Asks the model for what the target of a warm transfer is told. */
export const wordsToBrief = (target: string): string =>
  `[${target} is on the line and hears you. The person is on hold and does not. Say in one sentence to ${target} who is calling and why. They are then asked whether they take the call.]`;

const wordsOfFailure: Readonly<Record<Exclude<TransferResult, 'connected'>, string>> = {
  busy: 'the line is busy',
  no_answer: 'no answer',
  not_taken: 'nobody took the call, or a mailbox answered. The person heard none of it',
  failed: 'a technical fault',
};

/** Tells the model why the person is still there. */
export function wordsOfTransfer(
  { target }: TransferStep,
  end: Exclude<TransferEnd, { result: 'connected' }>,
): string {
  if (end.result === 'refused') return `[${wordsOfRefusedTransfer(target, end.reason)}]`;
  return `[The transfer failed: ${wordsOfFailure[end.result]}. The person is with you again.]`;
}
