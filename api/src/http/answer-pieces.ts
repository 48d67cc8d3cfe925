import type { Response } from 'express';
import { sent } from './define-route.ts';
import type { LongAnswers } from './long-answers.ts';
import { sendJson } from './send-json.ts';
import { streamJson } from './stream-json.ts';

/** Text that may be buffered without a slot for long answers: about a thousand calls without transcripts. */
const shortAnswerCharacters = 1024 * 1024;

/** A caller that reads nothing for so long is disconnected, because unsent data stays in memory. */
const stalledCallerMs = 30_000;

export function cutOffStalledCaller(res: Response): void {
  res.setTimeout(stalledCallerMs, () => res.destroy());
}

/**
 * Answers 200 with JSON whose pieces are read as they are sent. A short answer is sent whole, with its `ETag`. A longer one needs one of
 * the few slots for long answers, and is read no faster than the caller reads it.
 * @throws RetryLaterError without a free slot; nothing was sent then.
 */
export async function answerPieces(
  res: Response,
  { longAnswers, organizationId }: { longAnswers: LongAnswers; organizationId: string },
  pieces: AsyncGenerator<string, void>,
): Promise<typeof sent> {
  const begun: string[] = [];
  let characters = 0;
  try {
    while (characters <= shortAnswerCharacters) {
      const next = await pieces.next();
      if (next.done === true) {
        sendJson(res, begun.join(''));
        return sent;
      }
      begun.push(next.value);
      characters += next.value.length;
    }
    return await longAnswers.within({ organizationId, purpose: 'read' }, (pace) => {
      cutOffStalledCaller(res);
      return streamJson(res, followedBy(begun, pieces), pace);
    });
  } finally {
    await pieces.return();
  }
}

async function* followedBy(
  begun: string[],
  pieces: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  // Sent pieces are released.
  for (let piece = begun.shift(); piece !== undefined; piece = begun.shift()) yield piece;
  yield* pieces;
}
