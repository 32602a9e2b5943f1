import { useEffect, useRef } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Form, readTextField, TextField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { isTypingKey } from '../../ui/keyboard.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatList } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ApprovalReasons } from './approval-reasons.tsx'
import { BudgetEffect } from './budget-effect.tsx'
import { OrderLines } from './order-lines.tsx'
import { OrdersTabs } from './orders-tabs.tsx'

/** The maximum number of orders in the queue, oldest first. Later orders appear after these have been decided. */
const MAX_QUEUE_LENGTH = 50

/** Shows the queue of orders that await approval, each with its effect on the budget and buttons for the decision. */
export function Component() {
  useLiveUpdates('watching')
  const [params] = useSearchParams()
  const queue = useListPage('/api/ext/purchase-orders', {
    status: 'pending_approval',
    sort: 'createdAt',
    limit: MAX_QUEUE_LENGTH,
  })
  const { money } = useFormats()
  const orders = queue.data?.data
  const chosen = orders?.find(({ id }) => id === params.get('order')) ?? orders?.[0]
  useQueueKeys(orders ?? [], chosen)
  const total = orders?.reduce((sum, order) => sum + order.total, 0) ?? 0
  return (
    <Page title="Orders to approve" crumbs={[{ name: 'Orders', to: '/orders' }, { name: 'To approve' }]}>
      <div className="page-head">
        <h1>Orders</h1>
        <p>
          {orders === undefined
            ? ' '
            : orders.length === 0
              ? 'No orders to approve.'
              : `Orders that need approval: ${money(total)} in total.`}
        </p>
      </div>
      <OrdersTabs waiting={orders?.length} />
      {queue.error !== null ? (
        <LoadError what="Orders to approve" error={queue.error} onRetry={() => void queue.refetch()} />
      ) : orders === undefined ? (
        <SkeletonLines lines={6} />
      ) : chosen === undefined ? (
        <section className="panel">
          <EmptyState icon="check" title="No orders to approve">
            Orders above the requester’s approval limit or above the budget appear here.
          </EmptyState>
        </section>
      ) : (
        <section className="panel split" aria-label="Approval queue">
          <div className="list">
            <h2 className="sr">Waiting</h2>
            <ul className="queue">
              {orders.map((order) => (
                <WaitingOrder key={order.id} order={order} isChosen={order.id === chosen.id} />
              ))}
            </ul>
            <p className="small faint hint-keys">
              <kbd>j</kbd> <kbd>k</kbd> move · <kbd>a</kbd> approve · <kbd>r</kbd> send back
            </p>
          </div>
          <ApprovalDecision key={chosen.id} order={chosen} />
        </section>
      )}
    </Page>
  )
}

function WaitingOrder({ order, isChosen }: { order: PurchaseOrder; isChosen: boolean }) {
  const { money, left, dateOf } = useFormats()
  return (
    <li>
      <Link to={`?order=${order.id}`} replace aria-current={isChosen ? 'true' : undefined}>
        <b className="clip">
          <RecordName of="vendor" id={order.vendorId} isPlain />
        </b>
        <span className="num strong">{money(order.total)}</span>
        <small className="clip">
          {humanizeName(order.scope)}, <RecordName of="home" id={order.homeId} isPlain />
        </small>
        <small className="num">{left(dateOf(order.updatedAt))}</small>
        <small>{order.number}</small>
        <small className="num tone-warn">{describeReasons(order.approval.reasons)}</small>
      </Link>
    </li>
  )
}

function describeReasons(reasons: readonly string[]): string {
  if (reasons.length === 0) return 'requested'
  return formatList(reasons.map((reason) => (reason === 'over_limit' ? 'above limit' : 'over budget')))
}

