import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from '../chaos/random.ts';
import { hostileText, hostileValue } from './hostile-values.ts';
import { jsonText } from './json-text.ts';

/** Accepts most calls, and answers look-ups with nonsense. */
export function hostileAnswer(random: Random, req: IncomingMessage, res: ServerResponse): void {
  req.resume();
  if (random.chance(0.02)) {
    req.socket.destroy();
    return;
  }
  const isSend = req.method === 'POST';
  const status = random.chance(isSend ? 0.8 : 0.6)
    ? 200
    : random.pick([202, 204, 301, 400, 404, 409, 429, 500, 503]);
  const body = random.chance(0.5)
    ? isSend
      ? { conversation_id: hostileText(random) }
      : {
          state: random.pick(['accepted', 'ringing', 'answered', 'ended', 'x']),
          data: hostileValue(random),
          occurred_at: hostileText(random),
        }
    : hostileValue(random);
  res.writeHead(status, {
    'Content-Type': random.pick([
      'application/json',
      'audio/mpeg',
      'text/html',
      'application/json; charset=x',
    ]),
    'Retry-After': random.pick(['1', '-1', '1e400', 'x', 'Mon, 01 Jan 2024 00:00:00 GMT']),
  });
  res.end(status === 204 ? undefined : jsonText(body));
}
