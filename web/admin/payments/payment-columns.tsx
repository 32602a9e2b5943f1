import { Link } from 'react-router'
import type { Payment } from '../../../client/contract.gen.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { RecordName } from '../../ui/record-name.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** Returns the columns for a list of payments. In the list of one home, there is no column for the home. */
export function usePaymentColumns(withHome: boolean): readonly Column<Payment>[] {
  const { cents, day } = useFormats()
  const columns: readonly (Column<Payment> | null)[] = [
    {
      head: 'Payment',
      sort: 'number',
      cell: ({ id, number, paymentType }) => (
        <>
          <Link className="lead" to={`/payments/${id}`}>
            {number}
          </Link>
          <span className="sub">{humanizeName(paymentType)}</span>
        </>
      ),
      csv: ({ number }) => number,
    },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="payment" is={status} />,
      csv: ({ status }) => STATUS_LOOKS.payment[status].word,
    },
    {
      head: 'Vendor',
      cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} />,
      csv: ({ vendorId }) => fetchRecordName('vendor', vendorId),
    },
    withHome
      ? {
          head: 'Home',
          cell: ({ homeId }) => (homeId === null ? <EmptyCell word="several" /> : <RecordName of="home" id={homeId} />),
          csv: ({ homeId }) => (homeId === null ? null : fetchRecordName('home', homeId)),
        }
      : null,
    {
      head: 'Invoice',
      isWideOnly: true,
      cell: ({ invoiceNumber }) => invoiceNumber ?? <EmptyCell />,
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
      cell: ({ retainageWithheld }) => cents(retainageWithheld),
      csv: ({ retainageWithheld }) => retainageWithheld,
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount), csv: ({ amount }) => amount },
  ]
  return columns.filter((column) => column !== null)
}
