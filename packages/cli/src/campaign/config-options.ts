import { campaignConfigBody, faultMessage } from '@outdial/contracts';
import type { Command } from 'commander';
import { limit, orNull, rate, type None } from '../options.ts';

export interface ConfigOptions {
  callOnWeekend?: boolean;
  queueAgain?: boolean;
  callBackAttempts?: number | None;
  retryDelaySeconds?: number | None;
  retryDelaysSeconds?: unknown;
  retryOn?: string;
  maxConcurrentCalls?: number | None;
  callsPerSecond?: number | None;
  maxAttempts?: number | None;
  priority?: string;
  purpose?: string;
}

export function configOptions(command: Command): Command {
  return command
    .option('--call-on-weekend', 'dial on Saturdays and Sundays too')
    .option('--queue-again', 'call people who were not reached again on the next day')
    .option('--call-back-attempts <number>', 'further attempts per day, at most 10', limit)
    .option('--retry-delay-seconds <seconds>', 'delay between attempts', limit)
    .option(
      '--retry-delays-seconds <list>',
      'delays before the first call-back, the second, …, such as 900,3600,86400; or by outcome, such as busy=60,300;no_answer=900; `none` for a single delay',
      delays,
    )
    .option('--retry-on <outcomes>', 'outcomes that count as not reached, separated by commas')
    .option('--max-concurrent-calls <number>', 'maximum number of calls in progress', limit)
    .option('--calls-per-second <number>', '`none` for no limit', rate)
    .option('--max-attempts <number>', 'attempts per recipient over all days; `none` for no limit', limit)
    .option('--purpose <purpose>', 'marketing, service or debt_collection; `none` for none')
    .option('--priority <number>', 'higher priority first');
}

/** Text that is not a number becomes a number that the schema refuses. */
function delays(text: string): unknown {
  if (text === 'none') return null;
  if (!text.includes('=')) return text.split(',').map(Number);
  const entries = text.split(';').map((part) => part.split('=', 2));
  return Object.fromEntries(
    entries.map(([outcome = '', list = '']) => [outcome.trim(), list.split(',').map(Number)]),
  );
}

/** The body of `PUT /campaigns/{id}/config` for the options; null without any. Checked as the api checks it. */
export function configOf(options: ConfigOptions): ReturnType<typeof campaignConfigBody.safeParse> | null {
  const body = {
    call_on_weekend: options.callOnWeekend,
    queue_again: options.queueAgain,
    call_back_attempts: orNull(options.callBackAttempts),
    retry_delay_seconds: orNull(options.retryDelaySeconds),
    retry_delays_seconds: options.retryDelaysSeconds,
    retry_on: options.retryOn?.split(',').map((outcome) => outcome.trim()),
    max_concurrent_calls: orNull(options.maxConcurrentCalls),
    calls_per_second: orNull(options.callsPerSecond),
    max_attempts_per_recipient: orNull(options.maxAttempts),
    purpose: options.purpose === 'none' ? null : options.purpose,
    priority: options.priority === undefined ? undefined : Number(options.priority),
  };
  return Object.values(body).every((value) => value === undefined)
    ? null
    : campaignConfigBody.safeParse(body, { error: faultMessage });
}
