/** A receiver that answers each webhook after five milliseconds. Prints its address and the number of webhooks received. */
import { createServer } from 'node:http';

const answerMs = 5;
let received = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(received));
    return;
  }
  request.resume();
  request.once('end', () => {
    setTimeout(() => {
      received += 1;
      response.writeHead(204).end();
    }, answerMs);
  });
});
server.listen(Number(process.env['PORT'] ?? '0'), '127.0.0.1');
