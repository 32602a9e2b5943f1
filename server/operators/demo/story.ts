import type { Bid, Home } from '../../../client/contract.gen.ts'
import { recordInvitationResponse } from '../../domain/bidding/bid-requests/change-bid-request.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import type { ResponseBody } from '../../platform/calls/operation.ts'
import { toVendorPrincipal } from '../../platform/keys/principals.ts'
import { Buyers } from './buyers.ts'
import { Contracts } from './contracts.ts'
import { emptyToNull } from './data-files.ts'
import {
  BUDGETS,
  BUILDER,
  COMMUNITIES,
  type DemoDocument,
  type DemoHome,
  type DemoRequest,
  type DemoVendor,
  hasManualBudget,
  listDemoHomes,
  listHomeMoves,
  listInitialVendors,
  NOTICES,
  REQUESTS,
  type ScopeName,
  VENDORS,
} from './demo-world.ts'
import { Leads } from './leads.ts'
import { Messages } from './messages.ts'
import { Options } from './options.ts'
import { Orders } from './orders.ts'
import { Payments } from './payments.ts'
import { PriceBook } from './price-book.ts'
import { Sales } from './sales.ts'
import { Schedules } from './schedules.ts'
import { Site } from './site.ts'
import { NamedIds, Timeline } from './timeline.ts'
import { Timesheets } from './timesheets.ts'
import { VendorBills } from './vendor-bills.ts'

/**
 * Adds a builder's data of the past months. Calls the operations that its users would have called, so that all rules
 * and events of the service apply. Some data does not use the operations, such as the price book.
 */
export class Story {
  readonly #timeline: Timeline
  /** The IDs of communities by code. The other maps have vendors by name, and homes by code and lot. */
  readonly #communities = new NamedIds<string>()
  readonly #vendors = new NamedIds<string>()
  readonly #homes = new NamedIds<Home>()
  /** By email address. */
  readonly #people: NamedIds<string>
  readonly #prices: PriceBook
  readonly #options: Options
  readonly #contracts: Contracts
  readonly #buyers: Buyers
  readonly #schedules: Schedules
  readonly #orders: Orders
  readonly #payments: Payments
  readonly #vendorBills: VendorBills
  readonly #leads: Leads
  readonly #sales: Sales
  readonly #messages: Messages
  readonly #timesheets: Timesheets
  readonly #site: Site

