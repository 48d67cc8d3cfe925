/** What a process that a test starts has of this one's environment: where programs are, and where Node keeps modules that it has compiled. */
export const childEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
