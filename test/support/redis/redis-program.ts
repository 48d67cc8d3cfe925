/** A redis-server that can be started, with the environment that it needs. */
export interface RedisProgram {
  command: string;
  env: Record<string, string>;
}

export type FoundRedis = { state: 'found'; program: RedisProgram } | { state: 'missing'; reason: string };
