import { createOutdialClient, OutdialError } from '@outdial/client';
import { type Command, InvalidArgumentError } from 'commander';

/** As `mcpOptions` declares them. */
export interface McpCommandOptions {
  url: string;
  http?: boolean;
  host: string;
  port: number;
  allowWrites?: boolean;
  requirePerson?: boolean;
  allowHost: string[];
  allowOrigin: string[];
}

export interface McpSurroundings {
  env: Readonly<Record<string, string | undefined>>;
  err: { write(text: string): unknown };
  /** Ends the HTTP server. A server on standard input and output ends with its input. */
  stop: AbortSignal;
}

/** The options of `outdial mcp` and `outdial-mcp`. */
export function mcpOptions(command: Command, env: McpSurroundings['env']): Command {
  const gathered = (value: string, before: string[]) => [...before, value.toLowerCase()];
  return command
    .option('--url <url>', 'address of the api (OUTDIAL_URL)', env['OUTDIAL_URL'] ?? 'http://localhost:3000')
    .option('--http', 'use Streamable HTTP at /mcp instead of standard input and output')
    .option('--host <address>', 'with --http: address to listen on', '127.0.0.1')
    .option('--port <port>', 'with --http: 0 for any free one', port, 3333)
    .option('--allow-writes', 'offer tools that change something, if the role of the credential allows them')
    .option(
      '--require-person',
      'start campaigns only after the client has asked its person; a client that cannot ask starts none',
    )
    .option(
      '--allow-host <host>',
      'with --http: a further name of this server, such as mcp.example.com',
      gathered,
      [],
    )
    .option('--allow-origin <origin>', 'with --http: accept requests from pages of this origin', gathered, [])
    .addHelpText(
      'after',
      '\nOver standard input and output the API key is OUTDIAL_API_KEY. Over HTTP each request carries its own, as X-API-Key or Authorization: Bearer.',
    );
}

/** Serves MCP until it is stopped. @throws Error with the reason in one line */
export async function runMcp(options: McpCommandOptions, surroundings: McpSurroundings): Promise<void> {
  const baseUrl = options.url;
  if (!URL.canParse(baseUrl)) throw new Error(`--url is not a URL: ${baseUrl}`);
  try {
    await (options.http === true ? overHttp(options, surroundings) : overStdio(options, surroundings));
  } catch (error) {
    if (error instanceof OutdialError || !(error instanceof TypeError)) throw error;
    throw new Error(`the api at ${baseUrl} cannot be reached`, { cause: error });
  }
}

async function overHttp(options: McpCommandOptions, { err, stop }: McpSurroundings): Promise<void> {
  const { serveHttp } = await import('./serve-http.ts');
  const { allowWrites = false, requirePerson = false, url: baseUrl, host, port: at } = options;
  const { allowHost: allowedHosts, allowOrigin: allowedOrigins } = options;
  const server = await serveHttp({
    baseUrl,
    allowWrites,
    requirePerson,
    allowedHosts,
    allowedOrigins,
    host,
    port: at,
  });
  err.write(`outdial-mcp: listening at ${server.url}\n`);
  if (!stop.aborted) {
    await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  }
  await server.close();
}

async function overStdio(
  { url, allowWrites = false, requirePerson = false }: McpCommandOptions,
  { env }: McpSurroundings,
) {
  const apiKey = env['OUTDIAL_API_KEY'] ?? '';
  if (apiKey === '') throw new Error('set OUTDIAL_API_KEY to an API key, as `outdial key create` makes it');
  const { serveStdio } = await import('./serve-stdio.ts');
  await serveStdio(createOutdialClient({ baseUrl: url, apiKey }), { allowWrites, requirePerson });
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('Must be a port number.');
  return value;
}
