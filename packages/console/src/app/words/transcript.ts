export interface Utterance {
  /** `agent`, `callee`, or another word before the colon, in lower case; empty if a line has none. */
  speaker: string;
  text: string;
  /** The position in the recording, from 0 to 1. */
  from: number;
  to: number;
}

interface Line {
  speaker: string;
  text: string;
  /** Seconds since the answer; null if the transcript does not say. */
  at: number | null;
}

/** `[1:01] Agent: Hello`, as voice processes write it, or `agent: Hello`. */
const beginning = /^(?:\[(\d+):([0-5]\d)\] )?([\p{L}\d _-]{1,24}):\s*(.*)$/u;

/**
 * The lines of a transcript. A line without a speaker continues the previous one. Positions follow from the times of the lines, or are
 * estimated by the length of the text if a line has no time.
 * @param seconds the length of the conversation
 */
export function utterancesOf(transcript: string, seconds: number): Utterance[] {
  const lines: Line[] = [];
  for (const line of transcript.split('\n')) {
    const [, minute, second, speaker, text] = beginning.exec(line) ?? [];
    const last = lines.at(-1);
    if (speaker !== undefined) {
      const at = minute === undefined ? null : Number(minute) * 60 + Number(second);
      lines.push({ speaker: speaker.trim().toLowerCase(), text: text ?? '', at });
    } else if (last !== undefined) last.text = `${last.text}\n${line}`;
    else if (line.trim() !== '') lines.push({ speaker: '', text: line, at: null });
  }
  const starts = startsByTime(lines, seconds) ?? startsByLength(lines);
  return lines.map(({ speaker, text }, index) => ({
    speaker,
    text,
    from: starts[index] ?? 0,
    to: starts[index + 1] ?? 1,
  }));
}

function startsByTime(lines: readonly Line[], seconds: number): number[] | null {
  const times = lines.flatMap(({ at }) => (at === null ? [] : [at]));
  if (times.length < lines.length || seconds <= 0) return null;
  return times.map((at) => Math.min(at / seconds, 1));
}

function startsByLength(lines: readonly Line[]): number[] {
  const lengths = lines.map(({ text }) => Math.max(1, text.length));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let before = 0;
  return lengths.map((length) => {
    const start = before / total;
    before += length;
    return start;
  });
}

/** The line at this position of the recording. */
export function utteranceAt(utterances: readonly Utterance[], share: number): number {
  const at = utterances.findIndex(({ to }) => share < to);
  return at < 0 ? utterances.length - 1 : at;
}
