import { Link } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { RecordName } from '../../ui/record-name.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import type { Column } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** Returns the columns for a list of orders. In the list of one home, there is no column for the home. */
export function useOrderColumns(withHome: boolean): readonly Column<PurchaseOrder>[] {
  const { money, day, dateOf } = useFormats()
  const columns: readonly (Column<PurchaseOrder> | null)[] = [
    {
      head: 'Order',
      sort: 'number',
      cell: ({ id, number, scope, poType }) => (
        <>
          <Link className="lead" to={`/orders/${id}`}>
            {number}
          </Link>
          <span className="sub">
            {humanizeName(scope)}
            {poType !== 'base' && `, ${poType}`}
          </span>
        </>
      ),
      csv: ({ number }) => number,
    },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="order" is={status} />,
      csv: ({ status }) => STATUS_LOOKS.order[status].word,
    },
    {
      head: 'Vendor',
      cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} />,
      csv: ({ vendorId }) => fetchRecordName('vendor', vendorId),
    },
    withHome
      ? {
          head: 'Home',
          cell: ({ homeId }) => <RecordName of="home" id={homeId} />,
          csv: ({ homeId }) => fetchRecordName('home', homeId),
        }
      : null,
    {
      head: 'Total',
      numeric: true,
      sort: 'total',
      cell: ({ total }) => money(total),
      csv: ({ total }) => total,
    },
    {
      head: 'Completed',
      numeric: true,
      cell: ({ completedAmount }) => money(completedAmount),
      csv: ({ completedAmount }) => completedAmount,
    },
    { head: 'Paid', numeric: true, cell: ({ paidAmount }) => money(paidAmount), csv: ({ paidAmount }) => paidAmount },
    {
      head: 'Payable',
      numeric: true,
      cell: ({ payableAmount }) => money(payableAmount),
      csv: ({ payableAmount }) => payableAmount,
    },
    {
      head: 'Created',
      sort: 'createdAt',
      isWideOnly: true,
      className: 'nowrap',
      cell: ({ createdAt }) => day(dateOf(createdAt)),
      csv: ({ createdAt }) => createdAt,
    },
  ]
  return columns.filter((column) => column !== null)
}
