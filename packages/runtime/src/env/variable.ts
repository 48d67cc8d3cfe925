import { z } from 'zod';

/** How to read and document one environment variable. */
export interface EnvVariable<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  readonly description: string;
  /** Written as in the environment, and parsed with the schema. */
  readonly defaultText?: string;
  /** For a variable without a default. */
  readonly exampleText?: string;
  readonly required: boolean;
  /** Left out of logs and settings files. */
  readonly isSecret?: true;
}

export function withDefault<Value>(
  schema: z.ZodType<Value>,
  defaultText: string,
  description: string,
): EnvVariable<Value> {
  return { schema, description, defaultText, required: false };
}

export function required<Value>(
  schema: z.ZodType<Value>,
  exampleText: string,
  description: string,
): EnvVariable<Value> {
  return { schema, description, exampleText, required: true };
}

export function optional<Value>(
  schema: z.ZodType<Value>,
  exampleText: string,
  description: string,
): EnvVariable<Value | undefined> {
  const isSecret = schema.meta()?.['secret'] === true;
  return {
    schema: schema.optional(),
    description,
    exampleText,
    required: false,
    ...(isSecret && { isSecret }),
  };
}

// Faults never quote the value, because it may be or contain a secret.

export const text = z.string();

export function secret(minLength: number) {
  return z
    .string()
    .min(minLength, { error: `must have at least ${minLength} characters` })
    .meta({ secret: true });
}

export function integer(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .pipe(z.number({ error }).min(min, { error }).max(max, { error }));
}

export function choice<const Options extends readonly string[]>(options: Options) {
  return z.enum(options, { error: `must be one of ${options.join(', ')}` });
}

export const flag = choice(['0', '1', 'false', 'true']).transform((word) => word === '1' || word === 'true');

export function url(...protocols: readonly [string, ...string[]]) {
  const error = `must be a url that begins with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
  return z
    .string()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1)), {
      error,
    });
}

export const uuid = z.guid({ error: 'must be a UUID' });

export function commaSeparated() {
  return z.string().transform((list) =>
    list
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );
}
