import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { Community, CommunitySummary, HomeStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { BudgetBar } from '../../ui/budget-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { EmptyCell } from '../../ui/table.tsx'
import { Tabs, useOpenTab } from '../../ui/tabs.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { formatPlace } from './communities.tsx'
import { CommunityCalendar } from './community-calendar.tsx'
import { CommunityForm } from './community-form.tsx'
import { CommunityStatusButton } from './community-status.tsx'
import { useHomeColumns } from './home-columns.tsx'
import { StartsChart } from './starts-chart.tsx'

const TABS = [
  { name: 'homes', word: 'Homes' },
  { name: 'figures', word: 'Figures' },
  { name: 'calendar', word: 'Calendar' },
  { name: 'history', word: 'History' },
] as const

/** Shows one community: its status and its homes. */
export function Component() {
  const { communityId = '' } = useParams()
  const can = useCan()
  const [isEdited, setIsEdited] = useState(false)
  const open = useOpenTab(['homes', 'figures', 'calendar', 'history'])
  const at = { params: { path: { communityId } } }
  const community = plumbline.useQuery('get', '/api/ext/communities/{communityId}', at)
  const figures = plumbline.useQuery('get', '/api/ext/communities/{communityId}/summary', at)
  const columns = useHomeColumns(null)
  const name = community.data?.name ?? 'Community'
  const canChange = can('communities:write') && community.data?.archivedAt === null
  const crumbs = [{ name: 'Homes', to: '/homes' }, { name: 'Communities', to: '/communities' }, { name }]
  return (
    <Page
      title={name}
      crumbs={crumbs}
      actions={
        <>
          {canChange && <Button onClick={() => setIsEdited(true)}>Edit</Button>}
          {community.data !== undefined && <CommunityStatusButton community={community.data} />}
          <RecordActions field="communityId" id={communityId} except={OWN_ACTIONS} />
        </>
      }
    >
      {community.error !== null ? (
        <LoadError what="The community" error={community.error} onRetry={() => void community.refetch()} />
      ) : community.data === undefined ? (
        <SkeletonLines />
      ) : (
        <>
          <TitleBlock
            name={name}
            state={<Status of="community" is={community.data.status} />}
            sub={formatPlace(community.data)}
            facts={toFacts(figures.data, community.data.lotCount)}
          />
          <Tabs label="Community" tabs={TABS} open={open} />
          {open === 'homes' && can('homes:read') && (
            <Listing
              path="/api/ext/homes"
              nouns={['home', 'homes']}
              columns={columns}
              keyOf={({ id }) => id}
              sort="name"
              searchIn="Name, lot, or address"
              filters={HOME_FILTERS}
              query={{ communityId }}
              empty={
                <EmptyState
                  icon="homes"
                  title="No homes in this community yet"
                  actions={
                    can('homes:write') && (
                      <Link className="btn" to={`/homes/new?communityId=${communityId}`}>
                        New home
                      </Link>
                    )
                  }
                >
                  You can add homes while the community is planned or active.
                </EmptyState>
              }
            />
          )}
          {open === 'figures' &&
            (figures.error !== null ? (
              <LoadError what="The figures" error={figures.error} onRetry={() => void figures.refetch()} />
            ) : figures.data === undefined ? (
              <SkeletonLines />
            ) : (
              <CommunityFigures of={figures.data} community={community.data} />
            ))}
          {open === 'calendar' && <CommunityCalendar community={community.data} />}
          {open === 'history' && (
            <Panel title="History">
              <RecordHistory of={communityId} />
            </Panel>
          )}
          {isEdited && <CommunityForm community={community.data} onClose={() => setIsEdited(false)} />}
        </>
      )}
    </Page>
  )
}

/** The actions for which the page has its own buttons. */
const OWN_ACTIONS = ['updateCommunity', 'changeCommunityStatus']

const HOME_FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.home).map(([value, { word }]) => ({ value, label: word })),
  },
]