  /** @param people the builder's users by email address */
  constructor(today: Pick<Call, 'now' | 'timeZone'>, people: NamedIds<string>) {
    this.#timeline = new Timeline(today)
    this.#people = people
    const created = { communities: this.#communities, vendors: this.#vendors, homes: this.#homes }
    this.#prices = new PriceBook(this.#timeline, created)
    const { parts, plans } = this.#prices
    this.#options = new Options(this.#timeline, this.#prices)
    this.#contracts = new Contracts(this.#timeline, { ...created, parts, plans })
    this.#buyers = new Buyers(this.#timeline, { ...created, options: this.#options.made, contracts: this.#contracts })
    const vendors = [...VENDORS, ...listInitialVendors()]
    const usual = new Map(vendors.toReversed().flatMap(({ name, scopes }) => scopes.map((scope) => [scope, name])))
    this.#schedules = new Schedules(this.#timeline, { ...created, usual })
    this.#orders = new Orders(this.#timeline, created)
    this.#payments = new Payments(this.#timeline, this.#orders.made)
    this.#vendorBills = new VendorBills(this.#timeline, this.#orders.made)
    this.#messages = new Messages(this.#timeline, { ...created, people, orders: this.#orders.made })
    this.#timesheets = new Timesheets(this.#timeline, { ...created, people })
    this.#site = new Site(this.#timeline, { ...created, plans })
    this.#leads = new Leads(this.#timeline, { ...created, plans, people })
    const [leads, options] = [this.#leads.made, this.#options.made]
    this.#sales = new Sales(this.#timeline, { ...created, plans, people, leads, options })
    this.#plan()
  }

  /** Adds all data in one transaction. */
  tell(call: WriteCall): Promise<void> {
    return this.#timeline.run(call)
  }

  /**
   * Adds more data in a separate transaction of about this many milliseconds.
   *
   * @returns the number of days ago of the next action; null if all data has been added
   */
  async goOn(call: Call, ms: number, within: (call: WriteCall) => Promise<void>): Promise<number | null> {
    const again = this.#timeline.mark()
    await call.write(async (inside) => {
      again()
      const startedMs = performance.now()
      await this.#timeline.run(inside, () => performance.now() - startedMs > ms)
      await within(inside)
    })
    return this.#timeline.next
  }

  #plan(): void {
    this.#on(400, (ago) => this.#prices.addChart(ago))
    for (const community of COMMUNITIES) this.#on(390, (ago) => this.#addCommunity(ago, community))
    const entered = new Map(VENDORS.map(({ name }, i) => [name, 380 - i * 3]))
    for (const [i, vendor] of VENDORS.entries())
      this.#on(entered.get(vendor.name) ?? 0, (ago) => this.#addVendor(ago, vendor, i))
    for (const [i, vendor] of listInitialVendors().entries())
      this.#on(388, (ago) => this.#addVendor(ago, vendor, VENDORS.length + i))
    this.#on(387, (ago) => this.#prices.addParts(ago))
    this.#on(386, (ago) => this.#prices.addPlans(ago))
    this.#on(385, (ago) => this.#options.add(ago))
    this.#prices.planPrices((vendor) => entered.get(vendor) ?? 386)
    for (const home of listDemoHomes()) this.#on(home.days.planning, (ago) => this.#addHome(ago, home))
    for (const request of REQUESTS) this.#on(request.sentDaysAgo, (ago) => this.#requestBids(ago, request))
    this.#orders.plan()
    this.#payments.plan()
    this.#vendorBills.plan()
    this.#leads.plan()
    this.#sales.plan()
    this.#schedules.plan()
    this.#messages.plan()
    this.#timesheets.plan()
    this.#contracts.plan()
    this.#buyers.plan()
    this.#site.plan()
    for (const notice of NOTICES) this.#on(notice.daysAgo, (ago) => this.#notify(ago, notice))
  }

  #on(daysAgo: number, run: (daysAgo: number) => Promise<unknown>): void {
    this.#timeline.on(daysAgo, run)
  }

