import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { HeldPermission, LedgerItem, LedgerReason, LedgerType } from '../../../client/contract.gen.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { ParamSelect, useQueryParam } from '../../ui/param-select.tsx'
import { ChangeError, EmptyState, LoadError } from '../../ui/states.tsx'
import type { Look } from '../../ui/status-styles.ts'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ViewTabs } from '../../ui/view-tabs.tsx'
import { AccountingTabs } from './accounting-tabs.tsx'
import { isLedgerType, LEDGER_TYPE_OPTIONS, LEDGER_TYPE_WORDS } from './ledger-words.ts'
import { RecordLink } from './record-link.tsx'

const PAGE_SIZE = 50

const REASONS = {
  new: { word: 'New', tone: 'flow', shape: 'ring' },
  changed: { word: 'Changed', tone: 'warn', shape: 'half' },
  error: { word: 'Failed', tone: 'bad', shape: 'x' },
} satisfies Record<LedgerReason, Look>

/** The permission that recording the result for a kind of record requires, besides that of payments. */
const WRITE_PERMISSIONS = {
  vendor: 'vendors:write',
  community: 'communities:write',
  home: 'homes:write',
  cost_code: 'budgets:write',
  contract: 'contracts:write',
  po: 'pos:write',
  bill: 'bills:write',
  payment: 'payments:write',
  journal: 'ledger:write',
} satisfies Record<LedgerType, HeldPermission>

/** Lists the records that the accounting system does not have yet, and the records that it rejected. */
export function Component() {
  const [params] = useSearchParams()
  const setAfter = useQueryParam('after')
  const after = params.get('after')
  const type = params.get('type')
  const isWaiting = params.get('waiting') === 'true'
  const queue = plumbline.useQuery(
    'get',
    '/api/ext/accounting/queue',
    {
      params: {
        query: {
          limit: PAGE_SIZE,
          ...(after !== null && { after }),
          ...(isLedgerType(type) && { type }),
          ...(isWaiting && { waiting: true }),
        },
      },
    },
    { meta: MAIN_QUERY },
  )
  const columns = useColumns()
  const data = queue.data
  // The service checks a limited number of records for each response, so a response can be empty before the end.
  const next = data?.items.length === 0 && data.hasMore ? data.resumeAfter : null
  useEffect(() => {
    if (next !== null) setAfter(next)
  })
  return (
    <Page title="Sync queue" crumbs={[{ name: 'Accounting' }]}>
      <div className="page-head">
        <h1>Accounting</h1>
        <p>Records that your accounting system does not have yet, in the order in which they changed.</p>
      </div>
      <AccountingTabs />
      <ViewTabs
        label="Queue"
        name="waiting"
        views={[
          { value: undefined, word: 'To sync now' },
          { value: 'true', word: 'Failed, waiting for a retry' },
        ]}
      />
      <search className="filters">
        <ParamSelect
          name="type"
          label="Records"
          options={[{ value: '', label: 'All records' }, ...LEDGER_TYPE_OPTIONS]}
        />
      </search>
      <div className="table-wrap">
        {queue.error !== null ? (
          <LoadError what="The sync queue" error={queue.error} onRetry={() => void queue.refetch()} />
        ) : data?.items.length === 0 && !data.hasMore ? (
          <EmptyState
            icon="check"
            title={after !== null ? 'No more records' : isWaiting ? 'No failed records' : 'Everything is synced'}
          >
            {isWaiting
              ? 'Records that your accounting system rejected appear here until their next retry.'
              : 'New and changed records appear here until your accounting system confirms them.'}
          </EmptyState>
        ) : (
          <Table
            caption="Records to sync"
            columns={columns}
            rows={next === null ? data?.items : undefined}
            keyOf={({ id }) => id}
          />
        )}
      </div>
      {data !== undefined && (data.hasMore || after !== null) && (
        <div className="pager">
          <span aria-live="polite">{formatCount(data.items.length, 'record')}</span>
          <span className="btns">
            <Button small disabled={after === null} onClick={() => setAfter('')}>
              First page
            </Button>
            <Button small disabled={!data.hasMore} onClick={() => setAfter(data.resumeAfter)}>
              Next
            </Button>
          </span>
        </div>
      )}
    </Page>
  )
}

