import { framesOf, loud, loudness } from './loudness.ts';

/** The recording of a call: the person on the left channel, the agent on the right. */
export interface Recording {
  seconds: number;
  left: Int16Array;
  right: Int16Array;
}

/** Speech of one side until the other side begins, in frames of the recording. */
export interface RecordedTurn {
  side: 'person' | 'agent';
  from: number;
  until: number;
}

/** Longer than the pauses in a sentence. */
const pauseFrames = 50;

/** Who spoke when, in the order in which they began. */
export function turnsIn({ left, right }: Recording): RecordedTurn[] {
  const turns: RecordedTurn[] = [];
  const all = [...utterances(left, 'person'), ...utterances(right, 'agent')];
  for (const one of all.toSorted((a, b) => a.from - b.from)) {
    const last = turns.at(-1);
    if (last?.side === one.side) last.until = one.until;
    else turns.push(one);
  }
  return turns;
}

function utterances(samples: Int16Array, side: RecordedTurn['side']): RecordedTurn[] {
  const found: RecordedTurn[] = [];
  for (const [frame, sound] of framesOf(samples).entries()) {
    if (loudness(sound) <= loud) continue;
    const last = found.at(-1);
    if (last !== undefined && frame - last.until <= pauseFrames) last.until = frame;
    else found.push({ side, from: frame, until: frame });
  }
  return found;
}
