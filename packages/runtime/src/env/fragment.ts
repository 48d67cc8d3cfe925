import type { EnvVariable } from './variable.ts';

type Variables = Readonly<Record<string, EnvVariable>>;

type ValueOf<Variable> = Variable extends EnvVariable<infer Value> ? Value : never;

export type ValuesOf<Shape extends Variables> = { readonly [Name in keyof Shape]: ValueOf<Shape[Name]> };

export type ReportFault = (variable: string, message: string) => void;

/** Related variables, and the settings that they define. */
export interface EnvFragment<Settings> {
  readonly variables: Variables;
  /** Matches the names of secrets that the operator chooses, such as those of further providers. */
  readonly furtherSecrets?: RegExp;
  /** Returns undefined if it reported a fault. */
  read(source: Readonly<Record<string, string | undefined>>, report: ReportFault): Settings | undefined;
}

/** @param toSettings is called if every variable is valid, and may report contradictions between them */
export function envFragment<Shape extends Variables, Settings>(
  variables: Shape,
  toSettings: (values: ValuesOf<Shape>, report: ReportFault) => Settings,
): EnvFragment<Settings> {
  return {
    variables,
    read(source, report) {
      let faulty = false;
      const note: ReportFault = (variable, message) => {
        faulty = true;
        report(variable, message);
      };
      const entries = Object.entries(variables).map(([name, variable]) => {
        return [name, readVariable(name, variable, source[name], note)] as const;
      });
      if (faulty) return undefined;
      // Each value was parsed with the schema of its variable.
      const settings = toSettings(Object.fromEntries(entries) as ValuesOf<Shape>, note);
      return faulty ? undefined : settings;
    },
  };
}

function readVariable(
  name: string,
  variable: EnvVariable,
  raw: string | undefined,
  report: ReportFault,
): unknown {
  // `NAME=` in a file or in docker-compose gives an empty string, which counts as not set.
  const given = raw === undefined || raw.trim() === '' ? variable.defaultText : raw.trim();
  if (given === undefined) {
    if (variable.required) report(name, 'is not set');
    return undefined;
  }
  const result = variable.schema.safeParse(given);
  if (result.success) return result.data;
  report(name, result.error.issues.map((issue) => issue.message).join('; '));
  return undefined;
}
