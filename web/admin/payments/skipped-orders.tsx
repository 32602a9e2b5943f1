import type { PaymentRunSkip } from '../../../client/contract.gen.ts'
import { Badge } from '../../ui/badge.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import type { Look } from '../../ui/status-styles.ts'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/**
 * The reasons for skipping an order. The tone shows whether a user must act or the obstacle will disappear on its own.
 */
const SKIP_REASONS = {
  not_due: { word: 'Not due yet', tone: 'calm', shape: 'clock' },
  under_way: { word: 'Already on a payment', tone: 'flow', shape: 'arrow' },
  vendor_on_hold: { word: 'Vendor on hold', tone: 'warn', shape: 'pause' },
  bill_on_hold: { word: 'Bill on hold', tone: 'warn', shape: 'pause' },
  vendor_credit: { word: 'Credit deducted', tone: 'calm', shape: 'back' },
  compliance_expired: { word: 'Compliance documents expired', tone: 'bad', shape: 'x' },
  waiver_missing: { word: 'Lien waiver missing', tone: 'bad', shape: 'dash' },
  not_payable: { word: 'Not payable', tone: 'calm', shape: 'slash' },
  vendor_owes: { word: 'Credit from vendor', tone: 'warn', shape: 'back' },
  too_many: { word: 'Deferred to another run', tone: 'flow', shape: 'half' },
  nothing_payable: { word: 'Nothing payable', tone: 'calm', shape: 'ring' },
} satisfies Record<PaymentRunSkip['reason'], Look>

/** Lists the orders that a run skips, each with its reason. */
export function SkippedOrders({ skips }: { skips: readonly PaymentRunSkip[] }) {
  const { cents } = useFormats()
  const columns: readonly Column<PaymentRunSkip>[] = [
    { head: 'Vendor', cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} /> },
    { head: 'Status', cell: ({ reason }) => <Badge look={SKIP_REASONS[reason]} /> },
    {
      head: 'Order',
      cell: ({ poId }) => (poId === null ? <EmptyCell word="all" /> : <RecordName of="order" id={poId} />),
    },
    { head: 'Reason', cell: ({ detail }) => <span className="muted">{detail}</span> },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount) },
  ]
  return (
    <div className="table-wrap">
      <Table
        caption="Skipped amounts"
        columns={columns}
        rows={skips}
        keyOf={({ vendorId, billId, poId, reason }) => `${vendorId} ${billId} ${poId} ${reason}`}
      />
    </div>
  )
}
