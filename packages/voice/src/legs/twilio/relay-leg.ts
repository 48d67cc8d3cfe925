import type { WebSocket } from 'ws';
import { lineRate } from '../../audio/mu-law.ts';
import { splitWords } from '../../split-words.ts';
import type { IdentifiedConnection } from '../first-message.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';
import { readRelayMessage, type RelaySetup } from './relay-messages.ts';

/** How many errors of one call are logged, so that they do not fill the log. */
const errorsAtMost = 10;

/**
 * Twilio's ConversationRelay: Twilio recognizes and synthesizes speech, and text goes both ways. When the person interrupts, Twilio reports how
 * much the agent had said. The greeting is not interruptible, because the person picks up with "Hello?".
 * @param options `onFault`: Twilio refused a message
 */
export function openRelayLeg(
  socket: WebSocket,
  { listen }: IdentifiedConnection<RelaySetup>,
  events: LegEvents,
  options: { greets: boolean; onFault: (description: string) => void },
): Leg {
  const media = mediaSocket(socket, () => events.left());
  let isGreeting = options.greets;
  let isSpeaking = false;
  let faults = 0;

  const sendText = (token: string, last: boolean) =>
    media.sendJson({
      type: 'text',
      token,
      last,
      ...(isGreeting && { interruptible: false, preemptible: false }),
    });

  function end(): void {
    sendText('', true);
    isSpeaking = false;
    isGreeting = false;
  }

  listen((data) => {
    if (media.hasLeft()) return;
    const message = readRelayMessage(data);
    if (message === null) return;
    switch (message.type) {
      case 'prompt':
        // The last prompt repeats the partial ones.
        if (message.last) events.said(message.voicePrompt);
        return;
      case 'interrupt':
        return events.interrupted(message.utteranceUntilInterrupt);
      case 'dtmf':
        return events.key(message.digit);
      case 'error':
        faults += 1;
        if (faults <= errorsAtMost) options.onFault(message.description);
    }
  });

  return {
    send: () => undefined,
    flush() {
      if (isSpeaking) end();
    },
    words: {
      say(piece) {
        isSpeaking = true;
        sendText(`${piece.trim()} `, false);
      },
      end,
    },
    press: (digits) => media.sendJson({ type: 'sendDigits', digits }),
    hangUp() {
      media.sendJson({ type: 'end' });
      socket.close();
    },
  };
}

/**
 * The length of speech is estimated, because Twilio reports its progress only when it is interrupted. The estimate is rather too long than too
 * short, so that a hang-up does not cut off the last words.
 */
const wordMs = 400;
const beginMs = 500;
const longestMs = 120_000;

/** Silence about as long as the carrier takes to say this text. */
export async function* silenceWhileSaying(text: string): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  const ms = Math.min(longestMs, beginMs + splitWords(text).length * wordMs);
  yield Promise.resolve(new Int16Array((ms / 1_000) * lineRate));
}
