import type { IncomingHttpHeaders } from 'node:http';
import {
  type HttpClient,
  NoAnswerError,
  type OutgoingRequest,
  readAtMost,
} from '@outdial/runtime/http-client';

/** The result of a request, as far as this side knows for certain. */
export type Exchange =
  /** `body` is null if it was too long, encoded or cut off; the status is valid anyway. */
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: string | null }
  /** There was no connection, so not one byte of the request was sent. */
  | { kind: 'not_connected'; reason: string }
  /** The request, or part of it, may have arrived. */
  | { kind: 'broken'; reason: string };

export async function exchange(
  client: HttpClient,
  request: OutgoingRequest,
  answerBytesAtMost: number,
): Promise<Exchange> {
  try {
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    const response = await client.send({ ...request, headers });
    const { text, isWhole } = await readAtMost(response, answerBytesAtMost);
    return {
      kind: 'answer',
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: isWhole ? text : null,
    };
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { kind: error.mayHaveArrived ? 'broken' : 'not_connected', reason: error.message };
  }
}
