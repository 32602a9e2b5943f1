import { Link } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { nameOf } from '../../api/names.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import type { Column } from '../../ui/table.tsx'

/** Returns the columns of a list of orders. The list of one home omits the home. */
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
            {inWords(scope)}
            {poType !== 'base' && `, ${poType}`}
          </span>
        </>
      ),
      csv: ({ number }) => number,
    },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="order" is={status} />,
      csv: ({ status }) => LOOKS.order[status].word,
    },
    {
      head: 'Vendor',
      cell: ({ vendorId }) => <Name of="vendor" id={vendorId} />,
      csv: ({ vendorId }) => nameOf('vendor', vendorId),
    },
    withHome
      ? {
          head: 'Home',
          cell: ({ homeId }) => <Name of="home" id={homeId} />,
          csv: ({ homeId }) => nameOf('home', homeId),
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
      head: 'Done',
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
