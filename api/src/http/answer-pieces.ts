import type { Response } from 'express';
import { sent } from './define-route.ts';
import type { LongAnswers } from './long-answers.ts';
import { sendJson } from './send-json.ts';
import { streamJson } from './stream-json.ts';

/** Text that is held for a caller without asking for a place among the long answers: a thousand calls without transcripts. */
const SHORT_ANSWER_CHARACTERS = 1024 * 1024;

/** A caller who takes nothing for so long is cut off: what is being sent is held in memory. */
const stalledCallerMs = 30_000;

export function cutOffStalledCaller(res: Response): void {
  res.setTimeout(stalledCallerMs, () => res.destroy());
}

/**
 * Answers 200 with JSON whose pieces are read as they are sent. A short answer goes out whole, with its `ETag`. What turns out longer needs a place among
 * the long answers, which are few, and is read no faster than the caller takes it. @throws RetryLaterError where there is no place; nothing was sent then.
 */
export async function answerPieces(
  res: Response,
  { longAnswers, organizationId }: { longAnswers: LongAnswers; organizationId: string },
  pieces: AsyncGenerator<string, void>,
): Promise<typeof sent> {
  const begun: string[] = [];
  let characters = 0;
  try {
    while (characters <= SHORT_ANSWER_CHARACTERS) {
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
