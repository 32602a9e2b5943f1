import { useMemo, useState } from 'react'
import type { Visit } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Button } from '../../ui/button.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { WarrantyTabs } from './warranty-tabs.tsx'

const STATUSES = ['proposed', 'confirmed', 'done', 'missed', 'cancelled'] as const
const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', options: STATUSES.map((value) => ({ value, label: humanizeName(value) })) },
]
const WINDOW_WORDS: Readonly<Record<Visit['window'], string>> = { am: 'morning', pm: 'afternoon', any: '' }
const MOVES: Readonly<Record<Visit['status'], readonly ('confirmed' | 'done' | 'missed' | 'cancelled')[]>> = {
  proposed: ['confirmed', 'done', 'missed', 'cancelled'],
  confirmed: ['done', 'missed', 'cancelled'],
  done: [],
  missed: [],
  cancelled: [],
}

/** Lists the warranty visits, with a form to record the result of a visit. */
export function Component() {
  useLiveUpdates('at ease')
  const { day } = useFormats()
  const mayWrite = useCan()('warranty:write')
  const [moved, setMoved] = useState<Visit | null>(null)
  const columns = useMemo<readonly Column<Visit>[]>(
    () => [
      {
        head: 'Visit',
        cell: ({ date, window, requestIds }) => (
          <>
            <span className="lead">{[day(date), WINDOW_WORDS[window]].filter((part) => part !== '').join(', ')}</span>
            <span className="sub">{formatCount(requestIds.length, 'request')}</span>
          </>
        ),
        csv: ({ date }) => date,
      },
      { head: 'Home', cell: ({ homeId }) => <RecordName of="home" id={homeId} /> },
      { head: 'Status', cell: ({ status }) => humanizeName(status), csv: ({ status }) => status },
      {
        head: 'Vendor',
        cell: ({ vendorId }) =>
          vendorId === null ? <EmptyCell word="own employee" /> : <RecordName of="vendor" id={vendorId} />,
      },
      {
        head: 'Vendor note',
        cell: ({ vendorNote }) => vendorNote ?? <EmptyCell word="none" />,
        isWideOnly: true,
      },
      ...(mayWrite
        ? [
            {
              head: 'Result',
              cell: (visit: Visit) =>
                MOVES[visit.status].length === 0 ? null : (
                  <Button
                    small
                    aria-label={`Record result of visit on ${day(visit.date)}`}
                    onClick={() => setMoved(visit)}
                  >
                    Record result
                  </Button>
                ),
            },
          ]
        : []),
    ],
    [day, mayWrite],
  )
  return (
    <Page title="Visits" crumbs={[{ name: 'Warranty', to: '/warranty' }, { name: 'Visits' }]}>
      <div className="page-head">
        <h1>Visits</h1>
        <p>Appointments with owners to fix warranty requests.</p>
      </div>
      <WarrantyTabs />
      <Listing
        path="/api/ext/visits"
        nouns={['visit', 'visits']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        filters={FILTERS}
        empty={
          <EmptyState icon="calendar" title="No visits yet">
            Send a vendor from a warranty request to propose a visit.
          </EmptyState>
        }
      />
      {moved !== null && <VisitForm visit={moved} onClose={() => setMoved(null)} />}
    </Page>
  )
}

function VisitForm({ visit, onClose }: { visit: Visit; onClose(): void }) {
  const { day } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/visits/{visitId}/status', {
    onSuccess: ({ status }) => {
      showToast(`Visit ${humanizeName(status).toLowerCase()}`)
      onClose()
    },
  })
  const options = MOVES[visit.status].map((value) => ({ value, label: humanizeName(value) }))
  return (
    <FormDialog
      title={`Visit on ${day(visit.date)}`}
      note="If the visit is missed or canceled, its requests wait for another visit."
      size="narrow"
      word="Record result"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const status = options.find(({ value }) => value === readTextField(form, 'status'))?.value
        const reason = readTextField(form, 'reason')
        if (status === undefined) return
        change.mutate({
          params: { path: { visitId: visit.id } },
          body: { status, ...(reason !== undefined && { reason }) },
        })
      }}
    >
      <SelectField name="status" label="Result" options={options} />
      <TextField name="reason" label="Reason" optional />
    </FormDialog>
  )
}
