import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { api } from '../../data/api.ts';
import type { Call } from '../../data/calls.ts';
import { useList } from '../../data/use-list.ts';
import { useSession } from '../../data/session.ts';
import { Button, Card, Empty, Head, Loaded } from '../../ui/basics.tsx';
import { CallTable } from '../../ui/call-table.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { More } from '../../ui/more.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { isPhoneNumber, plainNumber } from '../../words/phone-number.ts';

export function People() {
  useTitle('People');
  const { route } = useLocation();
  const { organization } = useSession();
  const [text, setText] = useState('');
  const number = plainNumber(text);
  const isNumber = isPhoneNumber(number);
  const calls = useList<Call>(
    (after) => api.GET('/api/v1/calls', { params: { query: { limit: 25, ...after } } }),
    [],
  );
  return (
    <>
      <Head title="People" />
      <Card>
        <Form
          class="line ends"
          onSend={() => {
            if (isNumber) route(`/console/people/${encodeURIComponent(number)}`);
          }}
        >
          <TextField
            label="Find a number"
            type="tel"
            value={text}
            onInput={setText}
            placeholder="+15551230000"
            required
          />
          <Button type="submit" kind="main" icon="search" disabled={!isNumber}>
            Find
          </Button>
        </Form>
        <p class="hint find-hint">
          {text === '' || isNumber
            ? 'With + and the country code.'
            : 'Write the number with + and the country code, such as +15551230000.'}
        </p>
      </Card>
      <Card title="Recent calls" flush>
        <Loaded of={calls} lines={6}>
          {({ items, more }) =>
            items.length === 0 ? (
              <Empty icon="phone" title="No calls yet" />
            ) : (
              <>
                <CallTable caption="Calls, newest first" calls={items} timeZone={organization.timezone} />
                <More more={more} />
              </>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}
