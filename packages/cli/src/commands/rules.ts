import { readRulesDocument } from '@outdial/contracts';
import { judgeOverlay, type OverlayFault, type RuleOverlay } from '@outdial/core';
import { addRuleVersion, findRules, inTransaction, listRuleVersions, noteChange } from '@outdial/db';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { readText } from '../open-file.ts';
import { withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say } from '../output.ts';

interface Options {
  json?: boolean;
}

/** `outdial rules`: the operator's rules of law, in force at every gate once they are imported. */
export function addRules(group: Command, context: CliContext): void {
  leaf(group, 'import', 'put the rules of a file in force, for all organizations, at once')
    .argument('<file>', 'JSON (docs/compliance.md)')
    .action(async (file: string, options: Options) => {
      const { document, looser } = readFile(context, file);
      const version = await withDatabase(context, (db) =>
        inTransaction(db, async (tx) => {
          const before = await findRules(tx);
          const id = await addRuleVersion(tx, document);
          noteChange({
            type: 'rules',
            id: document.version,
            before: { version: before?.name ?? null },
            after: { version: document.version },
          });
          return id;
        }),
      );
      if (version === null) {
        throw new CliError(
          'version_exists',
          `there are rules ${document.version} already, which receipts may name: give these another version`,
        );
      }
      warn(context, looser);
      say(context, options, { version: document.version, number: version, looser }, [
        `the rules ${document.version} (number ${version}) are in force: ${counted(document)}`,
      ]);
    });
  leaf(group, 'show', 'print the rules in force, as a file for `import`').action(async (options: Options) => {
    const rules = await withDatabase(context, findRules);
    if (rules === null) {
      say(
        context,
        options,
        { version: null, looser: [] },
        'only the rules that come with Outdial are in force',
      );
      return;
    }
    const judged = judgeOverlay(rules.document);
    // Rules that do not fit this release stop all calls: they are shown, so that they can be corrected.
    if ('fault' in judged) context.err.write(`WARNING: ${faultText(rules.document.version, judged.fault)}\n`);
    const looser = 'looser' in judged ? judged.looser : [];
    warn(context, looser);
    say(context, options, { ...rules, looser }, JSON.stringify(rules.document, null, 2));
  });
  leaf(group, 'diff', 'print what a file would change of the rules in force')
    .argument('<file>')
    .action(async (file: string, options: Options) => {
      const { document, looser } = readFile(context, file);
      const rules = await withDatabase(context, findRules);
      const changes = differences(rules?.document ?? null, document);
      warn(context, looser);
      say(context, options, { changes, looser }, changes.length === 0 ? 'no differences' : changes);
    });
  leaf(group, 'history', 'list the versions of the rules, newest first').action(async (options: Options) => {
    const versions = await withDatabase(context, (db) => listRuleVersions(db, versionsShown));
    const shown = versions.map(({ id, name, importedAt, document }) => ({
      number: id,
      version: name,
      imported_at: importedAt.toISOString(),
      rules: counted(document),
    }));
    say(
      context,
      options,
      { versions: shown },
      shown.map((one) => `${one.number}  ${one.imported_at}  ${one.version}  ${one.rules}`),
    );
  });
}

const versionsShown = 100;

type Looser = Array<{ jurisdiction: string; looser: string[] }>;

function readFile(context: CliContext, file: string): { document: RuleOverlay; looser: Looser } {
  const read = readRulesDocument(readText(context, file));
  if ('faults' in read) throw new CliError('invalid_rules', `${file}: ${read.faults.join('; ')}`);
  return { document: read.document, looser: looserOf(read.document, file) };
}

function looserOf(document: RuleOverlay, name: string): Looser {
  const judged = judgeOverlay(document);
  if ('looser' in judged) return judged.looser;
  throw new CliError('invalid_rules', faultText(name, judged.fault));
}

const faultText = (name: string, { field, message }: OverlayFault) => `${name}: ${field} ${message}`;

function warn({ err }: CliContext, looser: Looser): void {
  for (const one of looser) {
    err.write(
      `WARNING: ${one.jurisdiction} is LOOSER than the rule of law that it replaces: ${one.looser.join('; ')}\n`,
    );
  }
}

function counted({ rules, pins }: RuleOverlay): string {
  return `${rules.length} rules, ${Object.keys(pins).length} pins`;
}

/** A line for each field that differs: `+`, `-` or `~`, and where. */
function differences(before: RuleOverlay | null, after: RuleOverlay): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((name) => {
    const [from, to] = [old.get(name), now.get(name)];
    if (from === to) return [];
    if (from === undefined) return [`+ ${name}: ${to}`];
    return [to === undefined ? `- ${name}: ${from}` : `~ ${name}: ${from} → ${to}`];
  });
}

/** `PL weekdays` → `["09:00-12:00"]` */
function fieldsOf(document: RuleOverlay | null): Map<string, string> {
  const fields = new Map<string, string>();
  for (const { jurisdiction, ...fieldsOfRule } of document?.rules ?? []) {
    for (const [name, value] of Object.entries(fieldsOfRule)) {
      fields.set(`${jurisdiction} ${name}`, JSON.stringify(value));
    }
  }
  for (const [jurisdiction, version] of Object.entries(document?.pins ?? {})) {
    fields.set(`pin ${jurisdiction}`, String(version));
  }
  return fields;
}
