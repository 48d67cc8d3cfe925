import { api, ok, type Schemas } from '../../data/api.ts';
import { useData } from '../../data/use-data.ts';
import { Card, Empty, Loaded, Table } from '../../ui/basics.tsx';

const modes: Record<Schemas['Disclosures']['recordings'][number]['mode'], string> = {
  off: 'Never',
  announced: 'Only after it is announced',
  on: 'Without an announcement',
};

/** The disclosures before the agent's greeting, and the recording rules. The operator sets both. */
export function Disclosures() {
  const disclosures = useData(async () => {
    const { data } = await ok(api.GET('/api/v1/disclosures'));
    return data;
  }, []);
  return (
    <div class="stack">
      <Card title="Opening text" flush>
        <p class="card-note">
          Agents with a disclosure say this text before their own greeting. Where no text is set, they say
          Outdial’s default. The operator sets the texts with <code>outdial disclosure</code>.
        </p>
        <Loaded of={disclosures} lines={3}>
          {({ texts }) =>
            texts.length === 0 ? (
              <Empty icon="agents" title="No texts of your own" />
            ) : (
              <Table caption="Texts with which calls begin" head={['Where', 'Language', 'Text']}>
                {texts.map(({ jurisdiction, language, text }) => (
                  <tr key={`${jurisdiction} ${language}`}>
                    <td>{placeInWords(jurisdiction)}</td>
                    <td>{language}</td>
                    <td>{text}</td>
                  </tr>
                ))}
              </Table>
            )
          }
        </Loaded>
      </Card>
      <Card title="Recorded" flush>
        <Loaded of={disclosures} lines={3}>
          {({ recordings }) =>
            recordings.length === 0 ? (
              <Empty icon="phone" title="No rules of your own">
                <p>The rules of your calling policy apply.</p>
              </Empty>
            ) : (
              <Table caption="Where calls are recorded" head={['Where', 'Recorded']}>
                {recordings.map(({ jurisdiction, mode }) => (
                  <tr key={jurisdiction}>
                    <td>{placeInWords(jurisdiction)}</td>
                    <td>{modes[mode]}</td>
                  </tr>
                ))}
              </Table>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

function placeInWords(jurisdiction: string): string {
  return jurisdiction === '*' ? 'Everywhere' : jurisdiction;
}
