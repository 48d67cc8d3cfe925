import { useEffect, useState } from 'preact/hooks';
import { onSessionEnd, readSession, type SessionAnswer } from './data/api.ts';
import { SessionContext } from './data/session.ts';
import { useData } from './data/use-data.ts';
import { Screens } from './screens.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { Loaded } from './ui/basics.tsx';
import { NoticesProvider } from './ui/notices.tsx';
import { Shell } from './ui/shell.tsx';

/** The whole page. Without a signed-in user, it shows the sign-in for every path; with one, for the path of links and of refused sign-ins. */
export function App() {
  const session = useData<SessionAnswer>(readSession, []);
  const [ended, setEnded] = useState(false);
  useEffect(() => onSessionEnd(() => setEnded(true)), []);

  function onSignedIn(): void {
    setEnded(false);
    session.reload();
  }

  return (
    <NoticesProvider>
      <Loaded of={session} lines={4}>
        {({ data, sign_in: options }) =>
          data === null || ended || location.pathname === '/console/sign-in' ? (
            <SignIn
              oidc={options.oidc}
              ended={data !== null && ended}
              signedIn={ended ? null : data}
              onSignedIn={onSignedIn}
            />
          ) : (
            <SessionContext.Provider value={{ ...data, refresh: session.reload }}>
              <Shell onSignedOut={session.reload}>
                <Screens />
              </Shell>
            </SessionContext.Provider>
          )
        }
      </Loaded>
    </NoticesProvider>
  );
}
