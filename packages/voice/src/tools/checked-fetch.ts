import http from 'node:http';
import https from 'node:https';
import { mayBePublic, targetsOf } from '@outdial/webhooks';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export interface CheckedRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body: string;
}

export type CheckedAnswer =
  | { kind: 'answered'; status: number; text: string; isCut: boolean }
  /** The owner of the agent may read `reason`. */
  | { kind: 'no_answer'; reason: string };

export interface CheckedFetch {
  send(request: CheckedRequest, signal: AbortSignal): Promise<CheckedAnswer>;
  close(): void;
}

const answerMsAtMost = 8_000;
const answerBytesAtMost = 65_536;

/**
 * Sends requests to hosts that agents name. Unless `allowPrivateTargets` is set, it connects only to public addresses, and checks the address after it
 * has resolved the name. Does not follow redirects.
 */
export function createCheckedFetch({ allowPrivateTargets }: { allowPrivateTargets: boolean }): CheckedFetch {
  const options = {
    keepAlive: true,
    timeout: 4_000,
    maxFreeSockets: 64,
    ...targetsOf({ allowPrivateTargets }),
  };
  const plain = new RequestFilteringHttpAgent(options);
  const secure = new RequestFilteringHttpsAgent(options);
  return {
    async send({ url, method, headers, body }, signal) {
      if (!allowPrivateTargets && !mayBePublic(url)) return { kind: 'no_answer', reason: notPublic };
      const isSecure = url.protocol === 'https:';
      const late = AbortSignal.timeout(answerMsAtMost);
      const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
      const request = (isSecure ? https : http).request(url, {
        method,
        agent: isSecure ? secure : plain,
        signal: AbortSignal.any([signal, late]),
        headers: { ...headers, ...length },
      });
      try {
        return await answerOf(request, method === 'POST' ? body : '');
      } catch (error) {
        return { kind: 'no_answer', reason: late.aborted ? 'no answer in time' : reasonOf(error) };
      }
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function answerOf(request: http.ClientRequest, body: string): Promise<CheckedAnswer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const done = (isCut: boolean) => {
        const text = Buffer.concat(parts).subarray(0, answerBytesAtMost).toString('utf8').toWellFormed();
        resolve({ kind: 'answered', status: response.statusCode ?? 0, text, isCut });
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes <= answerBytesAtMost) return;
        done(true);
        response.destroy();
      });
      response.once('end', () => done(false));
      response.on('error', reject);
    });
    request.end(body);
  });
}

const notPublic = 'the host leads to an address that is not public';

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTPUBLIC' || /is not allowed\. Because, It is/.test(message)) return notPublic;
  return code === '' ? 'the connection failed' : `the connection failed: ${code}`;
}
