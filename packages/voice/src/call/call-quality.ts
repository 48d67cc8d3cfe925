/** Figures of one call, as they are kept in its record. Times are milliseconds. */
export interface CallQuality {
  turns: number;
  interruptions: number;
  words_recognized: number;
  /** From the answer of the call to the first sound of the agent. */
  first_word_ms: number | null;
  /** From the end of what a person said to the first sound of the answer. */
  reply_ms: { p50: number; p95: number } | null;
}

export interface QualityWatch {
  personSpoke(text: string, endedAt: number): void;
  agentBegan(at: number): void;
  interrupted(): void;
  figures(): CallQuality;
}

/** @param onWait told of each wait of the person as it ends */
export function watchQuality(
  answeredAt: number,
  onWait: (stage: 'reply' | 'first_word', ms: number) => void = () => undefined,
): QualityWatch {
  const replies: number[] = [];
  let waitsSince: number | null = null;
  let firstWordMs: number | null = null;
  let turns = 0;
  let interruptions = 0;
  let words = 0;
  return {
    personSpoke(text, endedAt) {
      turns += 1;
      words += text.split(/\s+/).length;
      waitsSince = endedAt;
    },
    agentBegan(at) {
      if (firstWordMs === null) {
        firstWordMs = Math.round(at - answeredAt);
        onWait('first_word', firstWordMs);
      }
      if (waitsSince !== null) {
        // Words that were held up on their way are heard ahead of the clock.
        const replyMs = Math.max(0, Math.round(at - waitsSince));
        replies.push(replyMs);
        onWait('reply', replyMs);
      }
      waitsSince = null;
    },
    interrupted() {
      interruptions += 1;
    },
    figures() {
      const sorted = replies.toSorted((a, b) => a - b);
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return {
        turns,
        interruptions,
        words_recognized: words,
        first_word_ms: firstWordMs,
        reply_ms: sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95) },
      };
    },
  };
}
