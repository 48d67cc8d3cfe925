import type { EnvVariable } from './variable.ts';

type Variables = Readonly<Record<string, EnvVariable>>;

type ValueOf<Variable> = Variable extends EnvVariable<infer Value> ? Value : never;

export type ValuesOf<Shape extends Variables> = { readonly [Name in keyof Shape]: ValueOf<Shape[Name]> };

/** Notes what is wrong with a variable. */
export type ReportFault = (variable: string, message: string) => void;

/** Variables that belong together, and the settings that a process makes of them. */
export interface EnvFragment<Settings> {
  readonly variables: Variables;
  /** Returns nothing if a fault was reported. */
  read(source: Readonly<Record<string, string | undefined>>, report: ReportFault): Settings | undefined;
}

/**
 * @param toSettings is called once every variable is valid; it may report how they contradict one another.
 */
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
      // Each value went through the schema of the variable of its name.
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
  // An empty string is what `NAME=` in a file or in docker-compose gives: not set.
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
