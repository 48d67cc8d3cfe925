import { Check, Choice, TextField } from '../../ui/fields.tsx';
import { outcomeText, retryOutcomes } from '../../words/outcomes.ts';
import type { FieldFaults, RetryOutcome, RetryValues } from './values.ts';

/** Call-backs: for which outcomes, how often, and the number of concurrent calls. */
export function Retries({
  values,
  change,
  faults = {},
}: {
  values: RetryValues;
  change: (some: Partial<RetryValues>) => void;
  faults?: FieldFaults;
}) {
  function toggle(outcome: RetryOutcome, isOn: boolean): void {
    const others = values.retryOn.filter((each) => each !== outcome);
    change({ retryOn: isOn ? [...others, outcome] : others });
  }
  return (
    <>
      <div class="row">
        <Choice
          label="Call back"
          fault={faults['call_back_attempts']}
          value={String(values.callBacks)}
          onChange={(callBacks) => change({ callBacks: Number(callBacks) })}
          options={[
            { value: '0', text: 'Never' },
            { value: '1', text: 'Once' },
            ...['2', '3', '4', '5', '6', '7', '8', '9', '10'].map((value) => ({
              value,
              text: `Up to ${value} times`,
            })),
          ]}
        />
        <TextField
          label="After how many minutes"
          fault={faults['retry_delay_seconds']}
          type="number"
          min={0}
          max={43_200}
          // Delays of the API are in seconds.
          value={String(Number(values.callBackMinutes.toFixed(2)))}
          onInput={(text) =>
            change({ callBackMinutes: Math.min(43_200, Math.max(0, Math.round(Number(text) || 0))) })
          }
        />
        <TextField
          label="Concurrent calls"
          fault={faults['max_concurrent_calls']}
          type="number"
          min={1}
          value={String(values.lines)}
          onInput={(text) => change({ lines: Math.max(1, Math.round(Number(text) || 1)) })}
        />
      </div>
      {values.callBacks > 0 && (
        <fieldset class="choices">
          <legend class="legend">Call back after</legend>
          <div class="line">
            {retryOutcomes.map((outcome) => (
              <Check
                key={outcome}
                label={outcomeText(outcome)}
                checked={values.retryOn.includes(outcome)}
                onChange={(isOn) => toggle(outcome, isOn)}
              />
            ))}
          </div>
        </fieldset>
      )}
      <Check
        label="Try people again the next day if they were not reached"
        checked={values.queueAgain}
        onChange={(queueAgain) => change({ queueAgain })}
        hint="Starts a new round of calls on each day with calling hours, until the last day."
      />
    </>
  );
}
