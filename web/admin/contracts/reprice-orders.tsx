import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import type {
  Contract,
  RepricedOrder,
  RepriceRequest,
  Repricing,
  UnpricedOrderLine,
} from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Form, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { trimInputPointers } from '../actions/call-action.ts'
import { PRICE_ISSUE_WORDS } from '../catalogue/price-issue-words.ts'
import { nameContract } from './contract-words.ts'

/** The page size limit of one request. A builder has fewer communities. */
const MAX_COMMUNITIES = 200
/** A user works through a few lines without a price at a time. */
const MAX_UNPRICED_SHOWN = 60

/** The page that applies the prices of a contract to the open orders of its vendor. It first shows what changes. */
export function Component() {
  const { contractId = '' } = useParams()
  const can = useCan()
  const contract = plumbline.useQuery('get', '/api/ext/contracts/{contractId}', { params: { path: { contractId } } })
  const { data } = contract
  const name = data === undefined ? 'Contract' : nameContract(data)
  return (
    <Page
      title={`Reprice orders, ${name}`}
      crumbs={[
        { name: 'Vendor contracts', to: '/catalogue/contracts' },
        { name, to: `/catalogue/contracts/${contractId}` },
        { name: 'Reprice orders' },
      ]}
    >
      <div className="page-head">
        <h1>Reprice orders</h1>
        <p>
          {data === undefined ? (
            'Apply the prices of a contract to the draft orders of its vendor.'
          ) : (
            <>
              Apply the prices of {name} to the draft orders of <RecordName of="vendor" id={data.vendorId} />. You see
              the new totals before anything changes.
            </>
          )}
        </p>
      </div>
      {contract.error !== null ? (
        <LoadError what="The contract" error={contract.error} onRetry={() => void contract.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={4} />
      ) : !can('pos:write') || !can('skills:write') ? (
        <EmptyState icon="lock" title="You cannot reprice orders">
          Ask an administrator for the permission to change orders and to run skills.
        </EmptyState>
      ) : data.status !== 'active' ? (
        <EmptyState icon="lock" title="Only an active contract has prices to apply">
          Activate {name} first.
        </EmptyState>
      ) : (
        <RepriceForm contract={data} />
      )}
    </Page>
  )
}

function RepriceForm({ contract }: { contract: Contract }) {
  const navigate = useNavigate()
  const { today } = useFormats()
  const [previewed, setPreviewed] = useState<RepriceRequest | null>(null)
  const communities = useListPage('/api/ext/communities', { limit: MAX_COMMUNITIES, sort: 'name' }).data?.data ?? []
  const preview = plumbline.useMutation('post', '/api/ext/execute', { meta: { changesNothing: true } })
  const result = previewed === null || preview.data === undefined ? null : (preview.data.result as unknown as Repricing)
  const reprice = plumbline.useMutation('post', '/api/ext/contracts/{contractId}/reprice', {
    onSuccess: ({ repriced }) => {
      showToast(`${formatCount(repriced.length, 'order')} repriced`)
      void navigate(`/orders?status=draft&vendorId=${contract.vendorId}`)
    },
  })
  const reset = () => {
    setPreviewed(null)
    preview.reset()
    reprice.reset()
  }
  const submit = (form: FormData) => {
    if (form.get('apply') !== null && previewed !== null)
      return reprice.mutate({ params: { path: { contractId: contract.id } }, body: previewed })
    const [effectiveDate, communityId] = [readTextField(form, 'effectiveDate'), readTextField(form, 'communityId')]
    const request = {
      ...(effectiveDate !== undefined && { effectiveDate }),
      ...(communityId !== undefined && { communityId }),
    }
    reprice.reset()
    preview.mutate(
      {
        body: {
          skill: 'repriceOpenPurchaseOrders',
          input: { contractId: contract.id, ...request },
          dryRun: true,
        },
      },
      { onSuccess: () => setPreviewed(request) },
    )
  }
  const isLater = contract.effectiveDate > today()
  return (
    <Form error={reprice.error ?? trimInputPointers(preview.error)} onSubmit={submit}>
      <div className="stack" onChange={() => previewed !== null && reset()}>
        <Panel title="Orders to reprice">
          <div className="form">
            <div className="form-row">
              <TextField
                name="effectiveDate"
                label="Prices on"
                type="date"
                defaultValue={isLater ? contract.effectiveDate : today()}
                hint="Each part gets the price that is valid on this day."
              />
              <SelectField
                name="communityId"
                label="Community"
                optional
                options={[
                  { value: '', label: 'All communities' },
                  ...communities.map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            </div>
            <div className="row">
              <Button type="submit" look={result === null ? 'primary' : 'plain'} busy={preview.isPending}>
                Preview new totals
              </Button>
            </div>
          </div>
        </Panel>
      </div>
      {result !== null && <Preview result={result} isPending={reprice.isPending} />}
    </Form>
  )
}

function Preview({ result, isPending }: { result: Repricing; isPending: boolean }) {
  const { day, cents } = useFormats()
  const { repriced, reported, unchanged, unpriced, effectiveDate } = result
  const difference = sumDifferences(repriced)
  return (
    <div className="stack">
      <Panel
        title="Drafts with new prices"
        hint={`prices on ${day(effectiveDate)}`}
        isFlush
        foot={
          repriced.length > 0 && (
            <div className="row wrap">
              <span className="muted">
                This is a preview. Nothing has been changed yet.
                {unchanged > 0 &&
                  ` ${formatCount(unchanged, 'draft')} already ${unchanged === 1 ? 'has' : 'have'} these prices.`}
              </span>
              <Button className="push" look="primary" type="submit" name="apply" value="yes" busy={isPending}>
                Reprice {formatCount(repriced.length, 'order')}
              </Button>
            </div>
          )
        }
      >
        {repriced.length === 0 ? (
          <EmptyState icon="check" title="No drafts to change">
            {unchanged === 0
              ? 'The vendor has no draft orders with parts.'
              : `${formatCount(unchanged, 'draft')} already ${unchanged === 1 ? 'has' : 'have'} these prices.`}
          </EmptyState>
        ) : (
          <OrderTotals caption="Drafts with new prices" orders={repriced} difference={difference} />
        )}
      </Panel>
      {reported.length > 0 && (
        <Panel title="Orders that keep their prices" hint="no longer drafts" isFlush>
          <div className="banner inset" data-tone="warn">
            <Icon name="warn" />
            <span>
              These orders are approved or with the vendor and do not change. At the new prices, their totals would
              differ by {cents(sumDifferences(reported))}. To change one of them, create a change order on its page.
            </span>
          </div>
          <OrderTotals
            caption="Orders that keep their prices"
            orders={reported}
            difference={sumDifferences(reported)}
          />
        </Panel>
      )}
      {unpriced.length > 0 && <UnpricedLines lines={unpriced} />}
    </div>
  )
}

function sumDifferences(orders: readonly RepricedOrder[]): number {
  return orders.reduce((sum, { before, after }) => sum + after - before, 0)
}

function OrderTotals(props: { caption: string; orders: readonly RepricedOrder[]; difference: number }) {
  const { caption, orders, difference } = props
  const { currency } = useSession().organization
  const { exact } = useFormats()
  const signed = (amount: number) => `${amount > 0 ? '+' : ''}${exact(amount)}`
  const columns: readonly Column<RepricedOrder>[] = [
    { head: 'Order', cell: ({ orderId, number }) => <Link to={`/orders/${orderId}`}>{number}</Link> },
    { head: 'Status', cell: ({ status }) => <Status of="order" is={status} /> },
    { head: `Total now, ${currency}`, numeric: true, cell: ({ before }) => exact(before) },
    { head: `New total, ${currency}`, numeric: true, cell: ({ after }) => <b>{exact(after)}</b> },
    { head: 'Difference', numeric: true, cell: ({ before, after }) => signed(after - before) },
  ]
  return (
    <>
      <div className="table-wrap">
        <Table caption={caption} columns={columns} rows={orders} keyOf={({ orderId }) => orderId} />
      </div>
      <p className="muted inset">
        Together {signed(difference)} {currency}.
      </p>
    </>
  )
}

function UnpricedLines({ lines }: { lines: readonly UnpricedOrderLine[] }) {
  const columns: readonly Column<UnpricedOrderLine>[] = [
    { head: 'Order', cell: ({ orderId, number }) => <Link to={`/orders/${orderId}`}>{number}</Link> },
    { head: 'Part', cell: ({ partId }) => <RecordName of="part" id={partId} /> },
    { head: 'Quantity', numeric: true, cell: ({ quantity }) => formatQuantity(quantity) },
    { head: 'Reason', cell: ({ issue }) => PRICE_ISSUE_WORDS[issue] },
  ]
  return (
    <Panel title="Lines without a price" hint={`${formatCount(lines.length, 'line')} that do not change`} isFlush>
      <div className="table-wrap">
        <Table
          caption="Lines without a price"
          columns={columns}
          rows={lines.slice(0, MAX_UNPRICED_SHOWN)}
          keyOf={({ orderId, lineId }) => `${orderId} ${lineId}`}
        />
      </div>
      {lines.length > MAX_UNPRICED_SHOWN && (
        <p className="muted">And {formatCount(lines.length - MAX_UNPRICED_SHOWN, 'more line')}.</p>
      )}
    </Panel>
  )
}
