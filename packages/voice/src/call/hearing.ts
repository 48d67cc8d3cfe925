import type { TurnInput } from '../turn/turn-messages.ts';
import type { CallParts } from './call-parts.ts';

/** Has the person's utterances transcribed, and reports the words as inputs of the turn rules. */
export function createHearing(
  parts: Pick<CallParts, 'transcribe' | 'hear' | 'nowMs' | 'log'>,
  call: {
    between: (from: number, to: number) => Int16Array;
    dispatch: (input: TurnInput) => void;
    /** An utterance is transcribed, and none is left. */
    onIdle: () => void;
    /** Takes words that came too late for the record. */
    onLateWords: (words: string) => void;
    /** Aborts when the person's last words are recorded. */
    signal: AbortSignal;
  },
) {
  const { nowMs, log } = parts;
  const { between, dispatch } = call;
  let transcribing = 0;
  /** Until when a live recognizer has heard the open utterance. */
  let heardUntil: number | null = null;
  /** The transcript of an utterance that seems to have ended. */
  let ahead: { from: number; to: number; text: Promise<string | null>; abort: AbortController } | null = null;

  /** The transcript that was asked for before, if it is of this audio and has not failed. */
  async function readBefore(from: number, to: number): Promise<string | null> {
    const known = ahead;
    ahead = null;
    if (known?.from === from && known.to === to) return known.text;
    known?.abort.abort();
    return null;
  }

  function done(): void {
    transcribing -= 1;
    if (transcribing === 0) call.onIdle();
  }

  return {
    isIdle: () => transcribing === 0,
    /** A live recognizer hears the person from this instant on. */
    listen(from: number) {
      heardUntil = from;
    },
    /** The line has sent sound up to this instant. */
    heard(at: number) {
      if (heardUntil === null || parts.hear === undefined) return;
      parts.hear(between(heardUntil, at));
      heardUntil = at;
    },
    /** Asks for a transcript that `transcribe` uses, unless the person goes on. */
    readAhead(from: number, to: number) {
      ahead?.abort.abort();
      const abort = new AbortController();
      const signal = AbortSignal.any([abort.signal, call.signal]);
      const read = async () => {
        const words = await parts.transcribe(between(from, to), signal);
        if (!signal.aborted) dispatch({ at: nowMs(), kind: 'partial', text: words, readTo: to });
        return words;
      };
      ahead = { from, to, text: read().catch(() => null), abort };
    },
    async transcribe(utterance: number, from: number, to: number) {
      let text = '';
      let hasFailed = false;
      heardUntil = null;
      transcribing += 1;
      try {
        text =
          (await readBefore(from, to)) ??
          (await parts.transcribe(between(from, to), call.signal, call.onLateWords));
      } catch (error) {
        if (call.signal.aborted) return;
        log.warn({ err: error }, 'an utterance could not be transcribed');
        hasFailed = true;
      }
      dispatch({ at: nowMs(), kind: 'transcript', utterance, text });
      if (hasFailed) dispatch({ at: nowMs(), kind: 'unheard' });
      done();
    },
    /** Nothing is idle while this runs: it may ask for the last words. */
    whileBusy(work: () => void) {
      transcribing += 1;
      work();
      done();
    },
  };
}
