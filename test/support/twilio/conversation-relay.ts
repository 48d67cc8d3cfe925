import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { waitFor } from '../stack/wait-for.ts';
import { connectAsTwilio, type ConnectNoun, type Dialing, readJson } from './connect-noun.ts';
import { accountSid } from './stand-in.ts';

/** What a server may send (https://www.twilio.com/docs/voice/conversationrelay/websocket-messages, read on 22 November 2026), and nothing else. */
const sent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    token: z.string(),
    last: z.boolean(),
    lang: z.string().optional(),
    interruptible: z.boolean().optional(),
    preemptible: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal('sendDigits'), digits: z.string().regex(/^[0-9w#*]+$/) }),
  z.strictObject({ type: z.literal('end'), handoffData: z.string().optional() }),
]);

export interface RelayPerson {
  /** Speech of the person as Twilio recognized it, with partial results first if there are parts. */
  says(text: string, partial?: string): void;
  /** Interrupts the agent after the given text. */
  interruptsAfter(heard: string): void;
  presses(digit: string): void;
  hangsUp(): void;
  /** The nth answer of the agent, from 0, once it is complete. */
  hears(nth: number): Promise<{ text: string; interruptible: boolean }>;
  digits(): readonly string[];
  hasEnded(): boolean;
  left(): Promise<number>;
  faults(): readonly string[];
}

/** Simulates Twilio's ConversationRelay, which recognizes and synthesizes speech. */
export async function joinRelay(noun: ConnectNoun, options: Dialing): Promise<RelayPerson> {
  if (noun.name !== 'ConversationRelay') throw new Error(`no relay, but ${noun.name}`);
  const socket = await connectAsTwilio(noun, options);
  const faults: string[] = [];
  const answers: Array<{ text: string; interruptible: boolean }> = [];
  const digits: string[] = [];
  let open: { text: string; interruptible: boolean } | null = null;
  let hasEnded = false;
  let leftAt: number | null = null;
  const send = (message: object) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };

  socket.on('message', (data, isBinary) => {
    const { text, value } = readJson(data, isBinary);
    const read = sent.safeParse(value);
    if (!read.success) {
      faults.push(text.slice(0, 200));
      return send({ type: 'error', description: `Invalid message received: ${text.slice(0, 100)}` });
    }
    const message = read.data;
    if (hasEnded) faults.push('a message after the end');
    if (message.type === 'end') hasEnded = true;
    if (message.type === 'sendDigits') digits.push(message.digits);
    if (message.type !== 'text') return;
    open ??= { text: '', interruptible: message.interruptible ?? true };
    open.text += message.token;
    if (!message.last) return;
    answers.push({ ...open, text: open.text.trim() });
    open = null;
  });
  socket.on('close', () => {
    leftAt = performance.now();
  });

  send({
    type: 'setup',
    sessionId: `VX${randomBytes(16).toString('hex')}`,
    accountSid,
    parentCallSid: '',
    callSid: `CA${randomBytes(16).toString('hex')}`,
    from: '+15550009999',
    to: '+15550001111',
    forwardedFrom: '',
    callType: 'PSTN',
    callerName: '',
    direction: 'outbound-api',
    callStatus: 'IN-PROGRESS',
    customParameters: { ...noun.parameters, ...options.parameters },
  });
  return {
    says(text, partial) {
      if (partial !== undefined) send({ type: 'prompt', voicePrompt: partial, lang: 'en-US', last: false });
      send({ type: 'prompt', voicePrompt: text, lang: 'en-US', last: true });
    },
    interruptsAfter: (heard) =>
      send({ type: 'interrupt', utteranceUntilInterrupt: heard, durationUntilInterruptMs: 460 }),
    presses: (digit) => send({ type: 'dtmf', digit }),
    hangsUp: () => socket.close(),
    hears: (nth) => waitFor(`answer ${nth} of the agent`, () => answers[nth]),
    digits: () => digits,
    hasEnded: () => hasEnded,
    left: () => waitFor('the server to close the relay', () => leftAt),
    faults: () => faults,
  };
}
