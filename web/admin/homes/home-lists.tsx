import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Selection } from '../../../client/contract.gen.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { humanizeName, Status } from '../../ui/badge.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { Listing } from '../../ui/listing.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { useOrderColumns } from '../orders/order-columns.tsx'
import { usePaymentColumns } from '../payments/payment-columns.tsx'

function statusFilter(kind: 'order' | 'payment' | 'selection'): Filter {
  const options = Object.entries(STATUS_LOOKS[kind]).map(([value, { word }]) => ({ value, label: word }))
  return { name: 'status', label: 'Status', options }
}

/** Lists the home's orders. The budget page links here with a trade as the filter. */
export function HomeOrders({ homeId }: { homeId: string }) {
  const scope = useSearchParams()[0].get('scope')
  const filters = useMemo(
    () => [
      statusFilter('order'),
      ...(scope === null
        ? []
        : [{ name: 'scope', label: 'Trade', options: [{ value: scope, label: humanizeName(scope) }] }]),
    ],
    [scope],
  )
  return (
    <Listing
      path="/api/ext/purchase-orders"
      nouns={['order', 'orders']}
      columns={useOrderColumns(false)}
      keyOf={({ id }) => id}
      sort="number"
      searchIn="Number, notes, or lines"
      filters={filters}
      query={{ homeId }}
      empty={
        <EmptyState icon="orders" title="No orders yet">
          Award a bid, or create an order manually.
        </EmptyState>
      }
    />
  )
}

const PAYMENT_FILTERS = [statusFilter('payment')]

export function HomePayments({ homeId }: { homeId: string }) {
  return (
    <Listing
      path="/api/ext/payments"
      nouns={['payment', 'payments']}
      columns={usePaymentColumns(false)}
      keyOf={({ id }) => id}
      sort="-createdAt"
      searchIn="Number or invoice"
      filters={PAYMENT_FILTERS}
      query={{ homeId }}
      empty={
        <EmptyState icon="payments" title="No payments yet">
          Record progress on an order, then pay it with a payment run.
        </EmptyState>
      }
    />
  )
}

const SELECTION_FILTERS = [statusFilter('selection')]

export function HomeSelections({ homeId }: { homeId: string }) {
  const { money, difference, day, left } = useFormats()
  const columns = useMemo<readonly Column<Selection>[]>(
    () => [
      {
        head: 'Selection',
        cell: ({ optionId, customDescription, color, location }) => (
          <>
            <span className="lead">
              {optionId === null ? customDescription : <RecordName of="option" id={optionId} isPlain />}
            </span>
            <span className="sub">{[color, location].filter((part) => part !== null).join(', ')}</span>
          </>
        ),
        csv: ({ optionId, customDescription }) =>
          optionId === null ? customDescription : fetchRecordName('option', optionId),
      },
      {
        head: 'Status',
        cell: ({ status }) => <Status of="selection" is={status} />,
        csv: ({ status }) => STATUS_LOOKS.selection[status].word,
      },
      {
        head: 'Trade',
        isWideOnly: true,
        cell: ({ scope }) => (scope === null ? <EmptyCell word="several" /> : humanizeName(scope)),
        csv: ({ scope }) => scope,
      },
      {
        head: 'Deadline',
        className: 'nowrap',
        cell: ({ deadline, status }) =>
          deadline === null ? (
            <EmptyCell />
          ) : (
            <>
              {day(deadline)}
              {status === 'pending' && <span className="sub">{left(deadline)}</span>}
            </>
          ),
        csv: ({ deadline }) => deadline,
      },
      { head: 'Quantity', numeric: true, cell: (row) => formatQuantity(row.quantity), csv: (row) => row.quantity },
      {
        head: 'Cost',
        numeric: true,
        cell: ({ cost }) => (cost === null ? <EmptyCell word="not priced" /> : money(cost)),
        csv: ({ cost }) => cost,
      },
      {
        head: 'Price',
        numeric: true,
        cell: ({ price }) => (price === null ? <EmptyCell word="not priced" /> : money(price)),
        csv: ({ price }) => price,
      },
      {
        head: 'Price change',
        numeric: true,
        cell: (row) => (row.difference === null ? <EmptyCell word="not known" /> : difference(row.difference)),
        csv: (row) => row.difference,
      },
    ],
    [money, difference, day, left],
  )
  return (
    <Listing
      path="/api/ext/selections"
      nouns={['selection', 'selections']}
      columns={columns}
      keyOf={({ id }) => id}
      sort="createdAt"
      filters={SELECTION_FILTERS}
      query={{ homeId }}
      empty={
        <EmptyState icon="homes" title="No selections yet">
          Options that the buyer chooses appear here with deadline, cost and price.
        </EmptyState>
      }
    />
  )
}
