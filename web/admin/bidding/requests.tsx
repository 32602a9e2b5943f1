import { Link } from 'react-router'
import type { Item } from '../../../client/calls.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { Listing } from '../../ui/listing.tsx'
import { formatPercent } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Shape } from '../../ui/shape.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ViewTabs } from '../../ui/view-tabs.tsx'

type Summary = Item<'/api/ext/bids/requests'>

const VIEWS = [
  { value: undefined, word: 'All' },
  { value: 'draft', word: 'Draft' },
  { value: 'sent', word: 'Sent' },
  { value: 'closed', word: 'To award' },
  { value: 'awarded', word: 'Awarded' },
  { value: 'cancelled', word: 'Canceled' },
] as const

/** Lists all bid requests. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const { wholeDay, day, left, money } = useFormats()
  const communities = useListPage('/api/ext/communities', { limit: 200, sort: 'name' })
  const next = useListPage('/api/ext/bids/requests', { status: 'sent', sort: 'deadline', limit: 1 })
  const nameOf = new Map(communities.data?.data.map(({ id, name }) => [id, name]))
  const nearest = next.data?.data[0]
  const actions = can('bids:write') && (
    <Link className="btn primary" to="/bidding/new">
      <Icon name="plus" />
      New request
    </Link>
  )

  const columns: readonly Column<Summary>[] = [
    {
      head: 'Request',
      sort: 'createdAt',
      cell: ({ id, number, title, scope }) => (
        <>
          <Link className="lead" to={`/bidding/${id}`}>
            {title ?? humanizeName(scope)}
          </Link>
          <span className="sub">{number}</span>
        </>
      ),
      csv: ({ number, title }) => (title === null ? number : `${number} ${title}`),
    },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="bidRequest" is={status} />,
      csv: ({ status }) => STATUS_LOOKS.bidRequest[status].word,
    },
    { head: 'Trade', cell: ({ scope }) => humanizeName(scope), csv: ({ scope }) => scope, isWideOnly: true },
    {
      head: 'Community',
      cell: ({ communityId }) => nameOf.get(communityId) ?? '',
      csv: ({ communityId }) => nameOf.get(communityId) ?? communityId,
    },
    {
      head: 'Deadline',
      sort: 'deadline',
      className: 'nowrap',
      cell: ({ deadline, status }) => (
        <>
          {day(deadline)}
          {(status === 'sent' || status === 'draft' || status === 'closed') && (
            <span className={status === 'closed' ? 'sub tone-warn' : 'sub'}>{left(deadline)}</span>
          )}
        </>
      ),
      csv: ({ deadline }) => deadline,
    },
    {
      head: 'Bids',
      numeric: true,
      cell: ({ bidCount, invitationCount }) => `${bidCount} of ${invitationCount}`,
      csv: ({ bidCount }) => bidCount,
    },
    {
      head: 'Lowest bid',
      numeric: true,
      cell: ({ amountsHidden, bidCount, lowAmount }) =>
        amountsHidden && bidCount > 0 ? <HiddenAmount /> : lowAmount === null ? <EmptyCell /> : money(lowAmount),
      csv: ({ lowAmount }) => lowAmount,
    },
    {
      head: 'Spread',
      numeric: true,
      isWideOnly: true,
      cell: ({ lowAmount, highAmount }) =>
        lowAmount === null || highAmount === null || lowAmount === highAmount
          ? ''
          : formatPercent(((highAmount - lowAmount) / lowAmount) * 100),
    },
  ]

  return (
    <Page title="Bid requests" crumbs={[{ name: 'Bidding' }]} actions={actions}>
      <div className="page-head">
        <h1>Bid requests</h1>
        <p>
          Bid requests to vendors, with deadlines and bids received.
          {nearest !== undefined && ` The next deadline is ${wholeDay(nearest.deadline)}.`}
        </p>
      </div>
      <ViewTabs label="By status" name="status" views={VIEWS} />
      <Listing
        path="/api/ext/bids/requests"
        nouns={['request', 'requests']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        searchIn="Number, title, or trade"
        tabs={['status']}
        filters={[
          {
            name: 'communityId',
            label: 'Community',
            options: (communities.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          },
        ]}
        empty={
          <EmptyState icon="bids" title="No bid requests yet" actions={actions}>
            Create a request to invite vendors. Vendors price the request online, or you record bids that arrive by
            phone.
          </EmptyState>
        }
      />
    </Page>
  )
}

/** Shows that an amount is hidden until the deadline. */
export function HiddenAmount() {
  return (
    <span className="badge bare faint" title="Amounts of a blind request are hidden until bidding closes.">
      <Shape name="lock" /> hidden
    </span>
  )
}
