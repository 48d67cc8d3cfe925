import { campaignConfigBody } from '@outdial/contracts';
import type { Command } from 'commander';
import { limit, orNull, rate, type None } from '../options.ts';

export interface ConfigOptions {
  callOnWeekend?: boolean;
  queueAgain?: boolean;
  callBackAttempts?: number | None;
  retryDelaySeconds?: number | None;
  retryOn?: string;
  maxConcurrentCalls?: number | None;
  callsPerSecond?: number | None;
  maxAttempts?: number | None;
  priority?: string;
}

export function configOptions(command: Command): Command {
  return command
    .option('--call-on-weekend', 'dial on Saturdays and Sundays too')
    .option('--queue-again', 'who is not reached goes back to the queue for the next day')
    .option('--call-back-attempts <number>', 'further attempts in a day, 10 at most', limit)
    .option('--retry-delay-seconds <seconds>', 'between attempts', limit)
    .option('--retry-on <outcomes>', 'which outcomes mean not reached, separated by commas')
    .option('--max-concurrent-calls <number>', 'calls in progress at most', limit)
    .option('--calls-per-second <number>', '`none` for no limit', rate)
    .option('--max-attempts <number>', 'attempts of a recipient over all days; `none` for no limit', limit)
    .option('--priority <number>', 'higher goes first');
}

/** The body of `PUT /campaigns/{id}/config` that the options mean; null where none was named. Judged as the api judges it. */
export function configOf(options: ConfigOptions): ReturnType<typeof campaignConfigBody.safeParse> | null {
  const body = {
    call_on_weekend: options.callOnWeekend,
    queue_again: options.queueAgain,
    call_back_attempts: orNull(options.callBackAttempts),
    retry_delay_seconds: orNull(options.retryDelaySeconds),
    retry_on: options.retryOn?.split(',').map((outcome) => outcome.trim()),
    max_concurrent_calls: orNull(options.maxConcurrentCalls),
    calls_per_second: orNull(options.callsPerSecond),
    max_attempts_per_recipient: orNull(options.maxAttempts),
    priority: options.priority === undefined ? undefined : Number(options.priority),
  };
  return Object.values(body).every((value) => value === undefined)
    ? null
    : campaignConfigBody.safeParse(body);
}
