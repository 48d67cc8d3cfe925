export { createExtractionPool, ExtractorClosedError, type ExtractionPoolOptions } from './extraction-pool.ts';
export { defaultExtractionLimits, type ExtractionLimits } from './limits.ts';