function ApprovalDecision({ order }: { order: PurchaseOrder }) {
  const can = useCan()
  const { money, day, dateOf } = useFormats()
  const at = { params: { path: { poId: order.id } } }
  const change = plumbline.useMutation('post', '/api/ext/purchase-orders/{poId}/status', {
    onSuccess: ({ id, number, status }) =>
      showToast(status === 'draft' ? `${number} sent back` : `${number} approved`, {
        word: 'Open order',
        to: `/orders/${id}`,
      }),
  })
  // After the decision, the explanation is no longer needed, and the order is about to leave the queue.
  const why = plumbline.useQuery('get', '/api/ext/purchase-orders/{poId}/approval', at, {
    enabled: !change.isPending && !change.isSuccess,
  })
  const decide = (form: FormData) => {
    if (change.isPending) return
    const reason = readTextField(form, 'reason')
    const status = form.get('decision') === 'draft' ? 'draft' : 'approved'
    change.mutate({ ...at, body: { status, version: order.version, ...(reason !== undefined && { reason }) } })
  }
  return (
    <div className="detail stack">
      <div className="row wrap">
        <h2>
          <Link to={`/orders/${order.id}`}>{order.number}</Link>
        </h2>
        <Status of="order" is={order.status} />
        <span className="muted">
          {humanizeName(order.poType)} order for <RecordName of="home" id={order.homeId} />
        </span>
        <span className="push faint small">requested {day(dateOf(order.updatedAt))}</span>
      </div>
      {why.error !== null ? (
        <LoadError what="The approval details" error={why.error} onRetry={() => void why.refetch()} />
      ) : why.data === undefined ? (
        <SkeletonLines lines={2} />
      ) : (
        <ApprovalReasons of={why.data} />
      )}
      {can('budgets:read') && <BudgetEffect order={order} />}
      <OrderLines order={order} withProgress={false} />
      <KeyValues
        facts={[
          ['Vendor', <RecordName key="vendor" of="vendor" id={order.vendorId} />],
          ['Retainage', `${order.retainagePercent}%, ${money((order.total * order.retainagePercent) / 100)} in total`],
          [
            'Source',
            order.bidId !== null
              ? 'an awarded bid'
              : order.contractId !== null
                ? 'a contract'
                : 'lines entered manually',
          ],
          ...(order.parentPoId === null
            ? []
            : [['Follows', <RecordName key="parent" of="order" id={order.parentPoId} />] as const]),
          ...(order.varianceReasonCode === null
            ? []
            : [['Variance', describeVariance(order.varianceReasonCode, order.varianceResponsible)] as const]),
          ...(order.notes === null ? [] : [['Note', order.notes] as const]),
        ]}
      />
      {can('pos:write') && (
        <Form key={order.id} draft={order.id} error={change.error} onSubmit={decide} id="decision">
          <div className="approve">
            <TextField
              name="reason"
              label={
                <>
                  Note <span className="faint">required to send the order back</span>
                </>
              }
              placeholder="What should change?"
            />
            <div className="row">
              <Button type="submit" name="decision" value="draft">
                Send back
              </Button>
              <Button
                type="submit"
                look="primary"
                icon="check"
                name="decision"
                value="approved"
                busy={change.isPending}
                disabled={why.data?.mayApprove === false}
              >
                Approve {money(order.total)}
              </Button>
            </div>
          </div>
        </Form>
      )}
    </div>
  )
}

/** `Weather, responsible: builder` */
function describeVariance(reason: string, responsible: string | null): string {
  return responsible === null ? humanizeName(reason) : `${humanizeName(reason)}, responsible: ${responsible}`
}

/**
 * Adds keyboard shortcuts: `j` and `k` move through the queue, `a` approves the order, and `r` returns it. Returning an
 * order requires a note.
 */
function useQueueKeys(orders: readonly PurchaseOrder[], chosen: PurchaseOrder | undefined): void {
  const navigate = useNavigate()
  const state = useRef({ orders, chosen })
  useEffect(() => {
    state.current = { orders, chosen }
  }, [orders, chosen])
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isTypingKey(event)) return
      const { orders, chosen } = state.current
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      const next = orders[orders.findIndex(({ id }) => id === chosen?.id) + step]
      if (step !== 0 && next !== undefined) void navigate(`?order=${next.id}`, { replace: true })
      const form = document.querySelector<HTMLFormElement>('#decision')
      if (event.key === 'a') form?.querySelector<HTMLButtonElement>('button[value="approved"]')?.click()
      if (event.key === 'r') {
        event.preventDefault()
        form?.querySelector<HTMLInputElement>('input[name="reason"]')?.focus()
      }
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [navigate])
}
