import type { Caller } from './caller.ts';
import type { CallerLine } from './scenario.ts';
import { durationOf, type SimulatedVoice } from './simulated-voice.ts';

/** A shorter interruption would not make the agent give way. */
const leastSpeechMs = 400;

/**
 * Lets a caller speak on the simulated clock.
 * @param floorIsFreeMs after this much silence, the person may speak
 */
export function createSimulatedPerson(caller: Caller, floorIsFreeMs: number) {
  const spoken: Array<{ from: number; to: number; text: string }> = [];
  let agentSaid = '';
  /** The next line. Undefined until the caller is asked; null: the person hangs up. */
  let next: CallerLine | null | undefined;
  let busyUntil = 0;

  function speak(at: number, text: string): void {
    busyUntil = at + Math.max(durationOf(text), leastSpeechMs);
    spoken.push({ from: at, to: busyUntil, text });
  }

  return {
    /** The agent said this. */
    hear(text: string) {
      agentSaid = `${agentSaid} ${text}`.trim();
    },
    /** The agent has finished an answer. */
    agentFinished(at: number) {
      busyUntil = Math.max(busyUntil, at);
    },
    isSpeaking: (at: number) => spoken.some(({ from, to }) => at > from && at <= to),
    wordsBetween: (from: number, to: number) =>
      spoken
        .filter((one) => one.from < to && one.to > from)
        .map(({ text }) => text)
        .join(' '),
    /** Begins the next line when it is due. Returns true if the person hangs up instead. */
    async act(at: number, agent: SimulatedVoice): Promise<boolean> {
      if (at < busyUntil) return false;
      const isTalking = agent.isTalking();
      const isFree = !isTalking && at - busyUntil >= floorIsFreeMs;
      if (next === undefined) {
        if (!isFree && !caller.isScripted) return false;
        next = await caller.next(agentSaid);
        agentSaid = '';
      }
      if (next === null) return isFree;
      const interrupts = 'interrupts' in next && isTalking && agent.heardWords() >= next.after_words;
      if (!isFree && !interrupts) return false;
      if ('interrupts' in next) speak(at, next.interrupts);
      else if ('says' in next) speak(at, next.says);
      else busyUntil = at + next.is_silent_seconds * 1_000;
      next = undefined;
      return false;
    },
  };
}
