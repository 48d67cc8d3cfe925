import type { ExtractionRequest, ExtractionResult, Passage } from '@outdial/core';
import type { ChildMessage, ChildReport } from './messages.ts';

/** The result of a file; undefined if its process ended before it reported one. */
export type Answer = Promise<ExtractionResult | undefined>;

/** Assembles the answers of a child, which reads its files in order of arrival. */
export class Answers {
  readonly #open: OpenAnswer[] = [];
  #ended = false;
  #lastFileId = 0;

  /** Registers the next file. Returns its number and its answer. */
  expect(request: ExtractionRequest): { fileId: number; answer: Answer } {
    const fileId = ++this.#lastFileId;
    const answer: Answer = new Promise((resolve) => {
      if (this.#ended) resolve(undefined);
      else this.#open.push({ fileId, request, pages: [], passages: [], resolve });
    });
    return { fileId, answer };
  }

  /** Takes a report of the oldest open file. Returns false, and takes nothing, if the report is about another file. */
  take({ fileId, message }: Pick<ChildReport, 'fileId' | 'message'>): boolean {
    const oldest = this.#open[0];
    if (message.kind === 'ready') return true;
    if (!oldest || oldest.fileId !== fileId) return false;
    this.#takeFor(oldest, message);
    return true;
  }

  #takeFor(oldest: OpenAnswer, message: Exclude<ChildMessage, { kind: 'ready' }>): void {
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
    }
  }

  /** The child is gone, so no more reports will come. */
  end(): void {
    this.#ended = true;
    for (const answer of this.#open.splice(0)) answer.resolve(undefined);
  }
}

/** A process answered for the wrong file, so none of its answers can be trusted. */
export class MixedUpAnswerError extends Error {
  readonly code = 'mixed_up_answer';

  constructor() {
    super('an extraction process answered for another file');
    this.name = 'MixedUpAnswerError';
  }
}

interface OpenAnswer {
  fileId: number;
  request: ExtractionRequest;
  pages: string[];
  passages: Passage[];
  resolve(result: ExtractionResult | undefined): void;
}
