import { useMemo, useState } from 'react'
import type { Inspection, InspectionOutcome, Permit } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, LoadError } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { InspectionDateForm, InspectionForm } from './inspection-forms.tsx'
import { canMovePermit, PermitForm, PermitStatusForm } from './permit-forms.tsx'

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.inspection).map(([value, { word }]) => ({ value, label: word })),
  },
  {
    name: 'result',
    label: 'Result',
    options: Object.entries(STATUS_LOOKS.inspectionResult).map(([value, { word }]) => ({ value, label: word })),
  },
]

/** The words for the time windows of an inspection; empty for the whole day. */
const WINDOW_WORDS: Readonly<Record<Inspection['window'], string>> = { am: 'morning', pm: 'afternoon', any: '' }

/** Lists the home's permits and inspections, with forms to add and schedule them and to record results. */
export function HomeInspections({ homeId }: { homeId: string }) {
  const { day } = useFormats()
  const can = useCan()
  const mayRecord = can('inspections:write') && can('tasks:write')
  const maySchedule = can('inspections:write')
  const [recorded, setRecorded] = useState<Inspection | null>(null)
  const [scheduled, setScheduled] = useState<Inspection | null>(null)
  const [isNew, setIsNew] = useState(false)
  const columns = useMemo<readonly Column<Inspection>[]>(
    () => [
      {
        head: 'Inspection',
        cell: ({ name, attempt, inspectorName }) => (
          <>
            <span className="lead">{attempt === 1 ? name : `${name}, attempt ${attempt}`}</span>
            {inspectorName !== null && <span className="sub">{inspectorName}</span>}
          </>
        ),
        csv: ({ name }) => name,
      },
      {
        head: 'Status',
        cell: ({ status, result }) =>
          result === null ? <Status of="inspection" is={status} /> : <Status of="inspectionResult" is={result} />,
        csv: ({ status, result }) => result ?? status,
      },
      {
        head: 'Date',
        sort: 'scheduledDate',
        cell: ({ completedDate, scheduledDate, window }) => {
          const date = completedDate ?? scheduledDate
          if (date === null) return <EmptyCell word="not scheduled" />
          const time = completedDate === null ? WINDOW_WORDS[window] : ''
          return time === '' ? day(date) : `${day(date)}, ${time}`
        },
        csv: ({ completedDate, scheduledDate }) => completedDate ?? scheduledDate,
      },
      {
        head: 'Failed items',
        cell: ({ items }) => {
          const failed = items.filter(({ result }) => result === 'fail').map(({ text }) => text)
          return failed.length === 0 ? <EmptyCell word="none" /> : failed.join('; ')
        },
        csv: ({ items }) => items.filter(({ result }) => result === 'fail').length,
        isWideOnly: true,
      },
      ...(maySchedule
        ? [
            {
              head: 'Schedule',
              cell: (inspection: Inspection) =>
                inspection.status === 'requested' || inspection.status === 'scheduled' ? (
                  <Button
                    small
                    aria-label={`${inspection.status === 'requested' ? 'Schedule' : 'Move'} ${inspection.name}`}
                    onClick={() => setScheduled(inspection)}
                  >
                    {inspection.status === 'requested' ? 'Schedule' : 'Move'}
                  </Button>
                ) : null,
            },
          ]
        : []),
      ...(mayRecord
        ? [
            {
              head: 'Result',
              cell: (inspection: Inspection) =>
                inspection.status === 'scheduled' ? (
                  <Button
                    small
                    aria-label={`Record result of ${inspection.name}`}
                    onClick={() => setRecorded(inspection)}
                  >
                    Record result
                  </Button>
                ) : null,
            },
          ]
        : []),
    ],
    [day, mayRecord, maySchedule],
  )
  return (
    <>
      <HomePermits homeId={homeId} />
      <Listing
        path="/api/ext/inspections"
        nouns={['inspection', 'inspections']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        filters={FILTERS}
        query={{ homeId }}
        empty={
          <EmptyState icon="schedule" title="No inspections yet">
            Request or schedule an inspection for a task of the schedule.
          </EmptyState>
        }
        aside={
          maySchedule && (
            <Button icon="plus" onClick={() => setIsNew(true)}>
              Add inspection
            </Button>
          )
        }
      />
      {isNew && <InspectionForm homeId={homeId} onClose={() => setIsNew(false)} />}
      {scheduled !== null && <InspectionDateForm inspection={scheduled} onClose={() => setScheduled(null)} />}
      {recorded !== null && <ResultDialog inspection={recorded} onClose={() => setRecorded(null)} />}
    </>
  )
}

const MAX_PERMITS = 50

function HomePermits({ homeId }: { homeId: string }) {
  const { day, left } = useFormats()
  const mayWrite = useCan()('inspections:write')
  const [isNew, setIsNew] = useState(false)
  const [moved, setMoved] = useState<Permit | null>(null)
  const permits = useListPage('/api/ext/permits', { homeId, limit: MAX_PERMITS, sort: '-createdAt' })
  const columns: readonly Column<Permit>[] = [
    {
      head: 'Permit',
      cell: ({ permitType, number, authority }) => (
        <>
          <span className="lead">{humanizeName(permitType)}</span>
          <span className="sub">{[number, authority].filter((part) => part !== null).join(', ')}</span>
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="permit" is={status} /> },
    {
      head: 'Expires',
      cell: ({ status, expiryDate }) =>
        expiryDate === null ? (
          <EmptyCell word="no date" />
        ) : (
          <>
            {day(expiryDate)}
            {status === 'issued' && <span className="sub">{left(expiryDate)}</span>}
          </>
        ),
    },
    ...(mayWrite
      ? [
          {
            head: 'Change',
            cell: (permit: Permit) =>
              canMovePermit(permit) ? (
                <Button
                  small
                  aria-label={`Change status of ${humanizeName(permit.permitType).toLowerCase()} permit`}
                  onClick={() => setMoved(permit)}
                >
                  Change status
                </Button>
              ) : null,
          },
        ]
      : []),
  ]
  const rows = permits.data?.data
  return (
    <Panel
      title="Permits"
      isFlush={rows?.length !== 0}
      actions={
        mayWrite && (
          <Button small icon="plus" onClick={() => setIsNew(true)}>
            Add permit
          </Button>
        )
      }
    >
      {permits.error !== null ? (
        <LoadError what="The permits" error={permits.error} onRetry={() => void permits.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No permits yet. Municipal inspections need a valid permit.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Permits" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
        </div>
      )}
      {isNew && <PermitForm homeId={homeId} onClose={() => setIsNew(false)} />}
      {moved !== null && <PermitStatusForm permit={moved} onClose={() => setMoved(null)} />}
    </Panel>
  )
}

/** Lets the user record a result. Asks for the next attempt unless the inspection passed. */
function ResultDialog({ inspection, onClose }: { inspection: Inspection; onClose(): void }) {
  const { today } = useFormats()
  const [result, setResult] = useState<InspectionOutcome>('passed')
  const change = plumbline.useMutation('post', '/api/ext/inspections/{inspectionId}/result', {
    onSuccess: ({ inspection: { name }, reinspection }) => {
      showToast(reinspection === null ? `${name}: result recorded` : `${name}: result recorded, next attempt added`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Record result of ${inspection.name}`}
      size="narrow"
      word="Record result"
      {...{ change, onClose }}
      of={inspection}
      onSubmit={(form, header) => {
        const [date, inspectorName] = [readTextField(form, 'date'), readTextField(form, 'inspectorName')]
        const [notes, next] = [readTextField(form, 'notes'), readTextField(form, 'reinspection')]
        change.mutate({
          params: { path: { inspectionId: inspection.id }, header },
          body: {
            result,
            ...(date !== undefined && { date }),
            ...(inspectorName !== undefined && { inspectorName }),
            ...(notes !== undefined && { notes }),
            ...(result !== 'passed' && next !== undefined && { reinspection: { date: next } }),
          },
        })
      }}
    >
      <SelectField
        name="result"
        label="Result"
        value={result}
        onChange={(value) => setResult(value as InspectionOutcome)}
        options={Object.entries(STATUS_LOOKS.inspectionResult).map(([value, { word }]) => ({ value, label: word }))}
      />
      <p className="muted">
        {result === 'passed'
          ? 'The task of the inspection is completed, and later tasks can start.'
          : 'The task stays in progress, and the tasks that depend on it wait for the next attempt.'}
      </p>
      <TextField name="date" label="Date" type="date" defaultValue={today()} max={today()} />
      <TextField name="inspectorName" label="Inspector" optional defaultValue={inspection.inspectorName ?? ''} />
      {result !== 'passed' && <TextField name="reinspection" label="Next attempt" type="date" optional />}
      <TextField name="notes" label="Notes" optional defaultValue={inspection.notes ?? ''} />
    </FormDialog>
  )
}
