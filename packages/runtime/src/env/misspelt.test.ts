import { expect, test } from 'vitest';
import { describeEnv } from './docs.ts';
import { envFragment } from './fragment.ts';
import { misspeltVariables } from './misspelt.ts';
import { optional, text } from './variable.ts';

const adapter = {
  ...envFragment({ TWILIO_AUTH_TOKEN: optional(text, 'x', 'The token.') }, (values) => values),
  furtherSecrets: /^TWILIO_/,
};
const told = (...names: string[]) =>
  misspeltVariables(Object.fromEntries(names.map((name) => [name, 'x'])), [adapter]);

test.each([
  ['REDIS_ULR', 'REDIS_URL'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['redis_url', 'REDIS_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['PROT', 'PORT'],
  ['TWILIO_AUTH_TOKN', 'TWILIO_AUTH_TOKEN'],
  ['JWT_SECERT_FILE', 'JWT_SECRET_FILE'],
])('%s was meant as %s', (variable, meant) => expect(told(variable)).toEqual([{ variable, meant }]));

test('names of other programs are left alone', () => {
  const names = [
    'HOSTNAME',
    'HOME',
    'POST',
    'PATH',
    'REDIS_PORT',
    'DATABASE_USER',
    'PGHOST',
    'NODE_ENV',
    'LOGNAME',
  ];
  expect(told(...names)).toEqual([]);
});

test('known variables, their files, secrets that an operator names, and empty variables are fine', () => {
  const known = describeEnv().flatMap(({ variables }) => variables.map(({ name }) => name));
  expect(told(...known, ...known.map((name) => `${name}_FILE`), 'TWILIO_AUTH_TOKEN_2')).toEqual([]);
  expect(misspeltVariables({ REDIS_ULR: '' }, [])).toEqual([]);
});
