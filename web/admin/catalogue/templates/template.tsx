import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import type { TaskTemplate, TaskTemplateRow } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { IconButton } from '../../../ui/button.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { Icon } from '../../../ui/icon.tsx'
import { MoveDialog } from '../../../ui/move-dialog.tsx'
import { Page } from '../../../ui/page.tsx'
import { KeyValues, Panel } from '../../../ui/panel.tsx'
import { RecordName } from '../../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../../ui/table.tsx'
import { Tabs, useOpenTab } from '../../../ui/tabs.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { TitleBlock } from '../../../ui/title-block.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { describeLink } from '../../homes/task-words.ts'
import { getFirstDay, NetworkLegend, TemplateNetwork } from './template-network.tsx'
import { type RowReading, readTemplate, toTemplateRows } from './template-rows.ts'

const TABS = [
  { name: 'tasks', word: 'Tasks' },
  { name: 'network', word: 'Network' },
] as const

function toCopyUrl({ id }: TaskTemplate): string {
  return `/catalogue/task-templates/new?copy=${id}`
}

/** A row of the template with its place in the schedule. */
interface ReadRow extends TaskTemplateRow {
  key: string
  reading: RowReading | undefined
}

/** Shows one template: its tasks as a list, and as a network of bars with their predecessors. */
export function Component() {
  const { taskTemplateId = '' } = useParams()
  const can = useCan()
  const navigate = useNavigate()
  const [isArchiving, setIsArchiving] = useState(false)
  const at = { params: { path: { taskTemplateId } } }
  const template = plumbline.useQuery('get', '/api/ext/task-templates/{taskTemplateId}', at)
  const { data } = template
  const name = data?.name ?? 'Template'
  const canWrite = can('tasks:write')
  const canChange = canWrite && data?.archivedAt === null
  return (
    <Page
      title={name}
      crumbs={[
        { name: 'Catalog', to: '/catalogue' },
        { name: 'Task templates', to: '/catalogue/task-templates' },
        { name },
      ]}
      actions={
        data !== undefined && (
          <>
            {canChange && (
              <Menu.Root>
                <Menu.Trigger render={<IconButton icon="dots" label="More actions" />} />
                <Menu.Portal>
                  <Menu.Positioner className="over" sideOffset={4} align="end">
                    <Menu.Popup className="menu">
                      <Menu.Item onClick={() => void navigate(toCopyUrl(data))}>Copy template</Menu.Item>
                      <Menu.Item onClick={() => setIsArchiving(true)}>Archive…</Menu.Item>
                    </Menu.Popup>
                  </Menu.Positioner>
                </Menu.Portal>
              </Menu.Root>
            )}
            {canChange && (
              <Link className="btn primary" to={`/catalogue/task-templates/${data.id}/edit`}>
                Edit
              </Link>
            )}
            {canWrite && !canChange && (
              <Link className="btn primary" to={toCopyUrl(data)}>
                Copy template
              </Link>
            )}
          </>
        )
      }
    >
      {template.error !== null ? (
        <LoadError what="The template" error={template.error} onRetry={() => void template.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <TemplateView template={data} />
      )}
      {isArchiving && data !== undefined && <ArchiveDialog template={data} onClose={() => setIsArchiving(false)} />}
    </Page>
  )
}

function TemplateView({ template }: { template: TaskTemplate }) {
  const open = useOpenTab(['tasks', 'network'])
  const keyed = toTemplateRows(template.rows)
  const reading = readTemplate(keyed)
  const rows = template.rows.map((row, at): ReadRow => {
    const key = keyed[at]?.key ?? ''
    return { ...row, key, reading: reading.rows.get(key) }
  })
  const critical = rows.filter((row) => row.reading?.schedule?.isCritical === true).length
  const { day, dateOf } = useFormats()
  return (
    <>
      {template.archivedAt !== null && (
        <div className="banner">
          <Icon name="info" />
          <span>
            This template was archived on {day(dateOf(template.archivedAt))}. New schedules cannot use it. To use its
            tasks again, copy the template.
          </span>
        </div>
      )}
      <TitleBlock
        name={template.name}
        facts={[
          { label: 'Tasks', isFigure: true, value: template.taskCount, note: `${critical} on the critical path` },
          { label: 'Workdays', isFigure: true, value: template.workdays, note: 'holidays not included' },
          {
            label: 'Plan',
            value: template.planId === null ? 'every plan' : <RecordName of="plan" id={template.planId} />,
          },
          {
            label: 'Community',
            value:
              template.communityId === null ? (
                'every community'
              ) : (
                <RecordName of="community" id={template.communityId} />
              ),
          },
        ]}
      />
      <Tabs label="Template" tabs={TABS} open={open} />
      {open === 'tasks' ? (
        <div className="table-wrap">
          <Table caption="Tasks of the template" columns={COLUMNS} rows={rows} keyOf={({ key }) => key} />
        </div>
      ) : (
        <NetworkTab rows={rows} workdays={reading.workdays ?? template.workdays} />
      )}
    </>
  )
}

const COLUMNS: readonly Column<ReadRow>[] = [
  {
    head: 'Task',
    cell: ({ name, spanishName, taskKind }) => (
      <>
        {name}
        {taskKind !== 'work' && <span className="faint"> {humanizeName(taskKind)}</span>}
        {spanishName !== null && (
          <span className="sub" lang="es">
            {spanishName}
          </span>
        )}
      </>
    ),
  },
  { head: 'Trade', cell: ({ scope }) => (scope === null ? <EmptyCell /> : humanizeName(scope)) },
  { head: 'Phase', isWideOnly: true, cell: ({ phase }) => (phase === null ? <EmptyCell /> : humanizeName(phase)) },
  { head: 'Workdays', numeric: true, cell: ({ durationDays }) => durationDays },
  {
    head: 'Starts on day',
    numeric: true,
    cell: ({ reading }) => (reading?.schedule == null ? <EmptyCell /> : getFirstDay(reading.schedule)),
  },
  {
    head: 'Waits for',
    cell: ({ predecessors }) =>
      predecessors.length === 0 ? (
        <EmptyCell word="the start" />
      ) : (
        predecessors.map((link) => describeLink(link.name, link)).join('; ')
      ),
  },
  {
    head: 'Usual vendor',
    isWideOnly: true,
    cell: ({ vendorId }) => (vendorId === null ? <EmptyCell /> : <RecordName of="vendor" id={vendorId} />),
  },
  {
    head: 'Checklist',
    cell: ({ checklist }) => (checklist.length === 0 ? <EmptyCell /> : <Checklist of={checklist} />),
  },
]

function Checklist({ of: items }: { of: readonly string[] }) {
  return (
    <details>
      <summary>{formatCount(items.length, 'item')}</summary>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </details>
  )
}

/** Shows the network. The URL contains the selected task, whose predecessors and successors are shown below. */
function NetworkTab({ rows, workdays }: { rows: readonly ReadRow[]; workdays: number }) {
  const selected = useSearchParams()[0].get('row')
  const shown = rows.flatMap((row) =>
    row.reading?.schedule == null
      ? []
      : [
          {
            ...{ key: row.key, name: row.name, taskKind: row.taskKind },
            ...{ schedule: row.reading.schedule, links: row.reading.links },
          },
        ],
  )
  const row = rows.find(({ key }) => key === selected)
  return (
    <>
      <Panel title="Network" isFlush hint={<NetworkLegend />}>
        <TemplateNetwork
          rows={shown}
          workdays={workdays}
          selected={selected}
          renderName={({ key, name }) => (
            <Link
              to={{ search: `?tab=network&row=${key}` }}
              replace
              preventScrollReset
              aria-current={key === selected ? 'true' : undefined}
            >
              {name}
            </Link>
          )}
        />
      </Panel>
      {row?.reading != null && <RowFacts row={row} rows={rows} />}
    </>
  )
}

function RowFacts({ row, rows }: { row: ReadRow; rows: readonly ReadRow[] }) {
  const schedule = row.reading?.schedule ?? null
  const successors = rows.flatMap(({ name, predecessors }) =>
    predecessors.filter((link) => link.name === row.name).map((link) => describeLink(name, link)),
  )
  return (
    <Panel title={row.name} hint={row.spanishName === null ? undefined : <span lang="es">{row.spanishName}</span>}>
      <KeyValues
        facts={[
          ['Duration', formatCount(row.durationDays, 'workday')],
          ...(schedule === null
            ? []
            : ([
                ['Starts on day', getFirstDay(schedule)],
                [
                  'Float',
                  schedule.isCritical
                    ? 'none: on the critical path'
                    : `can slip by ${formatCount(schedule.float, 'workday')}`,
                ],
              ] as const)),
          ['Trade', row.scope === null ? <EmptyCell key="trade" /> : humanizeName(row.scope)],
          [
            'Waits for',
            row.predecessors.length === 0
              ? 'the start'
              : row.predecessors.map((link) => describeLink(link.name, link)).join('; '),
          ],
          ['Then', successors.length === 0 ? 'nothing waits for it' : successors.join('; ')],
        ]}
      />
    </Panel>
  )
}

function ArchiveDialog({ template, onClose }: { template: TaskTemplate; onClose(): void }) {
  const navigate = useNavigate()
  const archive = plumbline.useMutation('delete', '/api/ext/task-templates/{taskTemplateId}', {
    onSuccess: () => {
      showToast(`${template.name} archived`)
      onClose()
      void navigate('/catalogue/task-templates')
    },
  })
  return (
    <MoveDialog
      title={`Archive ${template.name}?`}
      effect="New schedules can no longer use the template. Existing schedules do not change. This cannot be undone, but you can copy the template."
      word="Archive"
      isDanger
      trial={null}
      error={archive.error}
      isPending={archive.isPending}
      onClose={onClose}
      onConfirm={() =>
        archive.mutate({
          params: { path: { taskTemplateId: template.id }, header: { 'If-Match': `"${template.version}"` } },
        })
      }
    />
  )
}
