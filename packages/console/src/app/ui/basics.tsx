import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Data } from '../data/use-data.ts';
import { messageOf } from '../words/errors.ts';
import type { Tone } from '../words/campaign-status.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => void;
  type?: 'button' | 'submit';
  kind?: 'main' | 'plain' | 'danger' | 'quiet';
  icon?: IconName;
  busy?: boolean;
  disabled?: boolean;
  big?: boolean;
  label?: string;
}

export function Button(props: ButtonProps) {
  const {
    children,
    onClick,
    type = 'button',
    kind = 'plain',
    icon,
    busy = false,
    disabled = false,
    big,
    label,
  } = props;
  return (
    <button
      type={type}
      class={`button ${kind}${big === true ? ' big' : ''}`}
      onClick={onClick}
      disabled={disabled || busy}
      aria-busy={busy}
      aria-label={label}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

export function ButtonLink({
  href,
  children,
  kind = 'plain',
  icon,
}: {
  href: string;
  children: ComponentChildren;
  kind?: 'main' | 'plain' | 'quiet';
  icon?: IconName;
}) {
  return (
    <a class={`button ${kind}`} href={href}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}

export function Head({
  title,
  back,
  actions,
  children,
}: {
  title: ComponentChildren;
  back?: { href: string; text: string };
  actions?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <header class="head">
      {back !== undefined && (
        <a class="back" href={back.href}>
          <Icon name="back" />
          {back.text}
        </a>
      )}
      <div class="head-line">
        <h1>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </header>
  );
}

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Card({
  title,
  aside,
  children,
  flush,
}: {
  title?: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  flush?: boolean;
}) {
  return (
    <section class={`card${flush === true ? ' flush' : ''}`}>
      {title !== undefined && (
        <div class="card-head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Shows a fault at its place. Screen readers read it at once. */
export function Fault({ text }: { text: string | null }) {
  return text === null ? null : (
    <p class="fault" role="alert">
      <Icon name="warn" />
      <span>{text}</span>
    </p>
  );
}

/** A placeholder while loading, a fault with a button to try again, or the data. */
export function Loaded<Value>({
  of,
  lines = 3,
  children,
}: {
  of: Data<Value>;
  /** How tall the placeholder is. */
  lines?: number;
  children: (value: Value) => ComponentChildren;
}) {
  const { now, reload } = of;
  if (now.state === 'loaded') return <>{children(now.value)}</>;
  if (now.state === 'loading') return <Placeholder lines={lines} />;
  return (
    <div class="failed" role="alert">
      <p>{messageOf(now.error)}</p>
      <Button icon="again" onClick={reload}>
        Try again
      </Button>
    </div>
  );
}

export function Placeholder({ lines }: { lines: number }) {
  return (
    <div class="placeholder" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** A table; `caption` is its name for screen readers. On a narrow screen each row is a block of named values, unless the columns are few and short enough to stay. */
export function Table({
  caption,
  head,
  stacks = true,
  children,
}: {
  caption: string;
  head: ReadonlyArray<string | { text: string; number: true }>;
  stacks?: boolean;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!stacks) return;
    for (const row of box.current?.querySelectorAll('tbody tr') ?? []) {
      for (const [at, cell] of [...row.children].entries()) {
        const column = head[at] ?? '';
        cell.setAttribute('data-label', typeof column === 'string' ? column : column.text);
      }
    }
  });
  return (
    <div
      class={`table-box${stacks ? ' stacks' : ''}`}
      tabIndex={0}
      role="region"
      aria-label={caption}
      ref={box}
    >
      <table>
        <thead>
          <tr>
            {head.map((column, at) => {
              const text = typeof column === 'string' ? column : column.text;
              return (
                <th key={at} scope="col" class={typeof column === 'string' ? '' : 'number'}>
                  {text === '' ? <span class="hidden">Actions</span> : text}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Meter({ share, label }: { share: number; label: string }) {
  const percent = Math.round(share * 100);
  return (
    <div
      class="meter"
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
  );
}

export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: ReadonlyArray<{ href: string; text: string }>;
  current: string;
}) {
  const nav = useRef<HTMLElement>(null);
  // The tabs may not fit on a phone, so this scrolls to the current one.
  useEffect(() => {
    const tab = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current !== null && tab != null) {
      nav.current.scrollLeft = tab.offsetLeft - (nav.current.clientWidth - tab.offsetWidth) / 2;
    }
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ href, text }) => (
        <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** A name and its value, in a `<dl class="facts">`. */
export function Fact({ name, value, big = false }: { name: string; value: string; big?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={big ? 'big-number' : undefined}>{value}</dd>
    </div>
  );
}
