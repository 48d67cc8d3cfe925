import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { leaf, orgOption, parameter } from '../options.ts';
import type { ChatOptions } from '../talk/chat-with-agent.ts';

export function addAgentChat(agent: Command, context: CliContext): void {
  leaf(agent, 'chat', 'talk with an agent by text: a line for each turn, until the agent or the input ends')
    .argument('<agent>', 'its name or id')
    .option(...orgOption)
    .option('--param <name=value>', 'a value for a placeholder of the prompt; may be repeated', parameter)
    .action(async (named: string, options: ChatOptions) => {
      // Only this command and `agent test` load voice, which is slow to load.
      const { chatWithAgent } = await import('../talk/chat-with-agent.ts');
      await chatWithAgent(context, options, named);
    });
}
