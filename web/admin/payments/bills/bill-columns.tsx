import { Link } from 'react-router'
import type { Bill } from '../../../../client/contract.gen.ts'
import { fetchRecordName } from '../../../api/record-names.ts'
import { Status } from '../../../ui/badge.tsx'
import { RecordName } from '../../../ui/record-name.tsx'
import { STATUS_LOOKS } from '../../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../../ui/table.tsx'
import { useFormats } from '../../../ui/use-formats.ts'

/** Returns the columns for a list of bills. */
export function useBillColumns(): readonly Column<Bill>[] {
  const { cents, day } = useFormats()
  return [
    {
      head: 'Bill',
      sort: 'number',
      cell: ({ id, number, billType, invoiceNumber }) => (
        <>
          <Link className="lead" to={`/payments/bills/${id}`}>
            {number}
          </Link>
          <span className="sub">
            {billType === 'credit_memo' && 'Credit memo '}
            {invoiceNumber ?? (billType === 'credit_memo' ? '' : 'no invoice number')}
          </span>
        </>
      ),
      csv: ({ number }) => number,
    },
    {
      head: 'Invoice number',
      isOnlyExported: true,
      cell: ({ invoiceNumber }) => invoiceNumber,
      csv: ({ invoiceNumber }) => invoiceNumber,
    },
    {
      head: 'Status',
      cell: ({ status, holdReason }) => (
        <>
          <Status of="bill" is={status} />
          {holdReason !== null && <span className="sub tone-warn">on hold</span>}
        </>
      ),
      csv: ({ status }) => STATUS_LOOKS.bill[status].word,
    },
    {
      head: 'Vendor',
      cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} />,
      csv: ({ vendorId }) => fetchRecordName('vendor', vendorId),
    },
    {
      head: 'Match',
      cell: ({ match }) => <Status of="billMatch" is={match} bare />,
      csv: ({ match }) => STATUS_LOOKS.billMatch[match].word,
    },
    {
      head: 'Invoice date',
      isWideOnly: true,
      className: 'nowrap',
      cell: ({ invoiceDate }) => day(invoiceDate),
      csv: ({ invoiceDate }) => invoiceDate,
    },
    {
      head: 'Due',
      sort: 'dueDate',
      className: 'nowrap',
      cell: ({ dueDate }) => day(dueDate),
      csv: ({ dueDate }) => dueDate,
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount), csv: ({ amount }) => amount },
    {
      head: 'Open',
      numeric: true,
      cell: ({ openAmount }) => (openAmount === 0 ? <EmptyCell /> : cents(openAmount)),
      csv: ({ openAmount }) => openAmount,
    },
  ]
}
