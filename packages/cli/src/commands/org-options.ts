import { listProviderNames, type Db } from '@outdial/db';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { limit, nameOrNone, timezoneOption } from '../options.ts';

export interface OrgOptions {
  json?: boolean;
  timezone?: string;
  maxLines?: number | null;
  defaultProvider?: string | null;
}

export function limitOptions(command: Command): Command {
  return command
    .addOption(timezoneOption('IANA; holds for campaigns that name none'))
    .option('--max-lines <number>', 'calls in progress at most; `none` for no cap', limit)
    .option(
      '--default-provider <name>',
      'carries its calls unless the agent names one; `none` for the installation’s',
      nameOrNone,
    );
}

export async function requireProvider(db: Db, name: string | null | undefined): Promise<void> {
  if (name == null) return;
  const names = await listProviderNames(db);
  if (names.includes(name)) return;
  const known = names.length === 0 ? 'none is set' : `known: ${names.join(', ')}`;
  throw new CliError(
    'provider_not_found',
    `there is no provider ${name} (${known}): make it with \`outdial provider set\``,
  );
}
