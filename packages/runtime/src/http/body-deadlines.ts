import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

const lookEveryMs = 1_000;
/** Between two pieces of a body, and the least for all of it. */
const graceMs = 10_000;
/** Half a megabit a second: a mebibyte may take 26 seconds. */
const bytesPerMs = 64;

const tooSlow = JSON.stringify({ detail: 'The body of the request came too slowly', code: 'body_too_slow' });
const tooSlowAnswer = [
  'HTTP/1.1 408 Request Timeout',
  'Connection: close',
  'Content-Type: application/json',
  'Cache-Control: no-store',
  `Content-Length: ${tooSlow.length}`,
  '',
  tooSlow,
].join('\r\n');

/** A body that has not arrived completely. */
interface Upload {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bytesBefore: number;
  bytes: number;
  /** Since the last byte, not counting time in which the handler did not read. */
  idleMs: number;
  waitedMs: number;
}

/**
 * Cuts requests whose body does not come: its sender may pause for ten seconds, and must send 64 KB a second on average. Otherwise strangers
 * could hold memory with bodies that never end, and callers could prepare a request and complete it after they have lost the right to it.
 */
export function bodyDeadlines(listener: RequestListener): RequestListener {
  const uploads = new Set<Upload>();
  let timer: NodeJS.Timeout | null = null;

  function look(): void {
    for (const upload of uploads) {
      const { request, response } = upload;
      if (request.complete || request.destroyed) uploads.delete(upload);
      else if (isLate(upload)) {
        uploads.delete(upload);
        if (response.headersSent) request.destroy();
        else request.socket.write(tooSlowAnswer, () => request.destroy());
      }
    }
    if (uploads.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  return (request, response) => {
    if (hasBody(request)) {
      const { bytesRead } = request.socket;
      uploads.add({ request, response, bytesBefore: bytesRead, bytes: 0, idleMs: 0, waitedMs: 0 });
      timer ??= setInterval(look, lookEveryMs).unref();
    }
    listener(request, response);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Adds the time since the last look. */
function isLate(upload: Upload): boolean {
  const { request } = upload;
  // The handler has not read what came, so its sender need not send more.
  if (request.readableLength > 0 || request.isPaused()) {
    upload.idleMs = 0;
    return false;
  }
  const bytes = request.socket.bytesRead - upload.bytesBefore;
  upload.idleMs = bytes > upload.bytes ? 0 : upload.idleMs + lookEveryMs;
  upload.bytes = bytes;
  upload.waitedMs += lookEveryMs;
  return upload.idleMs >= graceMs || upload.waitedMs >= graceMs + bytes / bytesPerMs;
}
