import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { OutdialClient } from '@outdial/client';
import { createMcpServer, type McpOptions } from './create-server.ts';

/** Speaks MCP over standard input and output. Resolves when the other side has closed them. */
export async function serveStdio(client: OutdialClient, options: McpOptions): Promise<void> {
  const { server } = await createMcpServer(client, options);
  const closed = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
  });
  await server.connect(new StdioServerTransport());
  await closed;
  await server.close();
}
