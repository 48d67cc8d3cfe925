/** Figures of one call for its record. Times are in milliseconds. */
export interface CallQuality {
  turns: number;
  interruptions: number;
  words_recognized: number;
  /** From the answer of the call to the first sound of the agent. */
  first_word_ms: number | null;
  /** From the end of the person's turn to the first sound of the reply. */
  reply_ms: { p50: number; p95: number } | null;
}

/** @param onWait is called at the end of each wait of the person */
export function createQualityMeter(
  answeredAt: number,
  onWait: (stage: 'reply' | 'first_word', ms: number) => void = () => undefined,
) {
  const replies: number[] = [];
  let waitsSince: number | null = null;
  let firstWordMs: number | null = null;
  let turns = 0;
  let interruptions = 0;
  let words = 0;
  return {
    personSpoke(text: string, endedAt: number) {
      turns += 1;
      words += text.split(/\s+/).length;
      waitsSince = endedAt;
    },
    agentBegan(at: number) {
      if (firstWordMs === null) {
        firstWordMs = Math.round(at - answeredAt);
        onWait('first_word', firstWordMs);
      }
      if (waitsSince === null) return;
      // Delayed audio may be heard ahead of the clock.
      const replyMs = Math.max(0, Math.round(at - waitsSince));
      waitsSince = null;
      replies.push(replyMs);
      onWait('reply', replyMs);
    },
    interrupted() {
      interruptions += 1;
    },
    figures(): CallQuality {
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
