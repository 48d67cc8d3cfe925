import type { TransferResult } from '@outdial/core';
import { type TransferRefusal, transfersAtMost } from '@outdial/engine';
import type { ConversationStep } from '../conversation/conversation.ts';
import { wordsOfRefusedTransfer } from '../tools/call-tools.ts';

export type TransferStep = Extract<ConversationStep, { kind: 'transfer' }>;

/** The optional abilities of a provider during a call. */
export interface CallLine {
  /** False if the provider cannot press keys. */
  press(digits: string, signal: AbortSignal): Promise<boolean>;
  transfer(to: string, signal: AbortSignal): Promise<TransferResult>;
}

/** The second line of a call, for the target of a transfer. */
export interface TransferLine {
  /** Reserves the line and counts the transfer. Returns why the target may not be dialed, or null. */
  reserve(step: TransferStep): Promise<TransferRefusal | null>;
  /** Idempotent. Never rejects. */
  release(): Promise<void>;
}

export type TransferEnd =
  | { result: TransferResult }
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
    async dial(step: TransferStep, signal: AbortSignal): Promise<TransferEnd> {
      attempts += 1;
      if (attempts > transfersAtMost) return { result: 'refused', reason: 'too_many_transfers' };
      if (line === null) return { result: 'failed' };
      let result: TransferResult = 'failed';
      try {
        const reason = await transferLine.reserve(step);
        if (reason !== null) return { result: 'refused', reason };
        if (!signal.aborted) result = await line.transfer(step.to, signal);
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

const wordsOfResult: Readonly<Record<TransferResult, string>> = {
  connected:
    '[The target is on the line, and hears you as the person does. Say in one sentence who is calling and why; you leave after that.]',
  busy: '[The transfer failed: the line is busy. The person is still with you.]',
  no_answer: '[The transfer failed: no answer. The person is still with you.]',
  failed: '[The transfer failed. The person is still with you.]',
};

/** Tells the model the result of a transfer. */
export function wordsOfTransfer({ target }: TransferStep, end: TransferEnd): string {
  if (end.result === 'refused') return `[${wordsOfRefusedTransfer(target, end.reason)}]`;
  return wordsOfResult[end.result];
}
