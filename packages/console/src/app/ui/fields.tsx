import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  children: (id: string, describedBy: string | undefined) => ComponentChildren;
}

/** A label, its control, and a hint that belongs to both. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hint === undefined ? undefined : hintId)}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  type?: 'text' | 'password' | 'email' | 'tel' | 'date' | 'time' | 'url' | 'number' | 'search';
  required?: boolean;
  placeholder?: string;
  autocomplete?: string;
  list?: readonly string[];
  min?: number;
  max?: number;
  mono?: boolean;
}

export function TextField({ label, value, onInput, hint, type = 'text', list, mono, ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      {(id, describedBy) => (
        <>
          <input
            // Preact's types tie the kind of an input to its other attributes, which a kind that is a variable cannot satisfy.
            {...({
              type,
              list: list === undefined ? undefined : `${id}-list`,
              ...rest,
            } as InputHTMLAttributes)}
            id={id}
            class={mono === true ? 'mono' : ''}
            value={value}
            onInput={(event) => onInput(event.currentTarget.value)}
            aria-describedby={describedBy}
          />
          {list !== undefined && (
            <datalist id={`${id}-list`}>
              {list.map((option) => (
                <option key={option} value={option} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

export function TextArea({
  label,
  value,
  onInput,
  hint,
  rows = 4,
  mono,
}: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  rows?: number;
  mono?: boolean;
}) {
  return (
    <Field label={label} hint={hint}>
      {(id, describedBy) => (
        <textarea
          id={id}
          rows={rows}
          class={mono === true ? 'mono' : ''}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          aria-describedby={describedBy}
        />
      )}
    </Field>
  );
}

export function Choice<Value extends string>({
  label,
  value,
  onChange,
  options,
  hint,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: ReadonlyArray<{ value: Value; text: string }>;
  hint?: ComponentChildren;
}) {
  return (
    <Field label={label} hint={hint}>
      {(id, describedBy) => (
        <select
          id={id}
          value={value}
          aria-describedby={describedBy}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.currentTarget.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Check({
  label,
  checked,
  onChange,
  hint,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: string;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <small class="hint">{hint}</small>}
      </span>
    </label>
  );
}
