/** The data of pdf.js for each run of glyphs (`TextItem` of its API). Markers of marked content have no `str`. */
export interface PageItem {
  str: string;
  dir: string;
  /** `[a, b, c, d, e, f]`, glyph space to user space (ISO 32000-1, 8.3.4). */
  transform: readonly number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

/** The argument of pdf-parse's page reader: pdf.js's `PDFPageProxy`, as far as it is used here. */
export interface PdfPage {
  getTextContent(options: { includeMarkedContent: boolean; disableNormalization: boolean }): Promise<{
    items: ReadonlyArray<PageItem | { type: string }>;
  }>;
}