  #do<Id extends OperationId>(daysAgo: number, id: Id, input: Record<string, unknown>): Promise<ResponseBody<Id>> {
    return this.#timeline.do(daysAgo, id, input)
  }

  async #addCommunity(ago: number, { moves, ...community }: (typeof COMMUNITIES)[number]): Promise<void> {
    const { id } = await this.#do(ago, 'createCommunity', { ...community, state: 'TX', timeZone: BUILDER.timeZone })
    this.#communities.set(community.code, id)
    moves.forEach((status, i) => {
      this.#on(ago - 5 - i * 200, (day) => this.#do(day, 'changeCommunityStatus', { communityId: id, status }))
    })
  }

  async #addVendor(ago: number, vendor: DemoVendor, i: number): Promise<void> {
    const domain = `${vendor.name.toLowerCase().replace(/[^a-z]+/g, '')}.example.com`
    const { id } = await this.#do(ago, 'createVendor', {
      companyName: vendor.name,
      contactName: vendor.contact,
      email: `bids@${domain}`,
      phone: `+1 512 555 0${String(100 + i)}`,
      scopes: vendor.scopes,
      accountingId: i % 4 === 3 ? null : `QB-${1042 + i * 7}`,
      status: vendor.status === 'prospective' ? 'prospective' : 'active',
      communityIds: vendor.community === undefined ? [] : [this.#communities.get(vendor.community)],
      address: { line1: `${400 + i * 37} Burnet Rd`, city: 'Austin', state: 'TX', postalCode: '78756', country: 'US' },
      defaultRetainagePercent: 10,
      poLimit: vendor.poLimit ?? null,
    })
    this.#vendors.set(vendor.name, id)
    if (vendor.insuredFor !== null) {
      await this.#do(ago, 'addComplianceDocument', {
        vendorId: id,
        type: 'general_liability',
        status: 'valid',
        carrier: i % 2 === 0 ? 'Gulf States Mutual' : 'Lone Prairie Insurance',
        policyNumber: `GL-${20_418 + i * 13}`,
        effectiveDate: this.#timeline.date(ago),
        expirationDate: this.#timeline.date(-vendor.insuredFor),
        limitAmount: 1_000_000,
        additionalInsured: true,
      })
      await this.#do(ago, 'addComplianceDocument', { vendorId: id, type: 'w9', status: 'valid' })
    }
    for (const paper of vendor.papers ?? []) await this.#addPaper(ago, id, paper)
    if (vendor.status === 'on_hold' || vendor.status === 'inactive') {
      const { status, insuredFor } = vendor
      const reason = status === 'on_hold' ? 'Insurance has expired.' : 'Went out of business.'
      this.#on(Math.max(1, -(insuredFor ?? 0) - 1), (day) =>
        this.#do(day, 'changeVendorStatus', { vendorId: id, status, reason }),
      )
    }
  }

  async #addPaper(ago: number, vendorId: string, paper: DemoDocument): Promise<void> {
    const { id } = await this.#do(ago, 'addComplianceDocument', {
      vendorId,
      effectiveDate: this.#timeline.date(ago),
      ...this.#paper(paper),
    })
    if (paper !== 'refused') return
    const reason = 'The limit must be at least one million.'
    await this.#do(ago, 'changeComplianceDocumentStatus', { complianceDocumentId: id, status: 'rejected', reason })
  }

  #paper(paper: DemoDocument) {
    const expirationDate = this.#timeline.date(-260)
    switch (paper) {
      case 'unread':
        return {
          type: 'general_liability',
          carrier: 'Gulf States Mutual',
          policyNumber: 'GL-33120',
          limitAmount: 1_000_000,
          expirationDate,
        }
      case 'refused':
        return {
          type: 'general_liability',
          carrier: 'Lone Prairie Insurance',
          policyNumber: 'GL-30977',
          limitAmount: 300_000,
          expirationDate,
        }
      case 'waived':
        return { type: 'umbrella', status: 'waived' }
      case 'workers_comp':
        return {
          type: 'workers_comp',
          status: 'valid',
          carrier: 'Pecan Valley Mutual',
          policyNumber: 'WC-20771',
          limitAmount: 500_000,
          expirationDate,
        }
      case 'license':
        return { type: 'license', status: 'valid', policyNumber: 'TX-77120', expirationDate }
    }
  }

  async #addHome(ago: number, demoHome: DemoHome): Promise<void> {
    const { key, row } = demoHome
    const { community, lotNumber, name, homeType, line1, plan } = row
    const home = await this.#do(ago, 'createHome', {
      ...{ name, lotNumber, homeType, swing: row.swing },
      communityId: this.#communities.get(community),
      planId: plan === '' ? null : this.#prices.plans.get(plan),
      elevation: emptyToNull(row.elevation),
      superintendentId: this.#people.get(row.superintendent),
      address: { line1, city: 'Austin', state: 'TX', country: 'US' },
    })
    this.#homes.set(key, home)
    if (!hasManualBudget(demoHome)) await this.#do(ago, 'estimateHomeBudget', { homeId: home.id })
    else
      for (const [scope, budget] of Object.entries(BUDGETS)) {
        const amount = Math.round(budget * Number(row.size))
        await this.#do(ago, 'addBudgetLine', { homeId: home.id, scope, amount })
      }
    for (const { status, daysAgo } of listHomeMoves(demoHome)) {
      if (status === 'under_construction')
        this.#on(daysAgo, (at) => this.#do(at, 'lockHomeBudget', { homeId: home.id }))
      const reason = STATUS_REASONS[status]
      this.#on(daysAgo, (at) =>
        this.#do(at, 'changeHomeStatus', { homeId: home.id, status, ...(reason !== undefined && { reason }) }),
      )
    }
  }

  async #requestBids(ago: number, request: DemoRequest): Promise<void> {
    const homes = request.homes.map((home) => this.#homes.get(home))
    const { id, lines, invitations } = await this.#do(ago, 'createBidRequest', {
      title: request.title,
      vendorIds: request.vendors.map((vendor) => this.#vendors.get(vendor)),
      scope: request.scope,
      deadline: this.#timeline.date(ago - request.deadlineInDays),
      communityId: homes[0]?.communityId ?? this.#communities.get(request.community ?? ''),
      homeIds: homes.map((home) => home.id),
      message: request.message,
      blind: request.blind === true,
      ...(request.lines !== undefined && {
        lines: request.lines.map(({ part, ...line }) => ({
          ...line,
          partId: part === undefined ? null : this.#prices.parts.get(part),
        })),
        bidType: 'both',
      }),
      sendNow: request.end !== 'draft',
    })
    for (const bid of request.bids) {
      this.#on(ago - bid.daysLater, async (day) => {
        const vendorId = this.#vendors.get(bid.vendor)
        const priced = {
          leadTimeDays: 7 + bid.daysLater,
          durationDays: 12,
          ...(bid.unitPrices === undefined
            ? { amount: Math.round((await this.#budget(day, homes, request.scope)) * (bid.share ?? 1)) }
            : { lines: lines.map(({ lineId }, i) => ({ lineId, unitPrice: bid.unitPrices?.[i] })) }),
        }
        const invitationId = invitations.find((invitation) => invitation.vendorId === vendorId)?.id ?? ''
        const submitted =
          bid.source === 'portal'
            ? await this.#bidInPortal(day, { vendorId, invitationId, priced })
            : await this.#do(day, 'submitBid', { bidRequestId: id, vendorId, source: bid.source, ...priced })
        if (bid.vendor !== request.winner) return
        const awarded = ago - request.deadlineInDays - 1
        if (homes.length > 0) this.#awardLater(awarded, submitted)
        else this.#on(awarded, (day) => this.#contracts.award(day, submitted, request.title))
      })
    }
    const { declined, remindedLater } = request
    if (declined !== undefined) {
      const vendorId = this.#vendors.get(declined.vendor)
      this.#on(ago - declined.daysLater, (day) => {
        const vendor = toVendorPrincipal(this.#timeline.call.principal.organization, vendorId, vendorId)
        return recordInvitationResponse(this.#timeline.at(day, vendor), id, vendorId, 'declined', declined.reason)
      })
    }
    if (remindedLater !== undefined)
      this.#on(ago - remindedLater, (day) => this.#do(day, 'remindInvitedVendors', { bidRequestId: id }))
    if (request.end === 'closed')
      this.#on(ago - request.deadlineInDays, (day) => this.#do(day, 'closeBidRequest', { bidRequestId: id }))
    if (request.end === 'cancelled') {
      const reason = 'The buyer of Lot 22 has not signed yet.'
      this.#on(ago - 6, (day) => this.#do(day, 'cancelBidRequest', { bidRequestId: id, reason }))
    }
  }

  async #bidInPortal(
    day: number,
    { vendorId, invitationId, priced }: { vendorId: string; invitationId: string; priced: object },
  ): Promise<Bid> {
    const vendor = this.#timeline.at(
      day,
      toVendorPrincipal(this.#timeline.call.principal.organization, vendorId, vendorId),
    )
    await vendor.operation('savePortalBidDraft', { invitationId, ...priced })
    const { bid } = await vendor.operation('submitPortalBid', { invitationId })
    return this.#do(day, 'getBid', { bidId: bid?.id })
  }

  #awardLater(day: number, bid: Bid): void {
    this.#on(day, async (ago) => {
      const reason = 'Lowest complete bid.'
      const accepted = await this.#do(ago, 'acceptBid', { bidId: bid.id, createPurchaseOrder: true, reason })
      const poId = accepted.poIds.at(-1)
      for (const status of ['approved', 'issued', 'accepted']) {
        await this.#do(ago, 'changePurchaseOrderStatus', { poId, status })
      }
    })
  }

  async #notify(ago: number, { vendor, home, kind, inDays, message }: (typeof NOTICES)[number]): Promise<void> {
    const date = this.#timeline.date(ago - inDays)
    await this.#do(ago, 'notifyVendor', {
      vendorId: this.#vendors.get(vendor),
      homeId: this.#homes.get(home).id,
      kind,
      date,
      message,
    })
  }

  /** Returns the homes' budget for the trade in whole amounts, so that shares of it never exceed it. */
  async #budget(ago: number, homes: readonly Home[], scope: ScopeName): Promise<number> {
    let total = 0
    for (const { id } of homes) {
      const { scopes } = await this.#do(ago, 'getHomeBudget', { homeId: id })
      total += scopes.find((each) => each.scope === scope)?.budgeted ?? 0
    }
    return Math.floor(total)
  }
}

const STATUS_REASONS: Partial<Record<string, string>> = {
  on_hold: 'The lot drains badly; an engineer is looking at it.',
  cancelled: 'The buyer could not get financing.',
}
