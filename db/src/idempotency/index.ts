export { claimIdempotencyKey, type IdempotencyClaim } from './claim-idempotency-key.ts';
export { deleteOldIdempotencyKeys } from './delete-old-keys.ts';
export { idempotencyRetentionHours, type IdempotentRequest } from './idempotency-key.ts';
export { saveIdempotentResponse } from './save-response.ts';
