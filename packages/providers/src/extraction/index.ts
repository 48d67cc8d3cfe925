export { openBox, type OpenedBox } from './box/index.ts';
export { createExtractionPool, ExtractorClosedError, type ExtractionPoolOptions } from './extraction-pool.ts';
export { defaultExtractionLimits, type ExtractionLimits } from './limits.ts';
