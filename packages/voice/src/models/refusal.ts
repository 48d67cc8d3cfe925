/** The server works but refuses the request, or answers it in a form that was not asked for: an agent may name a voice or a model that the server does not have. */
export class RequestRefusedError extends Error {
  readonly code = 'request_refused';

  constructor(message: string) {
    super(message);
    this.name = 'RequestRefusedError';
  }
}

/** Whether a status blames the request: any 4xx except 429 (too many requests). */
export const isRefusal = (statusCode: number): boolean =>
  statusCode >= 400 && statusCode < 500 && statusCode !== 429;