function toFacts(figures: CommunitySummary | undefined, lotCount: number | null): readonly Fact[] {
  const by = figures?.homesByStatus
  const known = (value: number | undefined) => (value === undefined ? '…' : value)
  return [
    {
      label: 'Under construction',
      isFigure: true,
      value: known(by?.under_construction),
      note: by === undefined ? undefined : `${by.ready_to_start} ready to start`,
    },
    {
      label: 'Starts this month',
      isFigure: true,
      value: known(figures?.startsThisMonth),
      note:
        figures === undefined ? undefined : `${figures.starts.reduce((sum, { starts }) => sum + starts, 0)} in a year`,
    },
    { label: 'Completed in the last year', isFigure: true, isWideOnly: true, value: known(figures?.completions) },
    {
      label: 'Cycle time',
      isWideOnly: true,
      value:
        figures === undefined
          ? '…'
          : figures.averageCycleDays === null
            ? 'none completed'
            : formatCount(Math.round(figures.averageCycleDays), 'workday'),
      note: figures?.averageCycleDays == null ? 'within a year' : 'on average',
    },
    {
      label: 'Lots in use',
      value: known(figures?.lotsTaken),
      note: lotCount === null ? 'number of lots not set' : `of ${lotCount}`,
    },
    { label: 'Homes for sale', value: figures === undefined ? '…' : (figures.sales?.homesAvailable ?? 'not shown') },
  ]
}

function CommunityFigures({ of: figures, community }: { of: CommunitySummary; community: Community }) {
  const { money, difference } = useFormats()
  const { budget, openOrders, bidRequests, sales } = figures
  const homes = Object.entries(figures.homesByStatus) as [HomeStatus, number][]
  return (
    <div className="cols even">
      <Panel title="Homes by status">
        <KeyValues
          facts={homes
            .filter(([, number]) => number > 0)
            .map(([status, number]) => [STATUS_LOOKS.home[status].word, number] as const)}
        />
      </Panel>
      <Panel title="Starts" hint="the last twelve months">
        <StartsChart of={figures.starts} />
      </Panel>
      {budget !== null && (
        <Panel title="Budget" hint="all homes except canceled ones">
          <div className="stack">
            <BudgetBar
              label="All homes"
              budgeted={budget.budgeted}
              committed={budget.committed}
              pending={budget.pendingCommitted}
              actual={0}
            />
            <KeyValues
              facts={[
                ['Budgeted', money(budget.budgeted)],
                ['Committed', money(budget.committed)],
                ['Pending', money(budget.pendingCommitted)],
                ['Left', difference(budget.variance)],
              ]}
            />
          </div>
        </Panel>
      )}
      <Panel title="Open orders, bids, and sales">
        <KeyValues
          facts={[
            ...(openOrders === null
              ? []
              : ([['Open orders', `${openOrders.count} (${money(openOrders.amount)})`]] as const)),
            ...(bidRequests === null
              ? []
              : ([
                  ['Open bid requests', bidRequests.sent],
                  ['Invitations awaiting a response', bidRequests.openInvitations],
                ] as const)),
            ...(sales === null
              ? []
              : ([
                  ['Sales awaiting approval', sales.pending],
                  ['Sales approved', sales.approved],
                ] as const)),
          ]}
        />
      </Panel>
      <Panel title="Details">
        <KeyValues
          facts={[
            [
              'Superintendent',
              community.superintendentId === null ? (
                <EmptyCell key="superintendent" word="nobody yet" />
              ) : (
                <RecordName key="superintendent" of="user" id={community.superintendentId} />
              ),
            ],
            ['Target starts per week', community.startsPerWeekTarget ?? <EmptyCell key="target" word="no target" />],
            ['ZIP code', community.postalCode ?? <EmptyCell key="zip" />],
            ['Time zone', community.timeZone],
            ['ID in accounting', community.accountingId ?? <EmptyCell key="accounting" word="not linked" />],
          ]}
        />
      </Panel>
    </div>
  )
}
