#!/usr/bin/env node
import { createOutdialClient, OutdialError } from '@outdial/client';
import { Command, InvalidArgumentError } from 'commander';
import { serveHttp } from './serve-http.ts';
import { serveStdio } from './serve-stdio.ts';

interface Options {
  url: string;
  http?: boolean;
  host: string;
  port: number;
  allowWrites?: boolean;
  allowHost: string[];
  allowOrigin: string[];
}

const { OUTDIAL_URL = 'http://localhost:3000', OUTDIAL_API_KEY } = process.env;
const gathered = (value: string, before: string[]) => [...before, value.toLowerCase()];

await new Command('outdial-mcp')
  .description('Offers the Outdial API to assistants that speak MCP.')
  .option('--url <url>', 'where the api is (OUTDIAL_URL)', OUTDIAL_URL)
  .option('--http', 'speak Streamable HTTP, at /mcp, instead of standard input and output')
  .option('--host <address>', 'with --http: where to listen', '127.0.0.1')
  .option('--port <port>', 'with --http: 0 takes a free one', port, 3333)
  .option('--allow-writes', 'offer what changes something, where the role of the credential allows it')
  .option(
    '--allow-host <host>',
    'with --http: a further name of this server, such as mcp.example.com',
    gathered,
    [],
  )
  .option('--allow-origin <origin>', 'with --http: pages of this origin may ask', gathered, [])
  .addHelpText(
    'after',
    '\nOver standard input and output the API key is OUTDIAL_API_KEY. Over HTTP each request carries its own, as X-API-Key or Authorization: Bearer.',
  )
  .action(async (options: Options) => {
    const { allowWrites = false, url: baseUrl } = options;
    try {
      if (options.http === true) {
        const { allowHost: allowedHosts, allowOrigin: allowedOrigins, host, port: at } = options;
        const server = await serveHttp({
          baseUrl,
          allowWrites,
          allowedHosts,
          allowedOrigins,
          host,
          port: at,
        });
        process.stderr.write(`outdial-mcp: listening at ${server.url}\n`);
        const stop = () => void server.close();
        process.once('SIGTERM', stop).once('SIGINT', stop);
        return;
      }
      if (OUTDIAL_API_KEY === undefined || OUTDIAL_API_KEY === '') {
        throw new Error('set OUTDIAL_API_KEY to an API key, as `outdial key create` makes it');
      }
      await serveStdio(createOutdialClient({ baseUrl, apiKey: OUTDIAL_API_KEY }), { allowWrites });
    } catch (error) {
      process.stderr.write(`outdial-mcp: ${reasonOf(error, baseUrl)}\n`);
      process.exitCode = 1;
    }
  })
  .parseAsync();

function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('It is no port.');
  return value;
}

function reasonOf(error: unknown, baseUrl: string): string {
  if (error instanceof OutdialError) return error.message;
  if (error instanceof TypeError) return `the api at ${baseUrl} cannot be reached`;
  return error instanceof Error ? error.message : String(error);
}
