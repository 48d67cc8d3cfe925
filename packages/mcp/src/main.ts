#!/usr/bin/env node
import { Command } from 'commander';
import { type McpCommandOptions, mcpOptions, runMcp } from './command.ts';

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort()).once('SIGINT', () => stop.abort());

const command = new Command('outdial-mcp').description(
  'Offers the Outdial API to assistants that speak MCP.',
);
await mcpOptions(command, process.env)
  .action(async (options: McpCommandOptions) => {
    try {
      await runMcp(options, { env: process.env, err: process.stderr, stop: stop.signal });
    } catch (error) {
      process.stderr.write(`outdial-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  })
  .parseAsync();
