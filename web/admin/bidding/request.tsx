import { Link, useParams } from 'react-router'
import type { BidComparison, BidRequest } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { useRecords } from '../../api/use-records.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { LoadError, Skeleton, SkeletonLines } from '../../ui/states.tsx'
import { Tabs, useOpenTab } from '../../ui/tabs.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { Comparison } from './comparison.tsx'
import { Invitations } from './invitations.tsx'
import { Questions } from './questions.tsx'
import { RequestActions } from './request-actions.tsx'
import { RequestDetails } from './request-details.tsx'
import { HiddenAmount } from './requests.tsx'

/** Shows one bid request: its status, its bids side by side, the invited vendors, and the award. */
export function Component() {
  const { bidRequestId = '' } = useParams()
  useLiveUpdates('watching')
  const can = useCan()
  const params = { params: { path: { bidRequestId } } }
  const request = plumbline.useQuery('get', '/api/ext/bids/requests/{bidRequestId}', params)
  const comparison = plumbline.useQuery('get', '/api/ext/bids/requests/{bidRequestId}/comparison', params)
  const mayReadMessages = can('messages:read')
  const facts = useFacts(request.data, comparison.data)
  const tab = useOpenTab([
    'comparison',
    'invitations',
    ...(mayReadMessages ? (['questions'] as const) : []),
    'request',
    'history',
  ])
  const { until } = useFormats()

  if (request.error !== null) {
    return (
      <Page title="Bid request" crumbs={[{ name: 'Bidding', to: '/bidding' }, { name: 'Request' }]}>
        <LoadError what="The request" error={request.error} onRetry={() => void request.refetch()} />
      </Page>
    )
  }
  const { data } = request
  const name = data === undefined ? '' : (data.title ?? humanizeName(data.scope))
  return (
    <Page
      title={data === undefined ? 'Bid request' : `${data.number} ${name}`}
      crumbs={[{ name: 'Bidding', to: '/bidding' }, { name: data?.number ?? '…' }]}
      actions={
        <>
          {data !== undefined && can('bids:write') && <RequestActions request={data} />}
          <RecordActions field="bidRequestId" id={bidRequestId} />
        </>
      }
    >
      {data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <TitleBlock
            name={name}
            state={<Status of="bidRequest" is={data.status} />}
            sub={data.status === 'sent' ? describeTimeLeft(until(data.deadline)) : undefined}
            facts={facts}
          />
          <Tabs
            label="Request"
            open={tab}
            tabs={[
              { name: 'comparison', word: 'Comparison' },
              { name: 'invitations', word: 'Invitations', count: data.invitations.length },
              ...(mayReadMessages ? [{ name: 'questions', word: 'Questions' } as const] : []),
              { name: 'request', word: 'Request' },
              { name: 'history', word: 'History' },
            ]}
          />
          {tab === 'comparison' &&
            (comparison.error !== null ? (
              <LoadError what="The comparison" error={comparison.error} onRetry={() => void comparison.refetch()} />
            ) : comparison.data === undefined ? (
              <SkeletonLines lines={6} />
            ) : (
              <Comparison request={data} comparison={comparison.data} />
            ))}
          {tab === 'invitations' && <Invitations request={data} />}
          {tab === 'questions' && <Questions request={data} />}
          {tab === 'request' && <RequestDetails request={data} />}
          {tab === 'history' && (
            <Panel title="History">
              <RecordHistory of={data.id} />
            </Panel>
          )}
        </>
      )}
    </Page>
  )
}

/** Describes the number of days until the deadline. The service closes the request soon after the deadline. */
function describeTimeLeft(days: number): string {
  if (days === 0) return 'Bids are due today'
  return days > 0 ? `${formatCount(days, 'day')} left to bid` : 'The deadline has passed'
}

function useFacts(request: BidRequest | undefined, comparison: BidComparison | undefined): readonly Fact[] {
  const can = useCan()
  const { day, zone, money } = useFormats()
  const communities = useRecords('/api/ext/communities', request === undefined ? [] : [request.communityId])
  const homes = useRecords('/api/ext/homes', request?.homeIds ?? [])
  const accepted = request?.acceptedBidIds[0]
  const orders = useListPage(
    '/api/ext/purchase-orders',
    { limit: 1, sort: 'createdAt', ...(accepted !== undefined && { bidId: accepted }) },
    { enabled: accepted !== undefined && can('pos:read') },
  )
  const order = accepted === undefined ? undefined : orders.data?.data[0]
  if (request === undefined) return []
  const [home] = request.homeIds
  const community = communities.get(request.communityId)
  const unopened = request.invitations.filter(({ status }) => status === 'sent').length
  const { bidCount, amountsHidden } = request
  const budgeted = comparison?.budgeted ?? null
  // The amount and the difference from the budget must be those of the same bid. The summary of the request leaves out
  // rejected bids.
  const low = comparison?.vendors.find(({ rank }) => rank === 1)
  return [
    ...(order === undefined ? [] : [{ label: 'Order', value: <Link to={`/orders/${order.id}`}>{order.number}</Link> }]),
    { label: 'Number', value: request.number, note: `version ${request.version}`, isWideOnly: true },
    { label: 'Trade', value: humanizeName(request.scope), isWideOnly: true },
    {
      label: request.homeIds.length > 1 ? 'Homes' : 'Location',
      value:
        request.homeIds.length === 1 && home !== undefined ? (
          <Link to={`/homes/${home}`}>{homes.get(home)?.name ?? '…'}</Link>
        ) : request.homeIds.length > 1 ? (
          formatCount(request.homeIds.length, 'home')
        ) : (
          'Whole community'
        ),
      note: community?.name,
      isWideOnly: true,
    },
    { label: 'Deadline', value: day(request.deadline), note: `end of day, ${zone}` },
    {
      label: 'Bids',
      value: `${bidCount} of ${request.invitations.length}`,
      note:
        unopened > 0
          ? `${formatCount(unopened, 'vendor has', 'vendors have')} not opened the link`
          : request.blind
            ? 'blind'
            : undefined,
    },
    {
      label: 'Lowest bid',
      isFigure: true,
      value:
        amountsHidden && bidCount > 0 ? (
          <HiddenAmount />
        ) : comparison === undefined ? (
          <Skeleton width={60} />
        ) : low === undefined || low.amount === null ? (
          'none'
        ) : (
          // The rank and the difference from the budget are based on the leveled amount.
          money(low.leveledAmount ?? low.amount)
        ),
      note:
        low?.aboveBudgetAmount === null || low?.aboveBudgetAmount === undefined
          ? undefined
          : `${money(Math.abs(low.aboveBudgetAmount))} ${low.aboveBudgetAmount > 0 ? 'over' : 'under'} budget`,
    },
    {
      label: 'Budgeted',
      isFigure: true,
      value: comparison === undefined ? <Skeleton width={60} /> : budgeted === null ? 'nothing' : money(budgeted),
      note: request.homeIds.length > 1 ? `for ${formatCount(request.homeIds.length, 'home')}` : undefined,
    },
  ]
}
