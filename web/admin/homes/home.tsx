import { Link, useParams } from 'react-router'
import type { Home } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { Tabs, useOpenTab } from '../../ui/tabs.tsx'
import { JobCostLedger } from '../accounting/job-cost.tsx'
import { RecordActions } from '../actions/record-actions.tsx'
import { RecordFiles } from '../files/record-files.tsx'
import { HomeBudget } from './home-budget.tsx'
import { HomeDrawings, HomePunch } from './home-field.tsx'
import { HomeInspections } from './home-inspections.tsx'
import { HomeOrders, HomePayments } from './home-lists.tsx'
import { HomeLogs } from './home-logs.tsx'
import { HomeOwners } from './home-owners.tsx'
import { HomePhotos } from './home-photos.tsx'
import { HomeSchedule } from './home-schedule.tsx'
import { HomeSelections } from './home-selections.tsx'
import { HomeStatusButton } from './home-status.tsx'

const TABS = [
  { name: 'budget', word: 'Budget', needs: 'budgets:read' },
  { name: 'costs', word: 'Costs', needs: 'ledger:read' },
  { name: 'schedule', word: 'Schedule', needs: 'tasks:read' },
  { name: 'orders', word: 'Orders', needs: 'pos:read' },
  { name: 'inspections', word: 'Inspections', needs: 'inspections:read' },
  { name: 'logs', word: 'Logs', needs: 'logs:read' },
  { name: 'punch', word: 'Punch', needs: 'punch:read' },
  { name: 'photos', word: 'Photos', needs: 'homes:read' },
  { name: 'drawings', word: 'Drawings', needs: 'documents:read' },
  { name: 'files', word: 'Files', needs: 'homes:read' },
  { name: 'selections', word: 'Selections', needs: 'options:read' },
  { name: 'owners', word: 'Owners', needs: 'owners:read' },
  { name: 'payments', word: 'Payments', needs: 'payments:read' },
  { name: 'history', word: 'History', needs: 'events:read' },
] as const

/** Shows one home: its budget, its schedule, and its orders, selections, and payments. */
export function Component() {
  useLiveUpdates('at ease')
  const { homeId = '' } = useParams()
  const can = useCan()
  const home = plumbline.useQuery('get', '/api/ext/homes/{homeId}', { params: { path: { homeId } } })
  const community = useRecordName('community', home.data?.communityId ?? '').data ?? undefined
  const tabs = TABS.filter(({ needs }) => can(needs))
  const [first, ...others] = tabs.map(({ name }) => name)
  const open = useOpenTab([first ?? 'history', ...others])
  const name = home.data?.name ?? 'Home'
  const crumbs = [
    { name: 'Homes', to: '/homes' },
    ...(community === undefined || home.data === undefined
      ? []
      : [{ name: community, to: `/communities/${home.data.communityId}` }]),
    { name },
  ]
  const word = TABS.find((tab) => tab.name === open)?.word ?? ''
  return (
    <Page
      title={[word, name, community].filter(Boolean).join(', ')}
      crumbs={crumbs}
      actions={
        <>
          {home.data !== undefined && <HomeStatusButton home={home.data} />}
          {home.data !== undefined && home.data.archivedAt === null && can('homes:write') && (
            <Link className="btn" to={`/homes/${homeId}/edit`}>
              Edit
            </Link>
          )}
          <RecordActions field="homeId" id={homeId} except={['updateHome']} />
        </>
      }
    >
      {home.error !== null ? (
        <LoadError what="The home" error={home.error} onRetry={() => void home.refetch()} />
      ) : home.data === undefined ? (
        <SkeletonLines />
      ) : (
        <HomeTabs {...{ open, tabs }} head={toHead(home.data, community)} home={home.data} />
      )}
    </Page>
  )
}

/** The heading of each tab: the title block with the tabs below. */
export interface HomeHead {
  name: string
  state: React.ReactNode
  sub: string
}

function toHead(home: Home, community: string | undefined): HomeHead {
  return {
    name: community === undefined ? home.name : `${home.name}, ${community}`,
    state: <Status of="home" is={home.status} />,
    sub: [home.address?.line1, humanizeName(home.homeType).toLowerCase()].filter((part) => part != null).join(' · '),
  }
}

function HomeTabs(props: { open: string; tabs: readonly (typeof TABS)[number][]; head: HomeHead; home: Home }) {
  const { open, tabs, head, home } = props
  const nav = <Tabs label="Home" tabs={tabs} open={open} />
  if (open === 'budget') return <HomeBudget {...{ head, home, nav }} />
  if (open === 'schedule') return <HomeSchedule {...{ head, home, nav }} />
  return (
    <>
      <section className="title-block" aria-label="Details">
        <div className="name">
          <h1>{head.name}</h1>
          {head.state}
          <span className="sub">{head.sub}</span>
        </div>
      </section>
      {nav}
      {open === 'orders' && <HomeOrders homeId={home.id} />}
      {open === 'inspections' && <HomeInspections homeId={home.id} />}
      {open === 'logs' && <HomeLogs homeId={home.id} />}
      {open === 'photos' && <HomePhotos homeId={home.id} />}
      {open === 'punch' && <HomePunch homeId={home.id} />}
      {open === 'drawings' && <HomeDrawings homeId={home.id} />}
      {open === 'costs' && <JobCostLedger home={home} />}
      {open === 'files' && (
        <RecordFiles
          recordId={home.id}
          name={home.name}
          needs="homes:write"
          empty="No files yet. Add surveys, letters, and other documents of the home."
        />
      )}
      {open === 'selections' && <HomeSelections home={home} />}
      {open === 'owners' && <HomeOwners homeId={home.id} />}
      {open === 'payments' && <HomePayments homeId={home.id} />}
      {open === 'history' && (
        <Panel title="History">
          <RecordHistory of={home.id} />
        </Panel>
      )}
    </>
  )
}
