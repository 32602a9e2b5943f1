import { useState } from 'react'
import { Link } from 'react-router'
import type { PeriodClose, PeriodState } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { AccountingTabs } from './accounting-tabs.tsx'

/** The maximum number of periods: eight years, because a builder closes one period a month. */
const MAX_PERIODS = 100

/** Lists the closed accounting periods, with forms to close and reopen them. */
export function Component() {
  const can = useCan()
  const { day } = useFormats()
  const [open, setOpen] = useState<'close' | 'reopen' | null>(null)
  const state = plumbline.useQuery('get', '/api/ext/ledger/close')
  const columns = useColumns()
  const closedThrough = state.data?.closedThrough ?? null
  const close = () => setOpen(null)
  const actions = state.data !== undefined && (
    <>
      {closedThrough !== null && can('period_reopening:write') && (
        <Button onClick={() => setOpen('reopen')}>Reopen periods</Button>
      )}
      {can('ledger:write') && (
        <Button look="primary" onClick={() => setOpen('close')}>
          Close period
        </Button>
      )}
    </>
  )
  return (
    <Page title="Periods" crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Periods' }]} actions={actions}>
      <div className="page-head">
        <h1>Accounting periods</h1>
        <p>
          {closedThrough === null
            ? 'Every day is open. Close a month after its costs are complete.'
            : `Closed through ${day(closedThrough)}. No amounts can be posted to these days.`}
        </p>
      </div>
      <AccountingTabs />
      {state.error !== null && (
        <LoadError what="The period close" error={state.error} onRetry={() => void state.refetch()} />
      )}
      <Listing
        path="/api/ext/ledger/closes"
        nouns={['period', 'periods']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        empty={
          <EmptyState icon="lock" title="No closed periods yet" actions={actions}>
            A closed period keeps its balances: later documents are posted on the first open day.
          </EmptyState>
        }
      />
      {open === 'close' && state.data !== undefined && <CloseDialog state={state.data} onClose={close} />}
      {open === 'reopen' && state.data !== undefined && <ReopenDialog state={state.data} onClose={close} />}
    </Page>
  )
}

function useColumns(): readonly Column<PeriodClose>[] {
  const { day } = useFormats()
  return [
    {
      head: 'Period',
      cell: ({ fromDate, throughDate }) => (
        <span className="lead">
          {fromDate === null ? 'Through' : `${day(fromDate)} to`} {day(throughDate)}
        </span>
      ),
      csv: ({ throughDate }) => throughDate,
    },
    {
      head: 'Status',
      cell: ({ status, reopenReason }) => (
        <>
          {status === 'closed' ? 'Closed' : 'Reopened'}
          {reopenReason !== null && <span className="sub clip">{reopenReason}</span>}
        </>
      ),
      csv: ({ status }) => status,
    },
    {
      head: 'Postings',
      numeric: true,
      cell: ({ postingCount }) => postingCount,
      csv: ({ postingCount }) => postingCount,
    },
    {
      head: 'Timesheets not approved',
      numeric: true,
      isWideOnly: true,
      cell: ({ unapprovedTimesheetCount: count }) => (count === 0 ? <EmptyCell word="none" /> : count),
      csv: ({ unapprovedTimesheetCount }) => unapprovedTimesheetCount,
    },
    { head: 'Closed by', cell: ({ createdBy }) => <ActorName of={createdBy} />, csv: ({ createdBy }) => createdBy.id },
    {
      head: 'Closed',
      sort: 'createdAt',
      className: 'nowrap',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
  ]
}

interface Props {
  state: PeriodState
  onClose(): void
}

/** The page size limit of one request. More open documents are counted as that many. */
const MAX_OPEN = 200

function CloseDialog({ state, onClose }: Props) {
  const { day, today } = useFormats()
  const [throughDate, setThroughDate] = useState('')
  const change = plumbline.useMutation('post', '/api/ext/ledger/close', {
    onSuccess: ({ throughDate }) => {
      showToast(`Period through ${day(throughDate)} closed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Close period"
      size="narrow"
      word="Close period"
      {...{ change, onClose }}
      onSubmit={(form) => change.mutate({ body: { throughDate: readTextField(form, 'throughDate') ?? '' } })}
    >
      <Field name="throughDate" label="Last day to close">
        {(control) => (
          <input
            {...control}
            className="input"
            type="date"
            min={state.earliestDate ?? undefined}
            max={today()}
            value={throughDate}
            onChange={(event) => setThroughDate(event.target.value)}
          />
        )}
      </Field>
      {throughDate !== '' && <OpenDocuments throughDate={throughDate} />}
      <p className="muted">
        From then on, nothing is posted to these days. Later documents are posted on the first open day. Only an owner
        can reopen a period.
      </p>
    </FormDialog>
  )
}

/** Warns of bills and time in the period that are not approved, because their cost would be posted later. */
function OpenDocuments({ throughDate }: { throughDate: string }) {
  const can = useCan()
  const query = { limit: MAX_OPEN, sort: 'createdAt' } as const
  const bills = useListPage('/api/ext/bills', { ...query, status: 'received' }, { enabled: can('bills:read') })
  const mayReadTime = can('timesheets:read')
  const open = useListPage('/api/ext/timesheets', { ...query, status: 'open' }, { enabled: mayReadTime })
  const submitted = useListPage('/api/ext/timesheets', { ...query, status: 'submitted' }, { enabled: mayReadTime })
  const billCount = (bills.data?.data ?? []).filter(({ postingDate }) => postingDate <= throughDate).length
  const timesheets = [...(open.data?.data ?? []), ...(submitted.data?.data ?? [])]
  const timesheetCount = timesheets.filter(
    ({ weekStarting, totalHours }) => weekStarting <= throughDate && totalHours > 0,
  ).length
  if (billCount === 0 && timesheetCount === 0) return null
  return (
    <div className="banner" data-tone="warn" role="status">
      <Icon name="warn" />
      <div>
        <strong>The period has documents that are not approved.</strong>
        {billCount > 0 && (
          <p>
            <Link to="/payments/bills?status=received">{formatCount(billCount, 'received bill')}</Link>
          </p>
        )}
        {timesheetCount > 0 && (
          <p>
            <Link to="/time/approval">{formatCount(timesheetCount, 'timesheet')}</Link>
          </p>
        )}
        <p className="muted">If you approve them later, their cost is posted on the first open day.</p>
      </div>
    </div>
  )
}

function ReopenDialog({ state, onClose }: Props) {
  const { day } = useFormats()
  const closes = useListPage('/api/ext/ledger/closes', { limit: MAX_PERIODS, sort: '-createdAt' })
  const change = plumbline.useMutation('post', '/api/ext/ledger/close/reopen', {
    onSuccess: ({ closedThrough }) => {
      showToast(closedThrough === null ? 'All periods reopened' : `Periods after ${day(closedThrough)} reopened`)
      onClose()
    },
  })
  const earlier = (closes.data?.data ?? []).filter(
    ({ status, throughDate }) => status === 'closed' && throughDate !== state.closedThrough,
  )
  return (
    <FormDialog
      title="Reopen periods"
      size="narrow"
      word="Reopen periods"
      isDanger
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          body: {
            throughDate: readTextField(form, 'throughDate') ?? null,
            reason: readTextField(form, 'reason') ?? '',
          },
        })
      }
    >
      <SelectField
        name="throughDate"
        label="Periods to reopen"
        options={[
          ...earlier.map(({ throughDate }) => ({ value: throughDate, label: `Periods after ${day(throughDate)}` })),
          { value: '', label: 'All periods' },
        ]}
      />
      <TextField name="reason" label="Reason" hint="Recorded with the periods." />
      <p className="muted">Amounts can be posted to these periods again. The stored balances stay in the list.</p>
    </FormDialog>
  )
}
