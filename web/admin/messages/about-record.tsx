import { Link } from 'react-router'
import { humanizeName } from '../../ui/humanize-name.ts'
import { findRecordKind, RecordName } from '../../ui/record-name.tsx'
import { EmptyCell } from '../../ui/table.tsx'

/** Shows the record that a message is about, as a link if the record has a page. */
export function AboutRecord({ of }: { of: { type: string; id: string } | null }) {
  if (of === null) return <EmptyCell word="no record" />
  if (of.type === 'bid_request') return <Link to={`/bidding/${of.id}`}>Bid request</Link>
  if (of.type === 'webhook') return <Link to={`/settings/webhooks/${of.id}`}>Webhook</Link>
  const kind = findRecordKind(of.id)
  return kind === undefined ? humanizeName(of.type) : <RecordName of={kind} id={of.id} />
}
