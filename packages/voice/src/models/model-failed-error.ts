/** No endpoint answered, or the answer broke off. The message quotes nothing that was said on the call. */
export class ModelFailedError extends Error {
  readonly code = 'model_failed';
  readonly endpoint: string;
  readonly reason: ModelFailure;
  /** The agent's timeout for silence. Null if it does not apply. */
  readonly silentMs: number | null;

  constructor(
    endpoint: string,
    reason: ModelFailure,
    { silentMs = null, ...options }: { cause?: unknown; silentMs?: number | null } = {},
  ) {
    super(`the endpoint ${endpoint} failed: ${reason}`, options);
    this.name = 'ModelFailedError';
    this.endpoint = endpoint;
    this.reason = reason;
    this.silentMs = silentMs;
  }
}

export type ModelFailure =
  | 'silent_too_long'
  | 'unreachable'
  | 'broke_off'
  | 'not_understood'
  | 'too_long'
  | `status_${number}`;
