import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { RecordFiles } from '../files/record-files.tsx'

/** Lists the files of an order, and whether each is shared with the vendor. */
export function OrderFiles({ order: { id, number, issuedAt } }: { order: PurchaseOrder }) {
  return (
    <RecordFiles
      recordId={id}
      name={number}
      needs="pos:write"
      share={
        issuedAt === null
          ? 'The vendor sees shared files once the order is issued.'
          : 'The vendor sees shared files on the order page of the portal.'
      }
      empty="No files yet. Add drawings or letters, and share them with the vendor."
    />
  )
}
