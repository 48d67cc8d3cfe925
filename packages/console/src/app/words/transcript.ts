export interface Utterance {
  /** `agent`, `callee`, or another word before the colon; empty if a line has none. */
  speaker: string;
  text: string;
  /** The position in the recording, from 0 to 1, estimated by the length of the text before it, because transcripts have no times. */
  from: number;
  to: number;
}

/** The lines of a transcript. A line without a speaker continues the previous one. */
export function utterancesOf(transcript: string): Utterance[] {
  const lines: Array<{ speaker: string; text: string }> = [];
  for (const line of transcript.split('\n')) {
    const [, speaker, text] = /^([\p{L}\d _-]{1,24}):\s*(.*)$/u.exec(line) ?? [];
    const last = lines.at(-1);
    if (speaker !== undefined) lines.push({ speaker: speaker.trim(), text: text ?? '' });
    else if (last !== undefined) last.text = `${last.text}\n${line}`;
    else if (line.trim() !== '') lines.push({ speaker: '', text: line });
  }
  const total = lines.reduce((sum, { text }) => sum + Math.max(1, text.length), 0);
  let before = 0;
  return lines.map((line) => {
    const from = before / total;
    before += Math.max(1, line.text.length);
    return { ...line, from, to: before / total };
  });
}

/** The line at this position of the recording. */
export function utteranceAt(utterances: readonly Utterance[], share: number): number {
  const at = utterances.findIndex(({ to }) => share < to);
  return at < 0 ? utterances.length - 1 : at;
}
