import { type McpCommandOptions, mcpOptions, runMcp } from '@outdial/mcp/command';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';

/** `outdial mcp`: uses the api like any caller, and never the database. */
export function addMcp(program: Command, context: CliContext): void {
  const command = program.command('mcp').description('serve the API to MCP assistants, with your API key');
  mcpOptions(command, context.env).action(async (options: McpCommandOptions) => {
    const stop = new AbortController();
    const settled = context.interrupted(() => stop.abort());
    try {
      await runMcp(options, { env: context.env, err: context.err, stop: stop.signal });
    } catch (error) {
      throw new CliError('mcp_failed', error instanceof Error ? error.message : String(error));
    } finally {
      settled();
    }
  });
}
