import { looksLikeText } from '@outdial/core/file-kind';
import { ExtractionError } from '../extraction-error.ts';
import type { TextLimits } from '../messages.ts';
import { cleanText } from './clean-text.ts';
import { decodeText } from './decode-text.ts';

/** The pages of a text file, separated by form feeds. */
export function extractTextPages(bytes: Uint8Array, limits: TextLimits): string[] {
  if (bytes.length === 0) throw new ExtractionError('empty_file', 'The file is empty');
  const text = looksLikeText(bytes) ? decodeText(bytes) : null;
  if (text === null) {
    throw new ExtractionError('not_text', 'The file begins as text but contains binary data further on');
  }
  const pages = text.split('\f').map((page) => cleanText(page).replace(/^\n+/, '').trimEnd());
  while (pages.length > 1 && pages.at(-1) === '') pages.pop();
  if (pages.every((page) => page.trim() === '')) {
    throw new ExtractionError('empty_file', 'The file contains only white space');
  }
  if (pages.length > limits.maxPages) throw tooManyPages(pages.length, limits);
  if (pages.reduce((sum, page) => sum + page.length, 0) > limits.maxTextChars) throw tooMuchText(limits);
  return pages;
}

export function tooManyPages(pages: number, { maxPages }: TextLimits): ExtractionError {
  return new ExtractionError('too_many_pages', `The file has ${pages} pages, and ${maxPages} are allowed`);
}

export function tooMuchText({ maxTextChars }: TextLimits): ExtractionError {
  return new ExtractionError(
    'too_much_text',
    `The file has more text than the ${maxTextChars} characters that are allowed`,
  );
}
