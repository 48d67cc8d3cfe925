import {
  engineNow,
  inTransaction,
  listProviderAdapters,
  noteChange,
  setProvider,
  webProvider,
} from '@outdial/db';
import { adapterNames } from '@outdial/providers/environment';
import type { Command } from 'commander';
import { UsageError } from '../cli-error.ts';
import { withDatabase } from '../open-database.ts';
import { leaf, limit, orNull, rate, setting, type None } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
  json?: boolean;
  adapter?: string;
  maxLines?: number | None;
  callsPerSecond?: number | None;
  set?: Record<string, unknown>;
}

export function addProviderSet(provider: Command, context: CliContext): void {
  leaf(provider, 'set', 'create or change a provider; other settings stay as they are')
    .argument('<name>')
    .option(
      '--adapter <name>',
      `the adapter: ${adapterNames.join(', ')}; the name of the provider by default`,
    )
    .option('--max-lines <number>', 'maximum number of calls in progress; `none` for no cap', limit)
    .option('--calls-per-second <number>', '`none` for no limit', rate)
    .option('--set <name=value...>', 'a setting of the adapter', setting)
    .action(async (name: string, options: Options) => {
      if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) {
        throw new UsageError(
          'the name of a provider may have lower-case letters, digits, - and _, at most 63 in all',
        );
      }
      if (name === webProvider) throw new UsageError(`${name} is the name of calls in browsers`);
      const adapter = options.adapter ?? name;
      const rules = await context.adapterRules();
      const faults = rules.settingsFaults(adapter, options.set ?? {});
      if (faults.length > 0) throw new UsageError(`provider ${name}: ${faults.join('; ')}`);
      const { row, check } = await withDatabase(context, async (db) =>
        inTransaction(db, async (tx) => {
          const before = (await listProviderAdapters(tx)).some((known) => known.name === name);
          const after = await setProvider(tx, {
            name,
            changes: {
              adapter: options.adapter,
              maxLines: orNull(options.maxLines),
              callsPerSecond: orNull(options.callsPerSecond),
              firstCallsPerSecond: rules.firstCallsPerSecond(adapter),
              settings: options.set,
            },
            now: await engineNow(tx),
          });
          noteChange({
            type: 'provider',
            id: name,
            after: { ...after, settings: Object.keys(options.set ?? {}) },
          });
          if (before && options.set === undefined && options.adapter === undefined) return { row: after };
          const rows = await listProviderAdapters(tx);
          const own = rows.find((known) => known.name === name);
          if (!own) throw new Error(`provider ${name} cannot be read in the transaction that wrote it`);
          const others = rows.filter((known) => known !== own);
          const check = rules.checkRow(own, others, context.env);
          if (check.faults.length > 0) throw new UsageError(`provider ${name}: ${check.faults.join('; ')}`);
          return { row: after, check };
        }),
      );
      for (const hint of check?.hints ?? []) context.err.write(`outdial: ${hint}\n`);
      const secret = check?.secret ?? null;
      say(context, options, { ...row, ...(secret !== null && { secret }) }, [
        ...(secret === null ? [] : [`secret of ${row.name}, for the gateway: ${secret}`]),
        `provider ${row.name}: adapter ${row.adapter} · lines ${row.max_lines ?? 'no cap'} · calls per second ${row.calls_per_second ?? 'no limit'}`,
      ]);
    });
}
