import { keyTones } from '../audio/key-tones.ts';
import { lineRate } from '../audio/mu-law.ts';
import type { Conversation, ConversationStep } from '../conversation/conversation.ts';
import type { Leg } from '../legs/leg.ts';
import type { SpokenItem } from '../conversation/conversation.ts';
import type { TurnInput } from '../turn/turn-messages.ts';
import type { CallLine, TransferEnd, TransferStep } from './call-line.ts';
import { wordsOfTransfer } from './transfers.ts';

type Steps = (signal: AbortSignal) => AsyncIterable<ConversationStep>;

/** Carries out the agent's answers, and reports their progress as inputs of the turn rules. */
export function createAgentSide(parts: {
  conversation: Conversation;
  leg: Leg;
  line: CallLine | null;
  dial: (step: TransferStep) => Promise<TransferEnd>;
  onTransfer: (step: TransferStep, end: TransferEnd) => void;
  /** Continues an answer, unless the person is to hear something else. */
  goOn: (answer: number, steps: Steps) => void;
  /** Cuts a scripted text into the pieces that are synthesized one by one. */
  piecesOf: (text: string) => readonly string[];
  /** Queues a piece of an answer for speech. */
  speak: (answer: number, text: string, sound?: SpokenItem) => void;
  dispatch: (input: TurnInput) => void;
  isOver: () => boolean;
  nowMs: () => number;
  log: { warn(fields: object, message: string): void };
}) {
  const { conversation, leg, dispatch, nowMs, log } = parts;
  let stopped = new AbortController();
  let working: Promise<void> = Promise.resolve();

  function say(answer: number, text: string, sound?: SpokenItem): void {
    if (text.trim() === '' && sound === undefined) return;
    dispatch({ at: nowMs(), kind: 'piece', answer, text });
    leg.words?.say(text);
    parts.speak(answer, text, sound);
  }

  function complete(answer: number, end: string | null): void {
    leg.words?.end();
    dispatch({ at: nowMs(), kind: 'replied', answer, end });
  }

  async function follow(answer: number, steps: Steps): Promise<void> {
    stopped = new AbortController();
    const { signal } = stopped;
    let reason: string | null = null;
    for await (const step of steps(signal)) {
      if (signal.aborted) return;
      if (step.kind === 'say') say(answer, step.text, step.sound);
      if (step.kind === 'working') dispatch({ at: nowMs(), kind: 'working', answer });
      if (step.kind === 'end_call') reason = step.reason;
      if (step.kind === 'send_dtmf') await press(answer, step.digits, signal);
      if (step.kind === 'transfer') return transfer(answer, step);
    }
    if (!signal.aborted) complete(answer, reason);
  }

  /** Presses keys, by sound if neither the leg nor the provider can signal them. */
  async function press(answer: number, digits: string, signal: AbortSignal): Promise<void> {
    if (parts.isOver()) return;
    if (leg.press !== undefined) return leg.press(digits);
    if ((await parts.line?.press(digits, signal)) === true || signal.aborted) return;
    const samples = keyTones(digits);
    say(answer, '', {
      id: 'keys',
      text: () => '',
      ms: () => (samples.length / lineRate) * 1_000,
      async *samples() {
        yield samples;
      },
    });
  }

  /** The agent stays with the person unless the target takes the call. */
  async function transfer(answer: number, step: TransferStep): Promise<void> {
    if (parts.isOver()) return;
    dispatch({ at: nowMs(), kind: 'transferring', answer, isTransferring: true });
    dispatch({ at: nowMs(), kind: 'working', answer });
    const end = await parts.dial(step);
    if (parts.isOver()) return;
    parts.onTransfer(step, end);
    if (end.result === 'connected') return complete(answer, 'transferred');
    dispatch({ at: nowMs(), kind: 'transferring', answer, isTransferring: false });
    parts.goOn(answer, (signal) => conversation.replyToEvent(wordsOfTransfer(step, end), signal));
  }

  async function greet(answer: number): Promise<void> {
    const text = await conversation.greeting();
    for (const piece of text === null ? [] : parts.piecesOf(text)) say(answer, piece);
    complete(answer, null);
  }

  function reportFailure(answer: number, work: Promise<void>): void {
    working = work.catch((error: unknown) => {
      log.warn({ err: error }, 'an answer failed');
      dispatch({ at: nowMs(), kind: 'failed', answer });
    });
  }

  return {
    greet: (answer: number) => reportFailure(answer, greet(answer)),
    /** Follows the steps of a conversation until they end or are stopped. */
    converse: (answer: number, steps: Steps) => reportFailure(answer, follow(answer, steps)),
    say(answer: number, text: string) {
      for (const piece of parts.piecesOf(text)) say(answer, piece);
      complete(answer, null);
    },
    /** Says a text within an answer that continues. */
    interject: (answer: number, text: string) => say(answer, text),
    stop: () => stopped.abort(),
    /** Resolves once the last answer has ended. */
    idle: () => working,
  };
}
