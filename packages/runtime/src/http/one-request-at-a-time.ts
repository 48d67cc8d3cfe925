import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** More than programs pipeline. A connection that sends more at once is closed after the answers to these. */
const waitingAtMost = 16;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The requests of one connection. */
interface Line {
  current: Exchange | null;
  readonly waiting: Exchange[];
  isFull: boolean;
}

/** What Node calls for each request whose headers it has parsed. It is not documented, but has not changed since the parser of Node 12. */
interface ParsedSocket extends Socket {
  parser?: { onIncoming: (request: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number };
}

/** An answer of `onIncoming`: the rest of the bytes that were read is not HTTP, so the parser stops. */
const stopParsing = 2;

/**
 * Calls `listener` for a request when the answer to the previous one on its connection has been written. Node itself parses all requests that
 * arrive together (pipelining, RFC 9112, section 9.3.2), and starts each at once: 38 KiB with a thousand requests would take the process for
 * seconds, and all their answers would wait in memory for a caller who need not read any.
 *
 * The first 16 requests that come too early wait. Parsing stops at the next one: the connection is closed after their answers, and a client sends
 * the others again, as that section requires.
 */
export function oneRequestAtATime(listener: RequestListener): {
  onRequest: RequestListener;
  onConnection: (socket: Socket) => void;
  /** Whether a request of this connection is being handled, and its answer has not begun. */
  isWaitingForHandler: (socket: Socket) => boolean;
} {
  const lines = new WeakMap<Socket, Line>();

  function lineOf(socket: Socket): Line {
    let line = lines.get(socket);
    if (line === undefined) {
      line = { current: null, waiting: [], isFull: false };
      lines.set(socket, line);
    }
    return line;
  }

  function begin(line: Line, exchange: Exchange): void {
    line.current = exchange;
    // If it never finishes, the connection has closed, and nothing more is started.
    exchange.response.once('finish', () => {
      line.current = null;
      // Other connections have their turn first.
      if (line.waiting.length > 0) setImmediate(beginNext, line);
    });
    listener(exchange.request, exchange.response);
  }

  function beginNext(line: Line): void {
    const next = line.waiting.shift();
    if (next !== undefined && !next.request.socket.destroyed) begin(line, next);
  }

  return {
    onRequest(request, response) {
      const line = lineOf(request.socket);
      if (line.current === null && line.waiting.length === 0) begin(line, { request, response });
      else line.waiting.push({ request, response });
    },
    onConnection(socket: ParsedSocket) {
      const { parser } = socket;
      if (parser === undefined) return;
      const onIncoming = parser.onIncoming.bind(parser);
      const line = lineOf(socket);
      parser.onIncoming = (request, keepAlive) => {
        if (!line.isFull && line.waiting.length < waitingAtMost) return onIncoming(request, keepAlive);
        if (!line.isFull) {
          line.isFull = true;
          line.waiting.at(-1)?.response.setHeader('Connection', 'close');
          process.nextTick(() => discardInput(socket));
        }
        request.upgrade = false;
        return stopParsing;
      };
    },
    isWaitingForHandler(socket) {
      const current = lines.get(socket)?.current;
      return current != null && !current.response.headersSent;
    },
  };
}

/** Takes the input from the parser. It is still read, because an end of the connection must be noticed. */
function discardInput(socket: Socket): void {
  // The first listener makes Node's parser give the socket back.
  socket.on('data', ignore);
  socket.removeAllListeners('data');
  socket.on('data', ignore);
  socket.resume();
}

function ignore(): void {}
