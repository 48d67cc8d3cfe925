import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import './without-canvas.ts';
import { PDFParse, PasswordException, VerbosityLevel } from 'pdf-parse';
import { ExtractionError } from '../extraction-error.ts';
import type { TextLimits } from '../messages.ts';
import { cleanText } from '../text/clean-text.ts';
import { tooManyPages, tooMuchText } from '../text/extract-text.ts';
import { checkPdfStructure } from './check-structure.ts';
import { formItems, withFormItems } from './form-items.ts';
import { layOutPage } from './lay-out-page.ts';
import type { PageItem, PdfPage } from './page-item.ts';
import { unknownLetter, UnknownLetters } from './unknown-letters.ts';

const require = createRequire(import.meta.url);
const pdfjs = dirname(createRequire(require.resolve('pdf-parse')).resolve('pdfjs-dist/package.json'));

/**
 * Extracts the text of each page of a PDF.
 * @throws ExtractionError if the file cannot be read, or if most of its pages have no text
 */
export async function extractPdfPages(bytes: Uint8Array<ArrayBuffer>, limits: TextLimits): Promise<string[]> {
  checkPdfStructure(bytes);
  const parser = new PDFParse({
    data: bytes,
    verbosity: VerbosityLevel.ERRORS,
    // Fonts of Chinese, Japanese and Korean documents refer to encodings that come with the library.
    cMapUrl: `${join(pdfjs, 'cmaps')}/`,
    cMapPacked: true,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    // The maps of fonts to letters come along, and images are left out.
    fontExtraProperties: true,
    maxImageSize: 1,
  });
  const letters = new UnknownLetters();
  const pages: string[] = [];
  let chars = 0;
  let unknown = 0;
  // pdf-parse joins the runs of a page as they come. This replaces the joining by our layout.
  Object.assign(parser, {
    getPageText: async (page: PdfPage, _parameters: unknown, total: number): Promise<string> => {
      if (total > limits.maxPages) throw tooManyPages(total, limits);
      const { items } = await page.getTextContent({
        includeMarkedContent: false,
        disableNormalization: false,
      });
      const runs = await letters.mark(
        page,
        items.filter((item) => 'str' in item),
      );
      unknown += runs.reduce((sum, { str }) => sum + (str.match(notLetters)?.length ?? 0), 0);
      const text = layOut(withFormItems(runs, await formItems(page)));
      chars += text.length;
      if (chars > limits.maxTextChars) throw tooMuchText(limits);
      pages.push(text);
      // The text is in `pages`. pdf-parse would only copy it once more.
      return '';
    },
  });
  try {
    await parser.getText({ pageJoiner: '' });
    if (pages.length === 1 && (await has(parser, 'IsCollectionPresent'))) throw portfolio();
    if (pages.length === 1 && (await isFormOfAdobe(parser, pages[0] ?? ''))) throw formOfAdobe();
  } catch (error) {
    throw explain(error);
  } finally {
    await parser.destroy();
  }
  if (unknown > chars * unknownShareAtMost) throw unknownFonts();
  const withText = pages.filter((page) => /[\p{L}\p{N}]/u.test(page)).length;
  if (withText === 0) throw noText('The PDF has no text. It is');
  // A typed letter before scanned pages, for example.
  if (withText < pages.length / 2) {
    throw noText(`${pages.length - withText} of the ${pages.length} pages of the PDF have no text. They are`);
  }
  return pages;
}

/** Glyphs that the document does not map to letters, or only to numbers of its own. */
const notLetters = new RegExp(`[${unknownLetter}\\p{Co}]|(?![\\t\\n\\r])\\p{Cc}`, 'gu');
/** A few unknown signs are ornaments, such as the bullets of a list. */
const unknownShareAtMost = 0.1;

/** Whether this is the page in the place of an XFA form, which only Adobe's programs show. Their text for it exists in many languages. */
async function isFormOfAdobe(parser: PDFParse, page: string): Promise<boolean> {
  if (/^Please wait\b.*\bnot eventually replaced\b/s.test(page)) return true;
  if (page !== '' && (page.length > 4_000 || !/\bAdobe\b/.test(page))) return false;
  return has(parser, 'IsXFAPresent');
}

async function has(parser: PDFParse, feature: 'IsXFAPresent' | 'IsCollectionPresent'): Promise<boolean> {
  const result: { info?: unknown } = await parser.getInfo();
  return new Map(Object.entries(result.info ?? {})).get(feature) === true;
}

/** Reports an error in our own layout code as a crash, not as a fault of the file. */
function layOut(items: readonly PageItem[]): string {
  try {
    return cleanText(layOutPage(items));
  } catch (error) {
    throw new ExtractionError('crashed', 'The PDF reader failed on a page of this file', { cause: error });
  }
}

function explain(error: unknown): ExtractionError {
  if (error instanceof ExtractionError) return error;
  if (error instanceof PasswordException) {
    return new ExtractionError(
      'encrypted',
      'The PDF is encrypted and opens only with a password. Upload it without one',
    );
  }
  return new ExtractionError('damaged', 'The PDF is damaged and cannot be read', { cause: error });
}

function formOfAdobe(): ExtractionError {
  return new ExtractionError(
    'xfa_form',
    'The PDF is a form (XFA) that only Adobe programs show, so it has no text here. Print it to a new PDF, then upload that',
  );
}

function portfolio(): ExtractionError {
  return new ExtractionError(
    'portfolio',
    'The PDF is a portfolio of several documents, and its page is only their cover. Upload each of the documents',
  );
}

function unknownFonts(): ExtractionError {
  return new ExtractionError(
    'unmapped_fonts',
    'The fonts of the PDF do not say which letters their glyphs are, so its text cannot be read. Export it again from its source, or run text recognition (OCR) on it',
  );
}

function noText(what: string): ExtractionError {
  return new ExtractionError(
    'no_text',
    `${what} probably scanned: run text recognition (OCR) on it, then upload it again`,
  );
}
