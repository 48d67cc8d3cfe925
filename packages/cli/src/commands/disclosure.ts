import { recordingModes, type RecordingMode } from '@outdial/core';
import { findOpeningRules, inTransaction, noteChange, setDisclosure, setRecordingRule } from '@outdial/db';
import { Argument, InvalidArgumentError, type Command } from 'commander';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

interface Options {
  json?: boolean;
  org?: string;
  language: string;
}

const longestText = 1_000;
const languageTag = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** `outdial disclosure`: the announcement at the beginning of calls, and whether calls are recorded. */
export function addDisclosure(group: Command, context: CliContext): void {
  leaf(
    group,
    'set',
    'set the disclosure for calls to a state, a country or everywhere (*); `none` removes it',
  )
    .argument('<jurisdiction>', 'such as US-CA, DE or *', jurisdiction)
    .argument('<text>', '{{organization}}, {{agent}} and {{phone}} are replaced', disclosureText)
    .option(...orgOption)
    .option('--language <tag>', 'such as en or pt-BR', language, 'en')
    .action(async (place: string, text: string, options: Options) => {
      const set = { jurisdiction: place, language: options.language, text: text === 'none' ? null : text };
      await inOrganization(context, options, (db, organizationId) =>
        inTransaction(db, async (tx) => {
          await setDisclosure(tx, organizationId, set);
          noteChange({ type: 'disclosure', id: `${place} ${options.language}`, after: { text: set.text } });
        }),
      );
      say(context, options, set, `${place} (${options.language}): ${text}`);
    });
  leaf(group, 'recording', 'set whether calls to a state, a country or everywhere (*) are recorded')
    .argument('<jurisdiction>', 'such as US-CA, DE or *', jurisdiction)
    .addArgument(new Argument('<mode>', '`none` removes the rule').choices([...recordingModes, 'none']))
    .option(...orgOption)
    .action(async (place: string, mode: RecordingMode | 'none', options: Options) => {
      const set = { jurisdiction: place, mode: mode === 'none' ? null : mode };
      await inOrganization(context, options, (db, organizationId) =>
        inTransaction(db, async (tx) => {
          await setRecordingRule(tx, organizationId, set);
          noteChange({ type: 'recording_rule', id: place, after: { mode: set.mode } });
        }),
      );
      say(context, options, set, `${place}: ${mode}`);
    });
  leaf(group, 'list', 'list disclosures and recording rules')
    .option(...orgOption)
    .action(async (options: Options) => {
      const rules = await inOrganization(context, options, findOpeningRules);
      say(context, options, rules, [
        ...rules.texts.map((one) => `${one.jurisdiction} (${one.language}): ${one.text}`),
        ...rules.recordings.map((one) => `${one.jurisdiction}: recording ${one.mode}`),
      ]);
    });
}

function jurisdiction(text: string): string {
  if (/^(\*|[A-Z]{2}|(US|CA)-[A-Z]{2})$/.test(text)) return text;
  throw new InvalidArgumentError('Must be a state such as US-CA, a country such as DE, or *.');
}

function language(text: string): string {
  if (languageTag.test(text)) return text;
  throw new InvalidArgumentError('Must be a language tag, such as en or pt-BR.');
}

function disclosureText(text: string): string {
  if (text.trim() !== '' && text.length <= longestText) return text.trim();
  throw new InvalidArgumentError(`Must have 1 to ${longestText} characters.`);
}
