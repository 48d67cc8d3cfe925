import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import './lean-parser.ts';
import './without-canvas.ts';
import './without-clones.ts';
import { PDFParse, PasswordException, VerbosityLevel } from 'pdf-parse';
import { ExtractionError } from '../extraction-error.ts';
import type { TextLimits } from '../messages.ts';
import { cleanText } from '../text/clean-text.ts';
import { tooManyPages, tooMuchText } from '../text/extract-text.ts';
import { checkPdfStructure } from './check-structure.ts';
import { layOutPage } from './lay-out-page.ts';
import type { PageItem, PdfPage } from './page-item.ts';

const require = createRequire(import.meta.url);
const pdfjs = dirname(createRequire(require.resolve('pdf-parse')).resolve('pdfjs-dist/package.json'));

/**
 * Extracts the text of each page of a PDF.
 * @throws ExtractionError if the file cannot be read or has no text
 */
export async function extractPdfPages(
  bytes: Uint8Array<ArrayBuffer>,
  limits: TextLimits,
  onPage: (pagesDone: number, pagesTotal: number) => void,
): Promise<string[]> {
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
  });
  const pages: string[] = [];
  let chars = 0;
  // pdf-parse joins the runs of a page as they come. This replaces the joining by our layout.
  Object.assign(parser, {
    getPageText: async (page: PdfPage, _parameters: unknown, total: number): Promise<string> => {
      if (total > limits.maxPages) throw tooManyPages(total, limits);
      const { items } = await page.getTextContent({
        includeMarkedContent: false,
        disableNormalization: false,
      });
      const text = layOut(items.filter((item) => 'str' in item));
      chars += text.length;
      if (chars > limits.maxTextChars) throw tooMuchText(limits);
      pages.push(text);
      onPage(pages.length, total);
      // The text is in `pages`. pdf-parse would only copy it once more.
      return '';
    },
  });
  try {
    await parser.getText({ pageJoiner: '' });
  } catch (error) {
    throw explain(error);
  } finally {
    await parser.destroy();
  }
  if (!pages.some((page) => /[\p{L}\p{N}]/u.test(page))) throw noText(pages.length);
  return pages;
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

function noText(pages: number): ExtractionError {
  const which = pages === 1 ? 'Its page is' : `Its ${pages} pages are`;
  return new ExtractionError(
    'no_text',
    `The PDF has no text. ${which} probably scanned images: run text recognition (OCR) on it, then upload it again`,
  );
}
