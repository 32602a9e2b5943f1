import { useNavigate, useSearchParams } from 'react-router'
import type { Event, Payment, PaymentMethod } from '../../../client/contract.gen.ts'
import type { SkillInput } from '../../../client/skills.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ParamSelect, useQueryParam } from '../../ui/param-select.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { ChangeError, EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { PaymentsTabs } from './payments-tabs.tsx'
import { SkippedOrders } from './skipped-orders.tsx'

const METHODS = ['check', 'ach', 'card', 'other'] satisfies PaymentMethod[]
const MAX_NAMED = 200

/**
 * Shows the orders that can be paid now, and the reasons why other orders cannot be paid. The data comes from a dry run
 * of a payment run until the user creates the run.
 */
export function Component() {
  const can = useCan()
  return (
    <Page title="Payable" crumbs={[{ name: 'Payments' }]}>
      <div className="page-head">
        <h1>Payments</h1>
        <p>Amounts that the next payment run would pay or skip.</p>
      </div>
      <PaymentsTabs />
      {can('payments:write') && can('skills:write') ? (
        <TrialRun />
      ) : (
        <section className="panel">
          <EmptyState icon="payments" title="You cannot create payments">
            See the Payments tab for payments that were made.
          </EmptyState>
        </section>
      )}
    </Page>
  )
}

function TrialRun() {
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const { today, cents } = useFormats()
  const throughDate = params.get('through') ?? today()
  const communityId = params.get('community')
  const method = METHODS.find((one) => one === params.get('method')) ?? 'check'
  const run: SkillInput<'createPaymentRun'> = { throughDate, method, ...(communityId !== null && { communityId }) }
  const trial = useDryRun('createPaymentRun', run)
  const communities = useListPage('/api/ext/communities', { limit: MAX_NAMED, sort: 'name' }).data?.data ?? []
  const make = plumbline.useMutation('post', '/api/ext/payment-runs', {
    onSuccess: ({ id, number, paymentIds }) => {
      showToast(`${number} created with ${formatCount(paymentIds.length, 'payment')}`)
      void navigate(`/payments/runs/${id}`)
    },
  })
  const setThrough = useQueryParam('through')
  const result = trial.data?.result
  const payments = trial.data?.events.flatMap(readPayments)
  return (
    <>
      <search className="filters">
        <label className="row">
          Due through
          <input
            className="input"
            type="date"
            value={throughDate}
            onChange={(event) => setThrough(event.target.value)}
          />
        </label>
        <ParamSelect
          name="community"
          label="Community"
          options={[
            { value: '', label: 'All communities' },
            ...communities.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <ParamSelect
          name="method"
          label="Method"
          options={METHODS.map((one, at) => ({ value: at === 0 ? '' : one, label: humanizeName(one) }))}
        />
      </search>
      <ChangeError error={make.error ?? trial.error} />
      {result !== undefined && payments !== undefined && payments.length > 0 && (
        <div className="banner" data-tone="warn" role="status">
          <Icon name="eye" />
          <div>
            <strong>
              This run creates {formatCount(payments.length, 'payment')} totaling {cents(result.amount)}.
            </strong>{' '}
            <span className="muted">
              {result.discountAmount > 0 &&
                `${cents(result.discountAmount)} can be saved by paying before the discount dates. `}
              This is a preview. Nothing has been changed yet. Approve and pay each payment after the run.
            </span>
          </div>
          <Button
            look="primary"
            busy={make.isPending}
            disabled={trial.isFetching}
            onClick={() => make.mutate({ body: run })}
          >
            Create {formatCount(payments.length, 'payment')}
          </Button>
        </div>
      )}
      <Panel title="Payments to create" hint={result === undefined ? undefined : cents(result.amount)} isFlush>
        {payments?.length === 0 ? (
          <EmptyState icon="check" title="Nothing to pay by this date">
            Work that is due is already on a payment, or is listed below with a reason.
          </EmptyState>
        ) : (
          <PayablePayments rows={payments} />
        )}
      </Panel>
      {result !== undefined && result.skipped.length > 0 && (
        <Panel
          title="Skipped amounts"
          hint={`${formatCount(result.skipped.length, 'entry', 'entries')} with reasons`}
          isFlush
        >
          <SkippedOrders skips={result.skipped} />
        </Panel>
      )}
    </>
  )
}

function readPayments(event: Event): Payment[] {
  return event.type === 'payment.created' ? [event.data.object as Payment] : []
}

function PayablePayments({ rows }: { rows: readonly Payment[] | undefined }) {
  const { cents, day } = useFormats()
  const columns: readonly Column<Payment>[] = [
    { head: 'Vendor', cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} /> },
    {
      head: 'Orders',
      cell: ({ allocations }) =>
        [...new Set(allocations.map(({ poId }) => poId))].map((poId, at) => (
          <span key={poId}>
            {at > 0 && ', '}
            {poId === null ? <EmptyCell word="no order" /> : <RecordName of="order" id={poId} />}
          </span>
        )),
    },
    { head: 'Due', className: 'nowrap', cell: ({ dueDate }) => day(dueDate) },
    { head: 'Amount before retainage', numeric: true, cell: ({ grossAmount }) => cents(grossAmount) },
    { head: 'Retainage held', numeric: true, cell: ({ retainageWithheld }) => cents(retainageWithheld) },
    { head: 'Discount', numeric: true, cell: ({ discountAmount }) => cents(discountAmount) },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount) },
  ]
  return (
    <div className="table-wrap">
      <Table caption="Payments to create" columns={columns} rows={rows} keyOf={({ id }) => id} expected={4} />
    </div>
  )
}
