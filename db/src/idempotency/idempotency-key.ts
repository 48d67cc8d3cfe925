/** How long answers are stored (docs/behaviour.md). */
export const idempotencyRetentionHours = 24;

export interface IdempotentRequest {
  organizationId: string;
  method: string;
  path: string;
  key: string;
  /** SHA-256. */
  bodyHash: Buffer;
}
