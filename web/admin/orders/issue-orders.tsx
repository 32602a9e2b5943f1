import { useMemo, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import type { ExecutionOf } from '../../../client/skills.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun, useSkill } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { ChangeError, EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The number of orders that one request can issue. */
const MAX_ORDERS = 50

type Result = ExecutionOf<'issuePurchaseOrders'>['result']

/** The page that issues several approved orders at once. It first shows which orders cannot be issued, and why. */
export function Component() {
  const can = useCan()
  return (
    <Page title="Issue orders" crumbs={[{ name: 'Orders', to: '/orders' }, { name: 'Issue orders' }]}>
      <div className="page-head">
        <h1>Issue orders</h1>
        <p>Send approved orders to their vendors.</p>
      </div>
      {can('pos:write') && can('skills:write') ? (
        <ApprovedOrders />
      ) : (
        <EmptyState icon="lock" title="You cannot issue orders">
          Ask an administrator for the permission to change orders and to run skills.
        </EmptyState>
      )}
    </Page>
  )
}

function ApprovedOrders() {
  const homeId = useSearchParams()[0].get('homeId')
  const orders = useListPage('/api/ext/purchase-orders', {
    status: 'approved',
    sort: 'createdAt',
    limit: MAX_ORDERS,
    ...(homeId !== null && { homeId }),
  })
  if (orders.error !== null)
    return <LoadError what="The orders" error={orders.error} onRetry={() => void orders.refetch()} />
  if (orders.data === undefined) return <SkeletonLines lines={6} />
  if (orders.data.data.length === 0) {
    return (
      <EmptyState
        icon="orders"
        title="No orders to issue"
        actions={
          <Link className="btn" to="/orders/approvals">
            Open approvals
          </Link>
        }
      >
        An order can be issued after its approval.
      </EmptyState>
    )
  }
  return <IssueForm orders={orders.data.data} hasMore={orders.data.nextCursor !== null} />
}

function IssueForm({ orders, hasMore }: { orders: readonly PurchaseOrder[]; hasMore: boolean }) {
  const navigate = useNavigate()
  const { cents } = useFormats()
  // At first, no order is left out.
  const [left, setLeft] = useState<readonly string[]>([])
  const chosen = orders.filter(({ id }) => !left.includes(id))
  const poIds = chosen.map(({ id }) => id)
  const trial = useDryRun('issuePurchaseOrders', { poIds }, { enabled: poIds.length > 0 })
  const entries = useMemo(
    () => ({ current: left, isChanged: left.length > 0, restore: setLeft, isWhole: true }),
    [left],
  )
  const issue = useSkill('issuePurchaseOrders', {
    onSuccess: ({ result: { issued, heldBack } }) => {
      showToast(
        heldBack.length === 0
          ? `${formatCount(issued.length, 'order')} issued`
          : `${formatCount(issued.length, 'order')} issued, ${heldBack.length} not issued`,
      )
      void navigate('/orders?status=issued')
    },
  })
  const result = poIds.length === 0 ? undefined : trial.data?.result
  const held = new Map(result?.heldBack.map(({ id, problem }) => [id, problem.detail]))
  return (
    <Form error={issue.error} entries={entries} onSubmit={() => issue.run({ poIds })}>
      {issue.error === null && poIds.length > 0 && <ChangeError error={trial.error} />}
      {hasMore && <p className="muted">These are the {MAX_ORDERS} oldest approved orders. Issue them first.</p>}
      <Panel title="Approved orders" hint={formatCount(orders.length, 'order')} isFlush>
        <ul className="line-list pick">
          {orders.map((order) => (
            <li key={order.id}>
              <label className="check top">
                <input
                  type="checkbox"
                  checked={!left.includes(order.id)}
                  onChange={(event) =>
                    setLeft(event.target.checked ? left.filter((id) => id !== order.id) : [...left, order.id])
                  }
                />
                <span>
                  <b>{order.number}</b> {humanizeName(order.scope)},{' '}
                  <RecordName of="vendor" id={order.vendorId} isPlain />,{' '}
                  <RecordName of="home" id={order.homeId} isPlain />
                  {!left.includes(order.id) && held.has(order.id) && (
                    <span className="hint tone-bad"> Cannot be issued: {held.get(order.id)}</span>
                  )}
                </span>
              </label>
              <span className="num">{cents(order.total)}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <IssueEffect result={result} isChosen={poIds.length > 0} />
      <div className="row">
        <Button
          look="primary"
          icon="send"
          type="submit"
          busy={issue.isPending}
          disabled={result === undefined || result.issued.length === 0 || trial.isFetching}
        >
          {result === undefined ? 'Issue orders' : `Issue ${formatCount(result.issued.length, 'order')}`}
        </Button>
      </div>
    </Form>
  )
}

function IssueEffect({ result, isChosen }: { result: Result | undefined; isChosen: boolean }) {
  const { cents } = useFormats()
  if (!isChosen) return <p className="muted">Choose at least one order.</p>
  if (result === undefined) return <SkeletonLines lines={1} />
  return (
    <div className="banner" {...(result.heldBack.length > 0 && { 'data-tone': 'warn' })} role="status">
      <Icon name={result.heldBack.length > 0 ? 'warn' : 'info'} />
      <span>
        {formatCount(result.issued.length, 'order')} of {cents(result.total)} will be issued, and the vendors will be
        notified.{result.heldBack.length > 0 && ` ${formatCount(result.heldBack.length, 'order')} cannot be issued.`}{' '}
        This is a preview. Nothing has been changed yet.
      </span>
    </div>
  )
}
