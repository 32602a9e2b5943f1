import { Link } from 'react-router'
import type { Delivery } from '../../../../client/contract.gen.ts'
import { Status } from '../../../ui/badge.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { STATUS_LOOKS } from '../../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../../ui/table.tsx'
import { TimeText } from '../../../ui/time.tsx'

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.delivery).map(([value, { word }]) => ({ value, label: word })),
  },
] as const

const COLUMNS: readonly Column<Delivery>[] = [
  {
    head: 'Event',
    cell: ({ id, webhookId, eventType, test }) => (
      <>
        <Link className="lead mono" to={`/settings/webhooks/${webhookId}/deliveries/${id}`}>
          {eventType}
        </Link>
        {test && <span className="sub">test event</span>}
      </>
    ),
    csv: ({ eventType }) => eventType,
  },
  {
    head: 'Status',
    cell: ({ status }) => <Status of="delivery" is={status} />,
    csv: ({ status }) => STATUS_LOOKS.delivery[status].word,
  },
  {
    head: 'Created',
    sort: 'createdAt',
    className: 'nowrap',
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
  {
    head: 'Response',
    numeric: true,
    cell: ({ responseStatus, attemptCount }) =>
      responseStatus ?? <EmptyCell word={attemptCount === 0 ? 'not sent yet' : 'none'} />,
    csv: ({ responseStatus }) => responseStatus,
  },
  {
    head: 'Attempts',
    numeric: true,
    cell: ({ attemptCount }) => attemptCount,
    csv: ({ attemptCount }) => attemptCount,
  },
  {
    head: 'Next attempt',
    className: 'nowrap',
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? <EmptyCell /> : <TimeText at={nextAttemptAt} />),
    csv: ({ nextAttemptAt }) => nextAttemptAt,
  },
  {
    head: 'Error',
    isWideOnly: true,
    className: 'long',
    cell: ({ error }) => (error === null ? <EmptyCell word="nothing" /> : <span className="clip">{error}</span>),
    csv: ({ error }) => error,
  },
]

/** The polling interval. A user who tests a receiver waits for its response. */
export const DELIVERIES_REFRESH_MS = 3000

/** Lists the deliveries of a subscription, with the receiver's responses. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  return (
    <Listing
      path="/api/ext/webhooks/{webhookId}/deliveries"
      place={{ webhookId }}
      everyMs={DELIVERIES_REFRESH_MS}
      nouns={['delivery', 'deliveries']}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      sort="-createdAt"
      filters={FILTERS}
      empty={
        <EmptyState icon="send" title="No deliveries yet">
          The next matching event will be sent. Send a test event to check the receiver.
        </EmptyState>
      }
    />
  )
}
