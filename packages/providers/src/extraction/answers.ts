import type { ExtractionRequest, ExtractionResult, Passage } from '@outdial/core';
import type { ChildMessage } from './messages.ts';

/** What becomes of a file; undefined where its process ended before it had said it. */
export type Answer = Promise<ExtractionResult | undefined>;

/** Puts together what a child says of its files, which it answers in the order in which it got them. */
export class Answers {
  readonly #open: OpenAnswer[] = [];
  #ended = false;

  /** The answer to the file that is handed over next. */
  expect(request: ExtractionRequest): Answer {
    return new Promise((resolve) => {
      if (this.#ended) resolve(undefined);
      else this.#open.push({ request, pages: [], passages: [], resolve });
    });
  }

  take(message: ChildMessage): void {
    const oldest = this.#open[0];
    if (!oldest) return;
    switch (message.kind) {
      case 'progress':
        oldest.request.onProgress?.({ pagesDone: message.pagesDone, pagesTotal: message.pagesTotal });
        return;
      case 'text':
      case 'done':
        for (const page of message.pages) oldest.pages.push(page);
        for (const passage of message.passages) oldest.passages.push(passage);
        if (message.kind === 'text') return;
        this.#open.shift();
        oldest.resolve({ kind: 'extracted', text: { pages: oldest.pages, passages: oldest.passages } });
        return;
      case 'failed':
        this.#open.shift();
        oldest.resolve({ kind: 'failed', failure: message.failure });
        return;
      case 'ready':
    }
  }

  /** The child is gone: no more will come. */
  end(): void {
    this.#ended = true;
    for (const answer of this.#open.splice(0)) answer.resolve(undefined);
  }
}

interface OpenAnswer {
  request: ExtractionRequest;
  pages: string[];
  passages: Passage[];
  resolve(result: ExtractionResult | undefined): void;
}
