import { Link } from 'react-router'
import type { Payment } from '../../../client/contract.gen.ts'
import { nameOf } from '../../api/names.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import { type Column, None } from '../../ui/table.tsx'

/** Returns the columns of a list of payments. The list of one home omits the home. */
export function usePaymentColumns(withHome: boolean): readonly Column<Payment>[] {
  const { money, day } = useFormats()
  const columns: readonly (Column<Payment> | null)[] = [
    {
      head: 'Payment',
      sort: 'number',
      cell: ({ id, number, paymentType }) => (
        <>
          <Link className="lead" to={`/payments/${id}`}>
            {number}
          </Link>
          <span className="sub">{inWords(paymentType)}</span>
        </>
      ),
      csv: ({ number }) => number,
    },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="payment" is={status} />,
      csv: ({ status }) => LOOKS.payment[status].word,
    },
    {
      head: 'Vendor',
      cell: ({ vendorId }) => <Name of="vendor" id={vendorId} />,
      csv: ({ vendorId }) => nameOf('vendor', vendorId),
    },
    withHome
      ? {
          head: 'Home',
          cell: ({ homeId }) => (homeId === null ? <None word="several" /> : <Name of="home" id={homeId} />),
          csv: ({ homeId }) => (homeId === null ? null : nameOf('home', homeId)),
        }
      : null,
    {
      head: 'Invoice',
      isWideOnly: true,
      cell: ({ invoiceNumber }) => invoiceNumber ?? <None />,
      csv: ({ invoiceNumber }) => invoiceNumber,
    },
    {
      head: 'Due',
      sort: 'dueDate',
      className: 'nowrap',
      cell: ({ dueDate, paidDate }) =>
        paidDate === null ? (
          day(dueDate)
        ) : (
          <>
            {day(paidDate)} <span className="faint">paid</span>
          </>
        ),
      csv: ({ dueDate }) => dueDate,
    },
    {
      head: 'Retainage held',
      numeric: true,
      cell: ({ retainageWithheld }) => money(retainageWithheld),
      csv: ({ retainageWithheld }) => retainageWithheld,
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => money(amount), csv: ({ amount }) => amount },
  ]
  return columns.filter((column) => column !== null)
}
