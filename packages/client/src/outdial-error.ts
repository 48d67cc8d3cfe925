/** One fault of a request that failed validation. */
export interface Fault {
  loc: ReadonlyArray<string | number>;
  msg: string;
  type: string;
}

/** An answer that is not a success. `code` is stable: branch on it. */
export class OutdialError extends Error {
  readonly status: number;
  /** `validation` for a 422, with details in `faults`. */
  readonly code: string;
  readonly faults: readonly Fault[];
  /** How long to wait before the next attempt, if the answer has this. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, body: unknown) {
    const { detail, code } = isObject(body) ? body : {};
    const faults = Array.isArray(detail) ? detail.filter(isFault) : [];
    const text =
      typeof detail === 'string'
        ? detail
        : faults.map((fault) => `${fault.loc.join('.')}: ${fault.msg}`).join('; ');
    super(text === '' ? `the api answered ${response.status}` : text);
    this.name = 'OutdialError';
    this.status = response.status;
    this.code = typeof code === 'string' ? code : `http_${response.status}`;
    this.faults = faults;
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isFault(value: unknown): value is Fault {
  return (
    isObject(value) &&
    Array.isArray(value['loc']) &&
    typeof value['msg'] === 'string' &&
    typeof value['type'] === 'string'
  );
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/**
 * The body of a successful answer: `const { data } = await ok(client.GET(…))`.
 * @throws OutdialError for any other answer
 */
export async function ok<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer;
  if (!response.ok || data === undefined || data === null) throw new OutdialError(response, error);
  return data;
}
