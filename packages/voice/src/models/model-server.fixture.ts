import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createModelEndpoints, type ModelEndpoints } from './endpoints.ts';

export interface Asked {
  /** The endpoint's name, from the first part of the path. */
  name: string;
  path: string;
  authorization: string | undefined;
  contentType: string | undefined;
  body: Buffer<ArrayBuffer>;
}

export interface ModelServer {
  endpoints: ModelEndpoints;
  asked: Asked[];
  /** The names of the endpoints that were asked, in order. */
  names: () => string[];
  url: (name: string) => string;
}

/** Endpoints on one real server, each with its own behavior. */
export async function modelServer(
  answers: Readonly<Record<string, (response: ServerResponse, asked: Asked) => void>>,
): Promise<ModelServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      // No encoding was set on the stream, so it gives buffers.
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const [, name = '', ...rest] = (request.url ?? '').split('/');
      const { authorization, 'content-type': contentType } = request.headers;
      const one = {
        name,
        path: `/${rest.join('/')}`,
        authorization,
        contentType,
        body: Buffer.concat(chunks),
      };
      asked.push(one);
      answers[name]?.(response, one);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = (name: string) => `http://127.0.0.1:${port}/${name}`;
  const endpoints = createModelEndpoints({
    endpoints: new Map(
      Object.keys(answers).map((name) => [
        name,
        { name, url: url(name), key: `key of ${name}`, model: `model of ${name}` },
      ]),
    ),
    nowMs: () => 0,
  });
  return { endpoints, asked, names: () => asked.map(({ name }) => name), url };
}

export const status =
  (code: number) =>
  (response: ServerResponse): void => {
    response.writeHead(code).end('{"error": {"message": "no"}}');
  };

/** Accepts the request and never answers. */
export const silent = (): void => undefined;

export const json =
  (body: unknown) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
