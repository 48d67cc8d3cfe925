import { longestPersonCapHours, type CallCap } from '@outdial/core';
import { InvalidArgumentError } from 'commander';
import type { None } from '../options.ts';

const seconds = { m: 60, h: 3600, d: 86_400 };
const hourSeconds = 3600;
/** More calls than any person gets. */
const callsAtMost = 50;
const capsAtMost = 5;

/** `90m`, `4h` or `7d`, in seconds; at most 31 days. */
export function duration(text: string): number | None {
  if (text === 'none') return text;
  const [, digits, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const length = Number(digits) * (unit === 'm' || unit === 'h' || unit === 'd' ? seconds[unit] : Number.NaN);
  if (!(length > 0 && length <= longestPersonCapHours * hourSeconds)) {
    throw new InvalidArgumentError('Must be a time such as 90m, 4h or 7d, of at most 31 days, or `none`.');
  }
  return length;
}

/** The same in whole hours. */
export function hours(text: string): number | None {
  const length = duration(text);
  if (length === 'none') return length;
  if (length % hourSeconds !== 0) throw new InvalidArgumentError('Must be a whole number of hours or days.');
  return length / hourSeconds;
}

/** `3/24h,7/7d` */
export function callCaps(text: string): CallCap[] | None {
  if (text === 'none') return text;
  const caps = text.split(',').map((part): CallCap => {
    const [, calls, span = ''] = /^(\d{1,2})\/(.+)$/.exec(part.trim()) ?? [];
    const length = hours(span);
    const count = Number(calls);
    if (length === 'none' || !(count >= 1 && count <= callsAtMost)) {
      throw new InvalidArgumentError(`Must be a list of calls and times such as 3/24h,7/7d, or \`none\`.`);
    }
    return { calls: count, hours: length };
  });
  if (caps.length > capsAtMost) throw new InvalidArgumentError(`At most ${capsAtMost} caps.`);
  return caps;
}
