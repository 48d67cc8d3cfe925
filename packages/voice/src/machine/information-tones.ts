import type { Beep } from './beep-detector.ts';

/** The three tones, and how far each may be from its frequency (ITU-T E.180; Telcordia GR-674 has two frequencies for the first two). */
const tones = [
  { from: 895, to: 995 },
  { from: 1_350, to: 1_450 },
  { from: 1_745, to: 1_850 },
] as const;
/** Between two tones. */
const longestGapMs = 150;
/** A higher second tone tells that the network is overloaded, and not that the number is unused. */
const overloadedFromHz = 1_415;

/**
 * Detects the special information tones: three rising tones before an announcement of the network, such as that a number is not in service. A mailbox may
 * beep with the first of them, so a beep is held back until it is clear that no second tone follows.
 */
export function createInformationTones() {
  let heard: Beep[] = [];
  let since = 0;
  return {
    /**
     * @param beep a beep that has just ended, or null
     * @returns `beep`: a beep has ended that is not part of the tones
     */
    take(at: number, beep: Beep | null, isInTone: boolean): 'unused_number' | 'overloaded' | 'beep' | null {
      if (beep !== null) {
        const next = tones[heard.length];
        if (next === undefined || beep.hz < next.from || beep.hz > next.to) {
          heard = [];
          return 'beep';
        }
        heard.push(beep);
        since = at;
        if (heard.length < tones.length) return null;
        const isOverloaded = (heard[1]?.hz ?? 0) >= overloadedFromHz;
        heard = [];
        return isOverloaded ? 'overloaded' : 'unused_number';
      }
      if (heard.length === 0 || isInTone || at - since < longestGapMs) return null;
      const wasOne = heard.length === 1;
      heard = [];
      return wasOne ? 'beep' : null;
    },
  };
}
