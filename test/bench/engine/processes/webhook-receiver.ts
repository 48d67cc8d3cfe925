/** A receiver of webhooks that takes five milliseconds for each, as a quick one does. Says where it listens, and how much has come. */
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
