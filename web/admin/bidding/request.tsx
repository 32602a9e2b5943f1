import { Link, useParams } from 'react-router'
import type { BidComparison, BidRequest } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLive } from '../../api/use-live.ts'
import { useRecords } from '../../api/use-records.ts'
import { humanize, Status } from '../../ui/badge.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { LoadError, Skeleton, SkeletonLines } from '../../ui/states.tsx'
import { Tabs, useOpenTab } from '../../ui/tabs.tsx'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { Comparison } from './comparison.tsx'
import { Invitations } from './invitations.tsx'
import { RequestActions } from './request-actions.tsx'
import { RequestDetails } from './request-details.tsx'
import { HiddenAmount } from './requests.tsx'

/** Shows one bid request: its status, its bids side by side, the invited vendors, and the award. */
export function Component() {
  const { bidRequestId = '' } = useParams()
  useLive('watching')
  const can = useCan()
  const params = { params: { path: { bidRequestId } } }
  const request = plumbline.useQuery('get', '/api/ext/bids/requests/{bidRequestId}', params)
  const comparison = plumbline.useQuery('get', '/api/ext/bids/requests/{bidRequestId}/comparison', params)
  const facts = useFacts(request.data, comparison.data)
  const tab = useOpenTab(['comparison', 'invitations', 'request', 'history'])
  const { left } = useFormats()

  if (request.error !== null) {
    return (
      <Page title="Bid request" crumbs={[{ name: 'Bidding', to: '/bidding' }, { name: 'Request' }]}>
        <LoadError what="The request" error={request.error} onRetry={() => void request.refetch()} />
      </Page>
    )
  }
  const { data } = request
  const name = data === undefined ? '' : (data.title ?? humanize(data.scope))
  return (
    <Page
      title={data === undefined ? 'Bid request' : `${data.number} ${name}`}
      crumbs={[{ name: 'Bidding', to: '/bidding' }, { name: data?.number ?? '…' }]}
      actions={data !== undefined && can('bids:write') && <RequestActions request={data} />}
    >
      {data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <TitleBlock
            name={name}
            state={<Status of="bidRequest" is={data.status} />}
            sub={
              data.status === 'sent'
                ? `${left(data.deadline)} to bid`.replace('today to bid', 'bids are due today')
                : undefined
            }
            facts={facts}
          />
          <Tabs
            label="Request"
            open={tab}
            tabs={[
              { name: 'comparison', word: 'Comparison' },
              { name: 'invitations', word: 'Invitations', count: data.invitations.length },
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

function useFacts(request: BidRequest | undefined, comparison: BidComparison | undefined): readonly Fact[] {
  const { day, zone, money } = useFormats()
  const communities = useRecords('/api/ext/communities', request === undefined ? [] : [request.communityId])
  const homes = useRecords('/api/ext/homes', request?.homeIds ?? [])
  if (request === undefined) return []
  const [home] = request.homeIds
  const community = communities.get(request.communityId)
  const unopened = request.invitations.filter(({ status }) => status === 'sent').length
  const { bidCount, amountsHidden } = request
  const budgeted = comparison?.budgeted ?? null
  // The amount and its difference from the budget must come from the same bid; the summary of the request excludes
  // rejected bids.
  const low = comparison?.vendors.find(({ rank }) => rank === 1)
  return [
    { label: 'Number', value: request.number, note: `version ${request.version}`, isWideOnly: true },
    { label: 'Trade', value: humanize(request.scope), isWideOnly: true },
    {
      label: request.homeIds.length > 1 ? 'Homes' : 'Location',
      value:
        request.homeIds.length === 1 && home !== undefined ? (
          <Link to={`/homes/${home}`}>{homes.get(home)?.name ?? '…'}</Link>
        ) : request.homeIds.length > 1 ? (
          `${request.homeIds.length} homes`
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
          ? `${unopened} ${unopened === 1 ? 'has' : 'have'} not opened the link`
          : request.blind
            ? 'blind'
            : undefined,
    },
    {
      label: 'Lowest',
      isFigure: true,
      value:
        amountsHidden && bidCount > 0 ? (
          <HiddenAmount />
        ) : comparison === undefined ? (
          <Skeleton width={60} />
        ) : low === undefined || low.amount === null ? (
          'none'
        ) : (
          money(low.amount)
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
      note: request.homeIds.length > 1 ? `for ${request.homeIds.length} homes` : undefined,
    },
  ]
}
