import { useMemo, useState } from 'react'
import type { WarrantyRequest } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { DispatchForm, RequestForm } from './request-forms.tsx'
import { WarrantyTabs } from './warranty-tabs.tsx'

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.warrantyRequest).map(([value, { word }]) => ({ value, label: word })),
  },
  {
    name: 'severity',
    label: 'Severity',
    options: ['emergency', 'urgent', 'routine'].map((value) => ({ value, label: humanizeName(value) })),
  },
  {
    name: 'isOverdue',
    label: 'Target',
    options: [
      { value: 'true', label: 'Overdue' },
      { value: 'false', label: 'On time' },
    ],
  },
]

const COLUMNS: readonly Column<WarrantyRequest>[] = [
  {
    head: 'Request',
    cell: ({ number, location, description }) => (
      <>
        <span className="lead">{[number, location].filter((part) => part !== null).join(', ')}</span>
        <span className="sub">{description}</span>
      </>
    ),
    csv: ({ number, description }) => `${number} ${description}`,
  },
  { head: 'Home', cell: ({ homeId }) => <RecordName of="home" id={homeId} /> },
  { head: 'Status', cell: ({ status }) => <Status of="warrantyRequest" is={status} />, csv: ({ status }) => status },
  {
    head: 'Severity',
    cell: ({ severity }) => humanizeName(severity),
    csv: ({ severity }) => severity,
    isWideOnly: true,
  },
  {
    head: 'Target',
    cell: ({ status, respondBy, completeBy, isOverdue }) => (
      <>
        <TimeText at={status === 'new' ? respondBy : completeBy} />
        {isOverdue && <span className="sub">Overdue</span>}
      </>
    ),
    csv: ({ completeBy }) => completeBy,
  },
  {
    head: 'Vendor',
    cell: ({ vendorId }) => (vendorId === null ? <EmptyCell word="none" /> : <RecordName of="vendor" id={vendorId} />),
    isWideOnly: true,
  },
]

/** The next step in each status in which the office must decide on the request or send a vendor. */
const NEXT_STEPS: Partial<Record<WarrantyRequest['status'], string>> = {
  new: 'Decide',
  accepted: 'Send vendor',
  assigned: 'Plan visit',
}

/**
 * Lists the warranty requests of all homes with their target dates, and with forms to add requests, decide on them, and
 * send vendors.
 */
export function Component() {
  useLiveUpdates('at ease')
  const mayWrite = useCan()('warranty:write')
  const [isNew, setIsNew] = useState(false)
  const [sent, setSent] = useState<WarrantyRequest | null>(null)
  const columns = useMemo<readonly Column<WarrantyRequest>[]>(
    () => [
      ...COLUMNS,
      ...(mayWrite
        ? [
            {
              head: 'Next step',
              cell: (request: WarrantyRequest) =>
                NEXT_STEPS[request.status] !== undefined ? (
                  <Button
                    small
                    aria-label={`${NEXT_STEPS[request.status]} ${request.number}`}
                    onClick={() => setSent(request)}
                  >
                    {NEXT_STEPS[request.status]}
                  </Button>
                ) : null,
            },
          ]
        : []),
    ],
    [mayWrite],
  )
  return (
    <Page
      title="Warranty"
      crumbs={[{ name: 'Warranty' }]}
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={() => setIsNew(true)}>
            Add request
          </Button>
        )
      }
    >
      <div className="page-head">
        <h1>Warranty</h1>
        <p>Issues that owners reported, with the target dates for a response and a repair.</p>
      </div>
      <WarrantyTabs />
      <Listing
        path="/api/ext/warranty-requests"
        nouns={['request', 'requests']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        searchIn="Number, room, or description"
        filters={FILTERS}
        empty={
          <EmptyState icon="homes" title="No warranty requests yet">
            Owners report issues after closing. Record what they report by phone or email.
          </EmptyState>
        }
      />
      {isNew && <RequestForm onClose={() => setIsNew(false)} />}
      {sent !== null && <DispatchForm request={sent} onClose={() => setSent(null)} />}
    </Page>
  )
}
