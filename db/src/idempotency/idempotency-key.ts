/** How long an answer is kept for a repeated request (docs/behaviour.md). */
export const IDEMPOTENCY_RETENTION_HOURS = 24;

/** The key of a repeatable request, with a digest of the request. */
export interface IdempotentRequest {
  organizationId: string;
  method: string;
  path: string;
  key: string;
  /** SHA-256 of what the request asked for. */
  bodyHash: Buffer;
}
