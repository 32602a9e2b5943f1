import type { Home, PurchaseOrder } from '../../../client/contract.gen.ts'
import { findUserPrincipal, toVendorPrincipal } from '../../platform/keys/principals.ts'
import { MOMENT_BEFORE, type NamedIds, type Timeline } from './timeline.ts'

interface MessageInputs {
  /** The users' IDs by email address. */
  readonly people: NamedIds<string>
  readonly vendors: NamedIds<string>
  readonly homes: NamedIds<Home>
  readonly orders: NamedIds<PurchaseOrder>
}

/** Adds the messages between users and vendors in the last days. */
export class Messages {
  readonly #timeline: Timeline
  readonly #made: MessageInputs

  constructor(timeline: Timeline, created: MessageInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    for (const letter of LETTERS) this.#timeline.on(letter.daysAgo, (ago) => this.#send(ago, letter))
  }

  async #send(ago: number, { from, to, order, home, subject, body, answer }: DemoLetter): Promise<void> {
    const { call } = this.#timeline
    const { id: organizationId } = call.principal.organization
    const writer = await findUserPrincipal(
      call.db,
      organizationId,
      this.#made.people.get(`${from}@harrowfinch.example.com`),
    )
    const [type, about] =
      order === undefined
        ? ['home', this.#made.homes.get(home ?? '').id]
        : ['purchase_order', this.#made.orders.get(order).id]
    const vendorId = 'vendor' in to ? this.#made.vendors.get(to.vendor) : null
    const recipient =
      'vendor' in to
        ? { type: 'vendor', id: vendorId }
        : { type: 'user', id: this.#made.people.get(`${to.colleague}@harrowfinch.example.com`) }
    const { id: messageId } = await this.#timeline
      .at(ago, writer)
      .operation('sendMessage', { subject, body, recipients: [recipient], relatedTo: { type, id: about } })
    if (answer === undefined || vendorId === null) return
    // This message comes before the other messages of that day.
    this.#timeline.on(ago - 1 + MOMENT_BEFORE, (day) =>
      this.#timeline
        .at(day, toVendorPrincipal(call.principal.organization, vendorId, vendorId))
        .operation('replyToPortalMessage', { messageId, body: answer }),
    )
  }
}

interface DemoLetter {
  daysAgo: number
  /** The part of the sender's address before the @. */
  from: string
  to: { vendor: string } | { colleague: string }
  /** The record that the message is about, which is an order or, without one, a home. */
  order?: string
  home?: string
  subject: string
  body: string
  /** The vendor's reply one day later. */
  answer?: string
}

const LETTERS: readonly DemoLetter[] = [
  {
    ...{ daysAgo: 6, from: 'desmond', to: { vendor: 'Redrock Concrete & Foundations' } },
    ...{ order: 'JR 14 foundation VPO', subject: 'Nine yards more on lot 14' },
    body: 'You billed nine more yards of concrete than the takeoff has. What were they for?',
    answer: 'Your layout had the beams deeper than the sheet. We poured what was dug, so this one is not on us.',
  },
  {
    ...{ daysAgo: 5, from: 'marcus', to: { colleague: 'desmond' }, order: 'JR 14 foundation VPO' },
    subject: 'Beams of lot 14',
    body: 'Measured two beams this morning, both four inches over. Please hold it until we have talked.',
  },
  {
    ...{ daysAgo: 4, from: 'aiko', to: { vendor: 'Cardinal Roofing' }, order: 'JR 1 roofing' },
    subject: 'Retainage of the model',
    body: 'Your liability policy expired today. We cannot release the retainage of the model until we have the new certificate.',
  },
  {
    ...{ daysAgo: 3, from: 'bram', to: { colleague: 'priya' }, order: 'BB 2 roofing', subject: 'Roof of Bluff lot 2' },
    body: 'Roofing on Bluff lot 2 is 12 percent over. I need it released by Friday or the decking gets wet.',
  },
  {
    ...{ daysAgo: 1, from: 'noor', to: { vendor: 'South Lamar Interiors' }, home: 'CH 9', subject: 'Final waiver' },
    body: 'We are still missing the final waiver for lot 9 at Cedar Hollow.',
  },
]
