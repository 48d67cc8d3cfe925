import {
  createHttpClient,
  NoAnswerError,
  type OutgoingRequest,
  readAtMost,
} from '@outdial/runtime/http-client';

export type CheckedAnswer =
  | { kind: 'answered'; status: number; text: string; isCut: boolean }
  /** The owner of the agent may read `reason`. */
  | { kind: 'no_answer'; reason: string };

export interface CheckedFetch {
  send(request: Omit<OutgoingRequest, 'signal'>, signal: AbortSignal): Promise<CheckedAnswer>;
  close(): void;
}

const answerMsAtMost = 8_000;
const answerBytesAtMost = 65_536;

/** Sends requests to hosts that agents name: unless `allowPrivateTargets` is set, to public addresses only. */
export function createCheckedFetch({ allowPrivateTargets }: { allowPrivateTargets: boolean }): CheckedFetch {
  const client = createHttpClient({ publicOnly: !allowPrivateTargets, idleConnectionsAtMost: 64 });
  return {
    async send(request, signal) {
      try {
        const whole = AbortSignal.any([signal, AbortSignal.timeout(answerMsAtMost)]);
        const response = await client.send({ ...request, signal: whole });
        const { text, isWhole } = await readAtMost(response, answerBytesAtMost);
        // The deadline may also end the body.
        if (whole.aborted) return { kind: 'no_answer', reason: 'no answer in time' };
        return {
          kind: 'answered',
          status: response.statusCode ?? 0,
          text: text.toWellFormed(),
          isCut: !isWhole,
        };
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        return { kind: 'no_answer', reason: reasonOf(error) };
      }
    },
    close: () => client.close(),
  };
}

function reasonOf({ code, message }: NoAnswerError): string {
  if (code === 'LATE') return message;
  if (code === 'ENOTPUBLIC') return 'the host leads to an address that is not public';
  return code === '' ? 'the connection failed' : `the connection failed: ${code}`;
}
