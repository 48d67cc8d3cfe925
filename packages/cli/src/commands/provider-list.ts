import { listProviders } from '@outdial/db';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say, table } from '../output.ts';

/** `outdial provider list`: without the settings, which may hold secrets. */
export function addProviderList(provider: Command, context: CliContext): void {
  leaf(provider, 'list', 'list the providers').action(async (options: { json?: boolean }) => {
    const providers = await withDatabase(context, listProviders);
    const rows = providers.map((one) => [
      one.name,
      one.adapter,
      one.max_lines === null ? 'no cap' : String(one.max_lines),
      one.calls_per_second === null ? 'no limit' : String(one.calls_per_second),
    ]);
    say(context, options, { providers }, table(['NAME', 'ADAPTER', 'LINES', 'CALLS PER SECOND'], rows));
  });
}
