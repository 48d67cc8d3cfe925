import type { ForecastAnswer } from '@outdial/contracts';
import type { Forecast } from './forecast.ts';

const daysAtMost = 10_000;

export function forecastView(forecast: Forecast): ForecastAnswer {
  const { end, median, limits, rates, twiceTheLines } = forecast;
  const calls = rates.rates.reduce((sum, rate) => sum + rate.calls, 0);
  return {
    campaign_id: forecast.definition.id,
    as_of: forecast.now.toISOString(),
    seed: forecast.seed,
    people: forecast.people,
    skipped: forecast.skipped,
    end: { p10: iso(end.p10), p50: iso(end.p50), p90: iso(end.p90) },
    dials: median.dials,
    reached: median.reached,
    days: daysOf(median.days),
    bottleneck: forecast.bottleneck,
    with_twice_the_lines: { p50: iso(twiceTheLines.end), sooner_by_seconds: twiceTheLines.soonerSeconds },
    assumptions: {
      rates_from: rates.from,
      calls_looked_at: rates.callsLookedAt,
      outcomes: rates.rates.map(({ outcome, calls: n, seconds }) => ({
        outcome,
        share: round(n / calls, 4),
        seconds: round(seconds, 1),
      })),
      lines: limits.lines,
      calls_per_second: limits.callsPerSecond,
      quota_per_day: limits.daily.find(({ limit }) => limit === 'quota')?.perDay ?? null,
    },
  };
}

function daysOf(days: Forecast['median']['days']): ForecastAnswer['days'] {
  const byZone = new Map<string, ForecastAnswer['days'][number]>();
  // Several keys can have the same zone.
  for (const { date, zone, people, dials } of days.values()) {
    const name = `${date} ${zone}`;
    const day = byZone.get(name) ?? { date, zone, people: 0, dials: 0 };
    byZone.set(name, { date, zone, people: day.people + people, dials: day.dials + dials });
  }
  return [...byZone.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, day]) => day)
    .slice(0, daysAtMost);
}

function iso(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
