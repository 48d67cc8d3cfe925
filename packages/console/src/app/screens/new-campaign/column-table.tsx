import type { Columns, ColumnUse } from '../../sheets/mapping.ts';
import type { Sheet } from '../../sheets/sheet.ts';
import { Table } from '../../ui/basics.tsx';

interface Props {
  sheet: Sheet;
  columns: Columns;
  onChange: (columns: Columns) => void;
}

/** The use of each column, with its first values. */
export function ColumnTable({ sheet, columns, onChange }: Props) {
  function set(column: string, use: ColumnUse): void {
    // Only one column can hold numbers, and one each kind of place: the previous one becomes a prompt value.
    const others = Object.entries(columns).map(([name, before]): [string, ColumnUse] => [
      name,
      before.kind === use.kind && use.kind !== 'value' && use.kind !== 'left_out'
        ? { kind: 'value', name }
        : before,
    ]);
    onChange({ ...Object.fromEntries(others), [column]: use });
  }
  return (
    <Table caption="Columns of the file" head={['Column', 'First values', 'Is']}>
      {sheet.columns.map(({ name: column, hidden }, at) => {
        const use = columns[column];
        if (use === undefined) return null;
        const samples = sheet.rows
          .slice(0, 3)
          .map(({ cells }) => cells[at] ?? '')
          .filter((cell) => cell !== '');
        return (
          <tr key={column}>
            <th scope="row" class="row-head">
              {column}
              {hidden && <span class="muted"> (hidden in the sheet)</span>}
            </th>
            <td class="samples">{samples.join(' · ')}</td>
            <td class="column-use">
              <select
                aria-label={`Meaning of ${column}`}
                value={use.kind}
                onChange={(event) => set(column, useOf(event.currentTarget.value, column))}
              >
                <option value="phone">Phone number</option>
                <option value="timezone">Time zone</option>
                <option value="region">State or country</option>
                <option value="postal_code">Postal code</option>
                <option value="value">Value for the prompt</option>
                <option value="left_out">Ignore</option>
              </select>
              {use.kind === 'value' && (
                <input
                  aria-label={`Name of ${column} in the prompt`}
                  class="mono"
                  value={use.name}
                  onInput={(event) => set(column, { kind: 'value', name: event.currentTarget.value })}
                />
              )}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function useOf(kind: string, column: string): ColumnUse {
  switch (kind) {
    case 'phone':
    case 'timezone':
    case 'region':
    case 'postal_code':
    case 'left_out':
      return { kind };
    default:
      return { kind: 'value', name: column };
  }
}
