import type { ComponentChildren } from 'preact';
import { LocationProvider, useLocation } from 'preact-iso/router';
import { signOut } from '../data/api.ts';
import { useSession } from '../data/session.ts';
import { useAction } from './use-action.ts';
import { Button } from './basics.tsx';
import { Icon, type IconName } from './icon.tsx';

const places: ReadonlyArray<{ href: string; text: string; icon: IconName }> = [
  { href: '/console/campaigns', text: 'Campaigns', icon: 'campaigns' },
  { href: '/console/people', text: 'People', icon: 'people' },
  { href: '/console/agents', text: 'Agents', icon: 'agents' },
  { href: '/console/documents', text: 'Documents', icon: 'documents' },
  { href: '/console/organization', text: 'Organization', icon: 'organization' },
];

/** The frame of every screen: the navigation and the signed-in user, next to the screen, or below it on a phone. */
export function Shell({ children, onSignedOut }: { children: ComponentChildren; onSignedOut: () => void }) {
  return (
    <LocationProvider scope="/console">
      <a class="skip" href="#screen">
        Skip to the content
      </a>
      <div class="shell">
        <Sidebar onSignedOut={onSignedOut} />
        <main id="screen" tabIndex={-1}>
          {children}
        </main>
      </div>
    </LocationProvider>
  );
}

function Sidebar({ onSignedOut }: { onSignedOut: () => void }) {
  const { path } = useLocation();
  const { user, organization, role } = useSession();
  const leave = useAction(async () => {
    await signOut();
    onSignedOut();
  });
  const name = `${user.first_name} ${user.last_name}`.trim();
  return (
    <header class="sidebar">
      <a class="brand" href="/console/campaigns">
        <Logo />
        <span>
          Outdial
          <small>{organization.name}</small>
        </span>
      </a>
      <nav class="places" aria-label="Screens">
        {places.map(({ href, text, icon }) => (
          <a key={href} href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{text}</span>
          </a>
        ))}
      </nav>
      <div class="who">
        <span>
          {name}
          <small>{role}</small>
        </span>
        <Button kind="quiet" icon="out" busy={leave.busy} onClick={() => leave.run()} label="Sign out">
          <span class="hidden">Sign out</span>
        </Button>
      </div>
    </header>
  );
}

function isAt(path: string, href: string): boolean {
  return path === href || path.startsWith(`${href}/`) || (href.endsWith('/campaigns') && path === '/console');
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <g>
        <circle cx="20.2" cy="8.7" r="2" />
        <circle cx="14.5" cy="7.7" r="2" />
        <circle cx="9.6" cy="10.6" r="2" />
        <circle cx="7.6" cy="16.0" r="2" />
        <circle cx="9.6" cy="21.4" r="2" />
        <circle cx="14.5" cy="24.3" r="2" />
        <circle cx="20.2" cy="23.3" r="2" />
        <circle cx="23.9" cy="18.9" r="2" />
        <circle cx="16" cy="16" r="3.4" />
      </g>
    </svg>
  );
}
