import { useState } from 'react'
import { Link } from 'react-router'
import type { Community } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { CommunityForm } from './community-form.tsx'
import { LandTabs } from './land-tabs.tsx'

const COLUMNS: readonly Column<Community>[] = [
  {
    head: 'Community',
    sort: 'name',
    cell: ({ id, name, code }) => (
      <>
        <Link className="lead" to={`/communities/${id}`}>
          {name}
        </Link>
        {code !== null && <span className="sub">{code}</span>}
      </>
    ),
    csv: ({ name }) => name,
  },
  {
    head: 'Status',
    cell: ({ status }) => <Status of="community" is={status} />,
    csv: ({ status }) => STATUS_LOOKS.community[status].word,
  },
  {
    head: 'Location',
    cell: (community) => formatPlace(community) ?? <EmptyCell word="no address" />,
    csv: (community) => formatPlace(community),
  },
  {
    head: 'Lots',
    numeric: true,
    cell: ({ lotCount }) => lotCount ?? <EmptyCell word="not set" />,
    csv: ({ lotCount }) => lotCount,
  },
  {
    head: 'Target starts per week',
    numeric: true,
    cell: ({ startsPerWeekTarget }) => startsPerWeekTarget ?? <EmptyCell word="no target" />,
    csv: ({ startsPerWeekTarget }) => startsPerWeekTarget,
  },
  { head: 'Time zone', isWideOnly: true, cell: ({ timeZone }) => timeZone, csv: ({ timeZone }) => timeZone },
]

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.community).map(([value, { word }]) => ({ value, label: word })),
  },
]

/** Lists communities. */
export function Component() {
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  const create = can('communities:write') && (
    <Button look="primary" icon="plus" onClick={() => setIsNew(true)}>
      New community
    </Button>
  )
  return (
    <Page title="Communities" crumbs={[{ name: 'Homes', to: '/homes' }, { name: 'Communities' }]} actions={create}>
      <div className="page-head">
        <h1>Communities</h1>
        <p>Communities with their homes and starts.</p>
      </div>
      <LandTabs />
      <Listing
        path="/api/ext/communities"
        nouns={['community', 'communities']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="name"
        searchIn="Name, code, or city"
        filters={FILTERS}
        empty={
          <EmptyState icon="homes" title="No communities yet" actions={create}>
            Add a community before you add homes. A community defines the workdays, time zone, and superintendent of its
            homes.
          </EmptyState>
        }
      />
      {isNew && <CommunityForm community={null} onClose={() => setIsNew(false)} />}
    </Page>
  )
}

export function formatPlace({ city, state }: Pick<Community, 'city' | 'state'>): string | null {
  const parts = [city, state].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', ')
}
