import type { ComponentChildren } from 'preact';
import type { Action } from './use-action.ts';
import { Button, Fault } from './basics.tsx';
import { Form } from './form.tsx';

/** Settings, read-only for some roles. The service validates them, and faults are shown at their fields. */
export function SettingsForm({
  save,
  isOpen,
  isChanged,
  hint,
  children,
}: {
  save: Action<[]>;
  /** Whether the signed-in user may change them now. */
  isOpen: boolean;
  isChanged: boolean;
  hint?: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <Form class="form" noValidate onSend={save.run}>
      <fieldset class="bare form" disabled={!isOpen}>
        {children}
      </fieldset>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <Fault text={save.fault} />
      {isOpen && (
        <div>
          <Button type="submit" kind="main" busy={save.busy} disabled={!isChanged}>
            Save
          </Button>
        </div>
      )}
    </Form>
  );
}
