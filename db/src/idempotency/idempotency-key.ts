/** How long an answer is kept for a repeated request (docs/behaviour.md). */
export const IDEMPOTENCY_RETENTION_HOURS = 24;

/** What names a request that may be sent again, and what it asked for. */
export interface IdempotentRequest {
  organizationId: string;
  method: string;
  path: string;
  key: string;
  /** SHA-256 of what the request asked for. */
  bodyHash: Buffer;
}
