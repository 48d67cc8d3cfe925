import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { leaf, orgOption } from '../options.ts';
import type { TestOptions } from '../talk/test-agent.ts';

export function addAgentTest(agent: Command, context: CliContext): void {
  leaf(
    agent,
    'test',
    'play the scenarios of a YAML or JSON file with an agent; fails if an expectation fails',
  )
    .argument('<file>')
    .option(...orgOption)
    .option('--only <text>', 'scenarios whose name contains this')
    .action(async (file: string, options: TestOptions) => {
      // Only this command and `agent chat` load voice, which is slow to load.
      const { testAgent } = await import('../talk/test-agent.ts');
      await testAgent(context, options, file);
    });
}
