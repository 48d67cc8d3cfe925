import type { WebSocket } from 'ws';
import { lineRate } from '../../audio/mu-law.ts';
import type { NamedConnection } from '../first-message.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';
import { readRelayMessage, type RelaySetup } from './relay-messages.ts';

const unsentBytes = 64_000;
/** Of one call: more would fill the log. */
const errorsAtMost = 10;

/**
 * Twilio's ConversationRelay: it hears and speaks, and words go both ways. It says when the person speaks over the agent, and how far the
 * agent had come. A greeting cannot be interrupted, so that the "Hello?" of the person who picks up does not cut it.
 * @param options `greets`: the first words are a greeting. `onFault`: Twilio has refused a message
 */
export function openRelayLeg(
  socket: WebSocket,
  { listen }: NamedConnection<RelaySetup>,
  events: LegEvents,
  options: { greets: boolean; onFault: (description: string) => void },
): Leg {
  const media = mediaSocket(socket, { unsentBytes, onGone: () => events.gone() });
  let isGreeting = options.greets;
  /** An answer was begun that is not ended yet. */
  let isOpen = false;
  let faults = 0;

  const text = (token: string, last: boolean) =>
    media.tell({
      type: 'text',
      token,
      last,
      ...(isGreeting && { interruptible: false, preemptible: false }),
    });

  function end(): void {
    text('', true);
    isOpen = false;
    isGreeting = false;
  }

  listen((data) => {
    if (media.isGone()) return;
    const message = readRelayMessage(data);
    if (message === null) return;
    switch (message.type) {
      case 'prompt':
        // Partial ones are repeated whole.
        if (message.last) events.said?.(message.voicePrompt);
        return;
      case 'interrupt':
        return events.interrupted?.(message.utteranceUntilInterrupt);
      case 'dtmf':
        return events.key(message.digit);
      case 'error':
        faults += 1;
        if (faults <= errorsAtMost) options.onFault(message.description);
    }
  });

  return {
    // The sound is Twilio's.
    send: () => undefined,
    flush() {
      if (isOpen) end();
    },
    words: {
      say(piece) {
        isOpen = true;
        text(`${piece.trim()} `, false);
      },
      end,
    },
    press: (digits) => media.tell({ type: 'sendDigits', digits }),
    hangUp() {
      media.tell({ type: 'end' });
      socket.close();
    },
  };
}

/** Twilio does not tell when it has said something, only how far it came where it was interrupted. Rather too long than too short: what was said last must not be cut by a hang-up. */
const wordMs = 400;
const beginMs = 500;
const longestMs = 120_000;

/** Silence of about the length that a carrier takes to say this. */
export async function* silenceWhileSaying(text: string): AsyncGenerator<Int16Array<ArrayBuffer>, void, void> {
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  const ms = Math.min(longestMs, beginMs + words * wordMs);
  yield Promise.resolve(new Int16Array((ms / 1_000) * lineRate));
}
