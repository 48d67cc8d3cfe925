import { wholeNumber } from '../words/dates.ts';

export interface Share {
  key: string;
  text: string;
  number: number;
}

export function ShareBar({ label, shares }: { label: string; shares: readonly Share[] }) {
  const total = shares.reduce((sum, { number }) => sum + number, 0);
  return (
    <div class="shares">
      <div class="share-bar" role="img" aria-label={label}>
        {shares
          .filter(({ number }) => number > 0)
          .map(({ key, number }) => (
            <span key={key} class={`c-${key}`} style={{ flexGrow: number / Math.max(1, total) }} />
          ))}
      </div>
      <dl>
        {shares.map(({ key, text, number }) => (
          <div key={key} class={number === 0 ? 'none' : ''}>
            <dt>
              <span class={`dot c-${key}`} />
              {text}
            </dt>
            <dd>{wholeNumber(number)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Numbers side by side, drawn to one scale. */
export function BarList({ label, bars }: { label: string; bars: ReadonlyArray<Share & { colour: string }> }) {
  const most = Math.max(1, ...bars.map(({ number }) => number));
  const total = bars.reduce((sum, { number }) => sum + number, 0);
  return (
    <ul class="bars" aria-label={label}>
      {bars.map(({ key, colour, text, number }) => (
        <li key={key}>
          <span>{text}</span>
          <span class="bar">
            <span class={`c-${colour}`} style={{ width: `${(number / most) * 100}%` }} />
          </span>
          <span class="bar-number">
            {wholeNumber(number)} <small>{total === 0 ? 0 : Math.round((number / total) * 100)}%</small>
          </span>
        </li>
      ))}
    </ul>
  );
}
