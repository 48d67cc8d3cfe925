import { useEffect, useState } from 'preact/hooks';
import { OutdialError, readOrganizationChoice, signIn, type SignedIn } from '../data/api.ts';
import { useAction } from '../ui/use-action.ts';
import { useData } from '../data/use-data.ts';
import { Button, Fault } from '../ui/basics.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Logo } from '../ui/shell.tsx';
import { useTitle } from '../ui/use-title.ts';

interface Props {
  oidc: { name: string } | null;
  /** A session has just ended. */
  ended: boolean;
  /** Whose session a sign-in would replace. */
  signedIn: SignedIn | null;
  onSignedIn: () => void;
}

/** Sign-in with a link (its token is after the `#`, so that servers and logs do not see it), an OpenID provider, or an API key. */
export function SignIn({ oidc, ended, signedIn, onSignedIn }: Props) {
  useTitle('Sign in');
  const [link, setLink] = useState(() => /^#link=([\w-]{20,100})$/.exec(location.hash)?.[1] ?? null);
  const refused = new URLSearchParams(location.search).get('refused');
  const enter = useAction(async (body: { api_key: string } | { link: string }) => {
    try {
      await signIn(body);
    } catch (error) {
      // It will never work again; the other ways may.
      if (error instanceof OutdialError && error.status === 401) setLink(null);
      throw error;
    }
    history.replaceState(
      null,
      '',
      location.pathname.endsWith('/sign-in') ? '/console/campaigns' : location.pathname,
    );
    onSignedIn();
  });
  useEffect(() => {
    if (link !== null) history.replaceState(null, '', location.pathname);
  }, [link]);

  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Logo />
        <h1>Sign in to Outdial</h1>
        {ended && <p class="hint">You were signed out. Sign in to continue.</p>}
        {signedIn !== null && (
          <p class="hint">
            You are signed in as {signedIn.user.first_name} {signedIn.user.last_name} of{' '}
            {signedIn.organization.name}. A new sign-in replaces this one.{' '}
            <a href="/console/campaigns">Stay signed in</a>
          </p>
        )}
        {refused === 'several_users' && <OrganizationChoice />}
        {refused !== null && refused !== 'several_users' && enter.fault === null && (
          <Fault text={refusals[refused] ?? refusals['other'] ?? ''} />
        )}
        {link === null ? (
          <>
            {oidc !== null && (
              <>
                <a class="button main big" href="/console/session/oidc">
                  <span>Sign in with {oidc.name}</span>
                </a>
                <p class="or">or</p>
              </>
            )}
            <KeyForm
              busy={enter.busy}
              fault={enter.fault}
              onKey={(key) => enter.run({ api_key: key })}
              isMain={oidc === null}
            />
          </>
        ) : (
          <>
            <p>This link signs you in once.</p>
            <Fault text={enter.fault} />
            <Button kind="main" big busy={enter.busy} onClick={() => enter.run({ link })}>
              Sign in
            </Button>
          </>
        )}
      </div>
    </main>
  );
}

/** The organizations of a person with a verified address. */
function OrganizationChoice() {
  const { now } = useData(readOrganizationChoice, []);
  if (now.state === 'loading') return null;
  // The api stores the proof for a few minutes.
  const { items, token } = now.state === 'loaded' ? now.value : { items: [], token: '' };
  if (items.length === 0) {
    return <Fault text="It is too late to choose an organization for this sign-in. Sign in again." />;
  }
  return (
    <>
      <Fault text="This email address belongs to users of several organizations. Choose one:" />
      {items.map(({ id, name }) => (
        <a
          class="button big"
          key={id}
          href={`/console/session/oidc?${new URLSearchParams({ organization: id, token })}`}
        >
          <span>{name}</span>
        </a>
      ))}
    </>
  );
}

/** The api's reasons, in the address, for a failed OpenID sign-in. */
const refusals: Readonly<Record<string, string>> = {
  no_user: 'No user has this email address. Ask an admin of your organization for an account.',
  not_verified:
    'The sign-in service does not say that your email address is verified. Ask the operator of this service.',
  clock:
    'The clocks of this service and of the sign-in service differ, so its answer was not accepted. Ask the operator of this service to check its clock; the log has the difference.',
  unavailable: 'The sign-in service cannot be reached at the moment. Try again in a minute.',
  other: 'Sign-in failed. Try again.',
};

function KeyForm(props: {
  busy: boolean;
  fault: string | null;
  isMain: boolean;
  onKey: (key: string) => void;
}) {
  const { busy, fault, isMain, onKey } = props;
  const [key, setKey] = useState('');
  return (
    <Form onSend={() => onKey(key.trim())}>
      <TextField
        label="API key"
        type="password"
        value={key}
        onInput={setKey}
        required
        placeholder="od_…"
        autocomplete="current-password"
        hint="An admin can create one under Organization, and the operator with “outdial key create”. This browser does not store it."
        mono
      />
      <Fault text={fault} />
      <Button type="submit" kind={isMain ? 'main' : 'plain'} big busy={busy}>
        Sign in
      </Button>
    </Form>
  );
}
