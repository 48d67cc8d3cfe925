export { openBox } from './box/index.ts';
export { createExtractionPool } from './extraction-pool.ts';
export { defaultExtractionLimits, type ExtractionLimits } from './limits.ts';
