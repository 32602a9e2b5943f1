import { Link } from 'react-router'
import type { TaskTemplateSummary } from '../../../../client/contract.gen.ts'
import { fetchRecordName } from '../../../api/record-names.ts'
import { useCan } from '../../../api/session.ts'
import type { Filter } from '../../../ui/filter.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Page } from '../../../ui/page.tsx'
import { RecordName } from '../../../ui/record-name.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { type Column, EmptyCell } from '../../../ui/table.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { CatalogueTabs } from '../catalogue-tabs.tsx'

const COLUMNS: readonly Column<TaskTemplateSummary>[] = [
  {
    head: 'Template',
    sort: 'name',
    cell: ({ id, name, archivedAt }) => (
      <>
        <Link className="lead" to={`/catalogue/task-templates/${id}`}>
          {name}
        </Link>
        {archivedAt !== null && <span className="sub">archived</span>}
      </>
    ),
    csv: ({ name }) => name,
  },
  {
    head: 'Plan',
    cell: ({ planId }) => (planId === null ? <EmptyCell word="every plan" /> : <RecordName of="plan" id={planId} />),
    csv: ({ planId }) => (planId === null ? null : fetchRecordName('plan', planId)),
  },
  {
    head: 'Community',
    cell: ({ communityId }) =>
      communityId === null ? <EmptyCell word="every community" /> : <RecordName of="community" id={communityId} />,
    csv: ({ communityId }) => (communityId === null ? null : fetchRecordName('community', communityId)),
  },
  { head: 'Tasks', numeric: true, cell: ({ taskCount }) => taskCount, csv: ({ taskCount }) => taskCount },
  { head: 'Workdays', numeric: true, cell: ({ workdays }) => workdays, csv: ({ workdays }) => workdays },
]

const FILTERS: readonly Filter[] = [
  { name: 'includeArchived', label: 'Archived', options: [{ value: 'true', label: 'Included' }] },
]

/** Lists the templates from which the schedules of homes are created. */
export function Component() {
  const can = useCan()
  const { day, dateOf } = useFormats()
  const columns: readonly Column<TaskTemplateSummary>[] = [
    ...COLUMNS,
    {
      ...{ head: 'Changed', sort: 'updatedAt', isWideOnly: true },
      cell: ({ updatedAt }) => day(dateOf(updatedAt)),
      csv: ({ updatedAt }) => dateOf(updatedAt),
    },
    {
      ...{ head: 'Archived', isOnlyExported: true, cell: () => null },
      csv: ({ archivedAt }) => (archivedAt === null ? null : dateOf(archivedAt)),
    },
  ]
  const create = can('tasks:write') && (
    <Link className="btn primary" to="/catalogue/task-templates/new">
      New template
    </Link>
  )
  return (
    <Page
      title="Task templates"
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Task templates' }]}
      actions={create}
    >
      <div className="page-head">
        <h1>Task templates</h1>
        <p>Standard schedules for homes. A home uses the template that best matches its plan and community.</p>
      </div>
      <CatalogueTabs />
      <Listing
        path="/api/ext/task-templates"
        nouns={['template', 'templates']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="name"
        searchIn="Name"
        filters={FILTERS}
        empty={
          <EmptyState icon="schedule" title="No task templates yet" actions={create}>
            Create a template with the tasks of a home. Then create the schedules of homes from it.
          </EmptyState>
        }
      />
    </Page>
  )
}
