import { andMore, nearestName, type ValidationErrorEntry } from '@outdial/contracts';
import { ValidationError } from './errors.ts';
import { withShownValue } from './shown-value.ts';
import { fieldHint, type UnknownField, type UnknownFields } from './unknown-fields.ts';
import type { Location } from './validation.ts';

export function shownFaults(
  entries: readonly ValidationErrorEntry[],
  input: Readonly<Record<Location, unknown>>,
): ValidationError {
  return new ValidationError(entries.map((entry) => withShownValue(entry, inputOf(entry, input))));
}

function inputOf(
  { loc: [place] }: ValidationErrorEntry,
  input: Readonly<Record<Location, unknown>>,
): unknown {
  return place === 'path' || place === 'query' || place === 'body' ? input[place] : undefined;
}

const unknownFieldsAtMost = 3;

/** If a field is missing and unknown fields are allowed, names the unknown field that was probably meant. */
export function withUnknownFields(
  entries: readonly ValidationErrorEntry[],
  { fields }: UnknownFields,
): ValidationErrorEntry[] {
  return entries.map((entry) => {
    if (entry.type !== 'missing') return entry;
    const place = entry.loc.slice(1, -1).join('.');
    const beside = fields.filter(({ path }) => path.slice(0, -1).join('.') === place);
    const meant = beside.find((field) => nearestName(nameOf(field), field.known) === entry.loc.at(-1));
    if (meant !== undefined) {
      return {
        ...entry,
        msg: `${entry.msg}; \`${nameOf(meant)}\` is unknown; did you mean \`${entry.loc.at(-1)}\`?`,
      };
    }
    const names = beside.slice(0, unknownFieldsAtMost).map((field) => `\`${nameOf(field)}\``);
    if (names.length === 0) return entry;
    return {
      ...entry,
      msg: `${entry.msg}; ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} unknown`,
    };
  });
}

function nameOf({ path }: UnknownField): string {
  return String(path.at(-1) ?? '');
}

export function refusedFields({ fields, more }: UnknownFields): ValidationErrorEntry[] {
  return [...fields.map(refusedField), ...andMore(['body'], more)];
}

function refusedField(field: UnknownField): ValidationErrorEntry {
  return {
    loc: ['body', ...field.path],
    msg: `Field not expected${fieldHint(field)}`,
    type: 'extra_forbidden',
  };
}
