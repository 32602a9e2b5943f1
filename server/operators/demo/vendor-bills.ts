import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { toVendorPrincipal } from '../../platform/keys/principals.ts'
import { createPlaceholderPdf } from './placeholder-pdf.ts'
import type { NamedIds, Timeline } from './timeline.ts'

/** A bill that a vendor submitted in the portal and that awaits approval. Its order is billed by bill. */
const BILL = {
  ...{ order: 'JR 14 roofing', daysAgo: 2, invoiceNumber: 'BN-5518' },
  ...{ description: 'Shingles and underlayment, delivered to the lot', share: 0.4 },
}

/** Returns whether the vendor bills this order of the demo data, instead of being paid for completed work. */
export function isBilledByVendor(order: string): boolean {
  return order === BILL.order
}

/** Adds the bill that a vendor submits in the portal, with the invoice. */
export class VendorBills {
  readonly #timeline: Timeline
  readonly #orders: NamedIds<PurchaseOrder>

  constructor(timeline: Timeline, orders: NamedIds<PurchaseOrder>) {
    this.#timeline = timeline
    this.#orders = orders
  }

  plan(): void {
    this.#timeline.on(BILL.daysAgo, (ago) => this.#submit(ago))
  }

  async #submit(ago: number): Promise<void> {
    const { id: poId, vendorId, total } = this.#orders.get(BILL.order)
    const { invoiceNumber, description } = BILL
    const { organization } = this.#timeline.call.principal
    const vendor = this.#timeline.at(ago, toVendorPrincipal(organization, vendorId, vendorId))
    const { id: billId } = await vendor.operation('submitPortalBill', {
      ...{ invoiceNumber, invoiceDate: this.#timeline.date(ago) },
      lines: [{ poId, description, amount: Math.round(total * BILL.share) }],
    })
    await vendor.operation('uploadPortalBillFile', {
      ...{ billId, fileName: `${invoiceNumber}.pdf` },
      content: createPlaceholderPdf(`Invoice ${invoiceNumber}`).toString('base64'),
    })
  }
}
