import {
  engineNow,
  inTransaction,
  listProviderAdapters,
  noteChange,
  setProvider,
  webProvider,
  listProviders,
  checkAllCalls,
} from '@outdial/db';
import { adapterNames, telephonyEnv } from '@outdial/providers/environment';
import { type Command, InvalidArgumentError } from 'commander';
import { compareCalls, lookUpGraceMs } from '@outdial/engine';
import { loadEnv } from '@outdial/runtime';
import { UsageError, CliError } from '../cli-error.ts';
import { withDatabase, environmentOf } from '../open-database.ts';
import { leaf, limit, orNull, rate, setting, type None } from '../options.ts';
import { say, table } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface ProviderSetOptions {
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
      `the adapter: ${adapterNames.join(', ')}; the name of a new provider by default`,
    )
    .option('--max-lines <number>', 'maximum number of calls in progress; `none` for no cap', limit)
    .option('--calls-per-second <number>', '`none` for no limit', rate)
    .option('--set <name=value...>', 'a setting of the adapter', setting)
    .action(async (name: string, options: ProviderSetOptions) => {
      if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) {
        throw new UsageError(
          'the name of a provider may have lower-case letters, digits, - and _, at most 63 in all',
        );
      }
      if (name === webProvider) throw new UsageError(`${name} is the name of calls in browsers`);
      const rules = await context.adapterRules();
      const { row, check } = await withDatabase(context, async (db) =>
        inTransaction(db, async (tx) => {
          const before = (await listProviderAdapters(tx)).find((known) => known.name === name);
          const adapter = options.adapter ?? before?.adapter ?? name;
          const faults = rules.settingsFaults(adapter, options.set ?? {});
          if (faults.length > 0) throw new UsageError(`provider ${name}: ${faults.join('; ')}`);
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
          const check = rules.checkRow(own, others, environmentOf(context));
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

interface ProviderCompareOptions {
  since: Date;
  json?: boolean;
}

/** `outdial provider compare`: after a restore, the calls that only the carrier or only the database has. */
export function addProviderCompare(provider: Command, context: CliContext): void {
  leaf(provider, 'compare', "compare a carrier's own list of calls with the database, as after a restore")
    .argument('<name>')
    .requiredOption('--since <instant>', 'such as 2026-11-27T08:00:00Z: the start of the backup', instant)
    .action(async (name: string, options: ProviderCompareOptions) => {
      const env = environmentOf(context);
      const { telephony } = loadEnv({ telephony: telephonyEnv }, env);
      const rules = await context.adapterRules();
      const { compared, lookedUp } = await withDatabase(context, async (db) => {
        const rows = await listProviderAdapters(db);
        const row = rows.find((one) => one.name === name);
        if (!row) {
          throw new UsageError(
            `there is no provider ${name}; there are ${rows.map((one) => one.name).join(', ')}`,
          );
        }
        const adapter = rules.buildProvider(row, telephony, env);
        if (adapter === null) throw new UsageError(`this environment lacks the settings of provider ${name}`);
        return {
          compared: await compareCalls(db, { provider: adapter, since: options.since }),
          lookedUp: await checkAllCalls(db, { graceMs: lookUpGraceMs }),
        };
      });
      if (compared.kind === 'no_list') {
        throw new CliError('no_list', `provider ${name} cannot list its calls: compare with its own records`);
      }
      if (compared.kind === 'unreachable') {
        throw new CliError('provider_unreachable', `provider ${name} gave no list: ${compared.reason}`);
      }
      const { both, onlyAtProvider, onlyHere } = compared;
      say(
        context,
        options,
        {
          both,
          only_at_provider: onlyAtProvider.map((call) => ({
            conversation_id: call.conversationId,
            phone_number: call.toPhone,
            at: call.at,
          })),
          only_here: onlyHere.map((call) => ({
            call_id: call.id,
            organization_id: call.organizationId,
            phone_number: call.toPhone,
            at: call.gatedAt,
          })),
          calls_looked_up: lookedUp,
        },
        [
          `calls that both have: ${both}`,
          ...part(
            'calls that only the carrier has; suppress or withdraw these people before campaigns go on',
            onlyAtProvider.map(({ conversationId, toPhone, at }) => [conversationId, toPhone, at]),
          ),
          ...part(
            'calls that only the database has',
            onlyHere.map(({ id, toPhone, gatedAt }) => [id, toPhone, gatedAt]),
          ),
          ...(lookedUp === 0 ? [] : [`calls in progress, which the scheduler looks up now: ${lookedUp}`]),
        ],
      );
    });
}

function part(title: string, rows: ReadonlyArray<[string, string | null, Date | null]>): string[] {
  const lines = rows.map(([id, phone, at]) => [id, phone ?? '', at?.toISOString() ?? '']);
  return [`${title}: ${rows.length}`, ...(rows.length === 0 ? [] : table(['CALL', 'NUMBER', 'AT'], lines))];
}

function instant(text: string): Date {
  const at = new Date(text);
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  if (isWhole && !Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError('Must be an instant with its offset, such as 2026-11-27T08:00:00Z.');
}
