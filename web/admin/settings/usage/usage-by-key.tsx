import { Link } from 'react-router'
import type { KeyUsage, KeyUsageEntry } from '../../../../client/contract.gen.ts'
import { formatPercent } from '../../../ui/number-formats.ts'
import { type Column, EmptyCell, Table } from '../../../ui/table.tsx'
import { TimeText } from '../../../ui/time.tsx'

/** The maximum number of keys next to the chart, busiest first. */
const MAX_KEYS_SHOWN = 6

/** Shows how close each API key is to its limit per minute. */
export function MinuteByKey({ keys, limit }: { keys: KeyUsage['keys']; limit: number }) {
  const busiest = keys
    .filter(({ revokedAt }) => revokedAt === null)
    .toSorted((a, b) => b.usedThisMinute - a.usedThisMinute)
    .slice(0, MAX_KEYS_SHOWN)
  if (busiest.length === 0) return <p className="muted inset">No active keys.</p>
  return (
    <div className="body">
      <table className="minute">
        <caption className="sr">Requests this minute</caption>
        <thead className="sr">
          <tr>
            {['Key', 'Share of limit', 'Requests', 'Resets'].map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busiest.map(({ keyId, name, usedThisMinute, minuteEndsAt }) => (
            <tr key={keyId}>
              <th scope="row">
                <Link className="clip" to={`/settings/keys/${keyId}`} title={name}>
                  {name}
                </Link>
              </th>
              <td className="m">
                <span className="meter">
                  <i style={{ width: `${Math.min(100, (usedThisMinute / limit) * 100).toFixed(1)}%` }} />
                </span>
              </td>
              <td className="num">{usedThisMinute.toLocaleString('en-US')}</td>
              <td className="num faint nowrap">
                {minuteEndsAt === null ? 'idle' : `resets ${describeSecondsLeft(minuteEndsAt)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function describeSecondsLeft(timestamp: string): string {
  return `in ${Math.max(1, Math.round((Date.parse(timestamp) - Date.now()) / 1000))} s`
}

/** Shows the number of requests of each API key in the period, and its share of the total. */
export function KeysInPeriod({ keys }: { keys: KeyUsage['keys'] }) {
  const total = keys.reduce((sum, { requests }) => sum + requests, 0)
  const columns: readonly Column<KeyUsageEntry>[] = [
    {
      head: 'Key',
      cell: ({ keyId, name, revokedAt }) => (
        <>
          <Link className="lead clip" to={`/settings/keys/${keyId}`} title={name}>
            {name}
          </Link>
          {revokedAt !== null && (
            <span className="sub">
              revoked <TimeText at={revokedAt} />
            </span>
          )}
        </>
      ),
    },
    {
      head: 'Requests',
      numeric: true,
      cell: ({ requests }) => (requests === 0 ? <EmptyCell word="0" /> : requests.toLocaleString('en-US')),
    },
    {
      head: 'Share',
      numeric: true,
      cell: ({ requests }) => (total === 0 ? <EmptyCell word="0%" /> : formatPercent((requests / total) * 100)),
    },
    {
      head: 'Denied',
      numeric: true,
      cell: ({ refused }) =>
        refused === 0 ? <EmptyCell word="0" /> : <span className="tone-bad">{refused.toLocaleString('en-US')}</span>,
    },
  ]
  return (
    <div className="table-wrap">
      <Table caption="Usage by key" columns={columns} rows={keys} keyOf={({ keyId }) => keyId} />
    </div>
  )
}
