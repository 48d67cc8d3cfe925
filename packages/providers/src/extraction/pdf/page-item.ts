/** The fields that we use of pdf.js's `TextItem`, one run of glyphs. Items that mark content have no `str`. */
export interface PageItem {
  str: string;
  /** `[a, b, c, d, e, f]`, from glyph space to user space (ISO 32000-1, 8.3.4). */
  transform: readonly number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

/** The part that we use of pdf.js's `PDFPageProxy`, which is the argument of pdf-parse's page reader. */
export interface PdfPage {
  getTextContent(options: { includeMarkedContent: boolean; disableNormalization: boolean }): Promise<{
    items: ReadonlyArray<PageItem | { type: string }>;
  }>;
}
