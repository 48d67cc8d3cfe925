import type { Conversation, ConversationStep } from '../conversation/conversation.ts';
import type { Leg } from '../legs/leg.ts';
import type { SpokenItem } from '../realtime/speech-stream.ts';
import type { TurnInput } from '../turn/turn-messages.ts';
import type { CallLine, TransferEnd, TransferStep } from './transfers.ts';
import { wordsOfTransfer } from './transfers.ts';

/** What the agent says and does on a call, answer by answer. It tells the rules of the turns what becomes of each answer. */
export interface AgentSide {
  greet(answer: number): void;
  /** Speaks what the conversation says, step by step, until it ends or is stopped. */
  converse(answer: number, steps: (signal: AbortSignal) => AsyncIterable<ConversationStep>): void;
  /** One text is the whole answer. */
  say(answer: number, text: string): void;
  /** A text within an answer that goes on. */
  interject(answer: number, text: string): void;
  /** Stops the answer that is being given. */
  stop(): void;
}

export function createAgentSide(parts: {
  conversation: Conversation;
  leg: Leg;
  line: CallLine | null;
  dial: (step: TransferStep) => Promise<TransferEnd>;
  onTransfer: (step: TransferStep, end: TransferEnd) => void;
  /** Has a piece of an answer spoken. */
  speak: (answer: number, text: string, sound?: SpokenItem) => void;
  tellRules: (input: TurnInput) => void;
  isOver: () => boolean;
  nowMs: () => number;
  log: { warn(fields: object, message: string): void };
}): AgentSide {
  const { conversation, leg, tellRules, nowMs, log } = parts;
  let stopped = new AbortController();

  function piece(answer: number, text: string, sound?: SpokenItem): void {
    if (text.trim() === '' && sound === undefined) return;
    tellRules({ at: nowMs(), kind: 'piece', answer, text });
    leg.words?.say(text);
    parts.speak(answer, text, sound);
  }

  function replied(answer: number, end: string | null): void {
    leg.words?.end();
    tellRules({ at: nowMs(), kind: 'replied', answer, end });
  }

  /** @param ending the reason for which the agent hangs up after it; null: that of its steps, if they have one */
  async function follow(
    answer: number,
    steps: (signal: AbortSignal) => AsyncIterable<ConversationStep>,
    ending: string | null = null,
  ): Promise<void> {
    stopped = new AbortController();
    const { signal } = stopped;
    let reason: string | null = null;
    for await (const step of steps(signal)) {
      if (signal.aborted) return;
      if (step.kind === 'say') piece(answer, step.text, step.sound);
      if (step.kind === 'working') tellRules({ at: nowMs(), kind: 'working', answer });
      if (step.kind === 'end_call') reason = step.reason;
      if (step.kind === 'send_dtmf') await press(step.digits, signal);
      if (step.kind === 'transfer') return transfer(answer, step);
    }
    if (!signal.aborted) replied(answer, ending ?? reason);
  }

  async function press(digits: string, signal: AbortSignal): Promise<void> {
    if (leg.press !== undefined) return leg.press(digits);
    if ((await parts.line?.press(digits, signal)) !== true) log.warn({}, 'keys could not be pressed');
  }

  /** The agent stays until the target has answered; without an answer the conversation goes on. */
  async function transfer(answer: number, step: TransferStep): Promise<void> {
    tellRules({ at: nowMs(), kind: 'held', answer, isHeld: true });
    tellRules({ at: nowMs(), kind: 'working', answer });
    const end = await parts.dial(step);
    if (parts.isOver()) return;
    parts.onTransfer(step, end);
    const isConnected = end.result === 'connected';
    if (isConnected && step.mode === 'cold') return replied(answer, 'transferred');
    if (!isConnected) tellRules({ at: nowMs(), kind: 'held', answer, isHeld: false });
    return follow(
      answer,
      (signal) => conversation.told(wordsOfTransfer(step, end), signal),
      isConnected ? 'transferred' : null,
    );
  }

  async function greet(answer: number): Promise<void> {
    const text = await conversation.greeting();
    if (text !== null) piece(answer, text);
    replied(answer, null);
  }

  function begin(answer: number, work: Promise<void>): void {
    work.catch((error: unknown) => {
      log.warn({ err: error }, 'an answer could not be given');
      tellRules({ at: nowMs(), kind: 'failed', answer });
    });
  }

  return {
    greet: (answer) => begin(answer, greet(answer)),
    converse: (answer, steps) => begin(answer, follow(answer, steps)),
    say(answer, text) {
      piece(answer, text);
      replied(answer, null);
    },
    interject: (answer, text) => piece(answer, text),
    stop: () => stopped.abort(),
  };
}
