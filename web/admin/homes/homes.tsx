import { useMemo } from 'react'
import { Link } from 'react-router'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import type { Filter } from '../../ui/filter.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { useHomeColumns } from './home-columns.tsx'
import { LandTabs } from './land-tabs.tsx'

/** Lists all homes, whether planned, under construction, or finished. */
export function Component() {
  const can = useCan()
  const requested = { limit: 200, sort: 'name' } as const
  const communities = useListPage('/api/ext/communities', requested, { enabled: can('communities:read') }).data?.data
  const byId = useMemo(() => new Map(communities?.map((community) => [community.id, community])), [communities])
  const columns = useHomeColumns(byId)
  const filters = useMemo<readonly Filter[]>(
    () => [
      {
        name: 'status',
        label: 'Status',
        options: Object.entries(STATUS_LOOKS.home).map(([value, { word }]) => ({ value, label: word })),
      },
      {
        name: 'communityId',
        label: 'Community',
        options: (communities ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        name: 'homeType',
        label: 'Type',
        options: [
          { value: 'spec', label: 'Spec' },
          { value: 'presale', label: 'Presale' },
          { value: 'custom', label: 'Custom' },
          { value: 'model', label: 'Model' },
        ],
      },
    ],
    [communities],
  )
  return (
    <Page
      title="Homes"
      crumbs={[{ name: 'Homes' }]}
      actions={
        can('homes:write') && (
          <Link className="btn primary" to="/homes/new">
            New home
          </Link>
        )
      }
    >
      <div className="page-head">
        <h1>Homes</h1>
        <p>All homes, from planning to warranty.</p>
      </div>
      <LandTabs />
      <Listing
        path="/api/ext/homes"
        nouns={['home', 'homes']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="name"
        searchIn="Name, lot, or address"
        filters={filters}
        empty={
          <EmptyState icon="homes" title="No homes yet">
            Create a home in a community, with or without a plan.
          </EmptyState>
        }
      />
    </Page>
  )
}
