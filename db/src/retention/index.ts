export { enforceRetention, type RetentionBatch, type RetentionKind } from './enforce-retention.ts';