function useColumns(): readonly Column<LedgerItem>[] {
  const { cents, time } = useFormats()
  return [
    {
      head: 'Record',
      cell: ({ id, type, label }) => (
        <>
          <RecordLink id={id} label={label} />
          <span className="sub">{LEDGER_TYPE_WORDS[type][0]}</span>
        </>
      ),
    },
    {
      head: 'Status',
      cell: ({ reason, error }) => (
        <>
          <Badge look={REASONS[reason]} />
          {error !== null && (
            <span className="sub">
              {error.message} {formatCount(error.attempts, 'attempt')}, next retry {time(error.retryAt)}.
            </span>
          )}
        </>
      ),
    },
    {
      head: 'Amount',
      numeric: true,
      cell: ({ amount }) => (amount === null ? <EmptyCell /> : cents(amount)),
    },
    {
      head: 'Accounting ID',
      cell: ({ accountingId }) => accountingId ?? <EmptyCell word="not assigned" />,
    },
    { head: 'Changed', className: 'nowrap', cell: ({ updatedAt }) => <TimeText at={updatedAt} /> },
    { head: 'Result', cell: (item) => <ResultButton item={item} /> },
  ]
}

/** Returns a failed record to the queue, so that it is synced again without waiting. */
function RetryButton({ item: { id, version, label } }: { item: LedgerItem }) {
  const change = plumbline.useMutation('post', '/api/ext/accounting/acknowledgements', {
    onSuccess: ({ rows: [row] }) => showToast(row?.problem?.detail ?? `${label} returned to the queue`),
  })
  return (
    <>
      <Button
        small
        icon="refresh"
        busy={change.isPending}
        onClick={() => change.mutate({ body: { rows: [{ id, version, retry: true }] } })}
      >
        Retry now<span className="sr"> {label}</span>
      </Button>
      <ChangeError error={change.error} />
    </>
  )
}

/** Records the result of a record that a user entered into the accounting system by hand. */
function ResultButton({ item }: { item: LedgerItem }) {
  const can = useCan()
  const [open, setOpen] = useState<'synced' | 'failed' | null>(null)
  if (!can('payments:write') || !can(WRITE_PERMISSIONS[item.type])) return <EmptyCell word="view only" />
  return (
    <span className="row wrap">
      {item.error !== null && <RetryButton item={item} />}
      <Button small onClick={() => setOpen('synced')}>
        Mark as synced<span className="sr"> {item.label}</span>
      </Button>
      <Button small look="quiet" onClick={() => setOpen('failed')}>
        Report error<span className="sr"> for {item.label}</span>
      </Button>
      {open !== null && <ResultDialog item={item} isFailed={open === 'failed'} onClose={() => setOpen(null)} />}
    </span>
  )
}

function ResultDialog({ item, isFailed, onClose }: { item: LedgerItem; isFailed: boolean; onClose(): void }) {
  const { id, label, version, accountingId } = item
  const [refusal, setRefusal] = useState<string | null>(null)
  const change = plumbline.useMutation('post', '/api/ext/accounting/acknowledgements', {
    onSuccess({ rows: [row] }) {
      // The service reports the result of each row separately.
      if (row?.problem != null) {
        setRefusal(row.problem.detail)
        return
      }
      showToast(
        isFailed
          ? `Error recorded for ${label}`
          : row?.status === 'stale'
            ? `${label} has changed since and stays in the queue`
            : `${label} marked as synced`,
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title={isFailed ? `Report an error for ${label}` : `Mark ${label} as synced?`}
      size="narrow"
      word={isFailed ? 'Report error' : 'Mark as synced'}
      {...{ change, onClose }}
      onSubmit={(form) => {
        setRefusal(null)
        const own = isFailed ? readTextField(form, 'error') : readTextField(form, 'accountingId')
        change.mutate({
          body: {
            rows: [{ id, version, ...(isFailed ? { error: own ?? '' } : own !== undefined && { accountingId: own }) }],
          },
        })
      }}
    >
      {refusal !== null && (
        <div className="banner" data-tone="bad" role="alert">
          <Icon name="warn" />
          <div>{refusal}</div>
        </div>
      )}
      {isFailed ? (
        <TextField
          name="error"
          label="Error"
          pointer="/rows/0/error"
          hint="The record returns to the queue after a pause."
          autoFocus
        />
      ) : accountingId === null ? (
        <TextField
          name="accountingId"
          label="Accounting ID"
          pointer="/rows/0/accountingId"
          hint="ID of the record in your accounting system."
          autoFocus
        />
      ) : (
        <p>Confirm that {accountingId} in your accounting system matches the current record.</p>
      )}
    </FormDialog>
  )
}
