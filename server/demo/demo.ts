import { pino } from 'pino'
import type { Bid, Home } from '../../client/contract.gen.ts'
import { createApp } from '../app.ts'
import { answerInvitation } from '../bidding/bid-requests/changes.ts'
import { advanceCompliance } from '../bidding/compliance-documents/advance.ts'
import { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { as, newCall, type Principal, type WriteCall } from '../http/call.ts'
import { type Contract, loadContract, type OperationId } from '../http/contract.ts'
import type { Answered } from '../http/operation.ts'
import { createKey } from '../keys/keys.ts'
import { userOf, vendorOf } from '../keys/principals.ts'
import { operations, repeats } from '../operations.ts'
import { createOrganization } from '../organizations/organizations.ts'
import { createUser } from '../people/users/users.ts'
import { addDays, dateIn } from '../values/calendar.ts'
import {
  BUILDER,
  COLLEAGUES,
  COMMUNITIES,
  type DemoHome,
  type DemoPaper,
  type DemoRequest,
  type DemoVendor,
  HOMES,
  NOTICES,
  ORDERS,
  REQUESTS,
  SCOPES,
  type ScopeName,
  VENDORS,
} from './world.ts'

/**
 * Makes the demo builder by calling the operations as its owner would have over the past months, so that all rules and
 * events of the service apply to it too. Its data are written in one transaction: all or nothing.
 *
 * @returns the organization and the secret of a key with all permissions
 */
export async function makeDemo(
  database: Database,
  config: Config,
  contract: Contract = loadContract(),
): Promise<{ organizationId: string; key: string }> {
  const today = new Clock()
  const { organization, owner } = await createOrganization(database, today, {
    name: BUILDER.name,
    currency: BUILDER.currency,
    timeZone: BUILDER.timeZone,
    ownerName: BUILDER.owner.name,
    ownerEmail: BUILDER.owner.email,
    most: config.betaMaxOrganizations,
  })
  for (const colleague of COLLEAGUES)
    await createUser(database, today, { ...colleague, organizationId: organization.id })
  const { secret } = await createKey(database, today, {
    organizationId: organization.id,
    userId: owner.id,
    name: 'Demo',
    // It is there to be tried, whenever that is.
    expiresAt: null,
  })

  const log = pino({ level: 'silent' })
  const app = createApp({
    ...{ config, contract, handlers: operations, repeats, database, clock: today, log },
    // Events recorded here wait for the service, which looks for them when it starts.
    eventsCommitted() {},
    deliveriesDue() {},
  })
  const principal = await userOf(database.statements, organization.id, owner.id)
  const call = newCall(app.surroundings, { principal, requestId: 'demo', address: null })
  await call.write((call) => new Story(call).tell())
  // Some insurance has expired in the meantime or is about to, which only this step notices.
  await advanceCompliance(app.surroundings)
  await app.limits.stop()
  return { organizationId: organization.id, key: secret }
}

const DAY_MS = 86_400_000

/** The past months in chronological order, because lists show the newest first. */
class Story {
  readonly #call: WriteCall
  /** By code; vendors by name, homes by code and lot. */
  readonly #communities = new Map<string, string>()
  readonly #vendors = new Map<string, string>()
  readonly #homes = new Map<string, Home>()
  /** What to do, and how many days ago it happened. */
  readonly #deeds: { daysAgo: number; run: (daysAgo: number) => Promise<unknown> }[] = []

  constructor(call: WriteCall) {
    this.#call = call
  }

  async tell(): Promise<void> {
    for (const [i, [name, { code }]] of Object.entries(SCOPES).entries()) {
      this.#on(400, (ago) => this.#do(ago, 'createScope', { name, code, sequence: (i + 1) * 10 }))
    }
    for (const community of COMMUNITIES) this.#on(390, (ago) => this.#addCommunity(ago, community))
    for (const [i, vendor] of VENDORS.entries()) this.#on(380 - i * 3, (ago) => this.#addVendor(ago, vendor, i))
    for (const home of HOMES) this.#on(home.since + 25, (ago) => this.#addHome(ago, home))
    for (const request of REQUESTS) this.#on(request.sentDaysAgo, (ago) => this.#requestBids(ago, request))
    for (const order of ORDERS) this.#on(order.daysAgo, (ago) => this.#order(ago, order))
    for (const notice of NOTICES) this.#on(notice.daysAgo, (ago) => this.#notify(ago, notice))
    // A deed may add later ones, which take their place in the order.
    for (let deed = this.#next(); deed !== undefined; deed = this.#next()) await deed.run(deed.daysAgo)
  }

  #on(daysAgo: number, run: (daysAgo: number) => Promise<unknown>): void {
    this.#deeds.push({ daysAgo, run })
  }

  // The longest ago first; within a day, in the order of adding.
  #next() {
    const longest = Math.max(...this.#deeds.map((deed) => deed.daysAgo))
    const at = this.#deeds.findIndex((deed) => deed.daysAgo === longest)
    return at === -1 ? undefined : this.#deeds.splice(at, 1)[0]
  }

  #do<Id extends OperationId>(daysAgo: number, id: Id, input: Record<string, unknown>): Promise<Answered<Id>> {
    return this.#then(daysAgo).operation(id, input)
  }

  #then(daysAgo: number, principal: Principal = this.#call.principal): WriteCall {
    return as(this.#call, principal, new Date(this.#call.now.getTime() - daysAgo * DAY_MS))
  }

  /** The date that many days ago, in the builder's own time zone. */
  #date(daysAgo: number): string {
    return addDays(dateIn(BUILDER.timeZone, this.#call.now), -daysAgo)
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
      communityIds: vendor.community === undefined ? [] : [this.#community(vendor.community)],
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
        effectiveDate: this.#date(ago),
        expirationDate: this.#date(-vendor.insuredFor),
        limitAmount: 1_000_000,
        additionalInsured: true,
      })
      await this.#do(ago, 'addComplianceDocument', { vendorId: id, type: 'w9', status: 'valid' })
    }
    for (const paper of vendor.papers ?? []) await this.#addPaper(ago, id, paper)
    if (vendor.status === 'on_hold' || vendor.status === 'inactive') {
      const { status, insuredFor } = vendor
      const reason = status === 'on_hold' ? 'Insurance has run out.' : 'Went out of business.'
      this.#on(Math.max(1, -(insuredFor ?? 0) - 1), (day) =>
        this.#do(day, 'changeVendorStatus', { vendorId: id, status, reason }),
      )
    }
  }

  async #addPaper(ago: number, vendorId: string, paper: DemoPaper): Promise<void> {
    const { id } = await this.#do(ago, 'addComplianceDocument', {
      vendorId,
      effectiveDate: this.#date(ago),
      ...this.#paper(paper),
    })
    if (paper !== 'refused') return
    const reason = 'The limit has to be one million at least.'
    await this.#do(ago, 'changeComplianceDocumentStatus', { complianceDocumentId: id, status: 'rejected', reason })
  }

  #paper(paper: DemoPaper) {
    const expirationDate = this.#date(-260)
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

  async #addHome(ago: number, { community, lot, street, homeType, size, since, moves }: DemoHome): Promise<void> {
    const home = await this.#do(ago, 'createHome', {
      name: `Lot ${lot}`,
      communityId: this.#community(community),
      lotNumber: lot,
      homeType,
      address: { line1: street, city: 'Austin', state: 'TX', country: 'US' },
    })
    this.#homes.set(`${community} ${lot}`, home)
    for (const [scope, { budget }] of Object.entries(SCOPES)) {
      await this.#do(ago, 'addBudgetLine', { homeId: home.id, scope, amount: Math.round(budget * size) })
    }
    moves.forEach((status, i) => {
      const day = Math.max(1, Math.round(since - (i * (since - 1)) / Math.max(4, moves.length)))
      if (status === 'under_construction') this.#on(day, (at) => this.#do(at, 'lockHomeBudget', { homeId: home.id }))
      const reason = REASONS[status]
      this.#on(day, (at) =>
        this.#do(at, 'changeHomeStatus', { homeId: home.id, status, ...(reason !== undefined && { reason }) }),
      )
    })
  }

  async #requestBids(ago: number, request: DemoRequest): Promise<void> {
    const homes = request.homes.map((home) => this.#home(home))
    const { id, lines } = await this.#do(ago, 'createBidRequest', {
      title: request.title,
      vendorIds: request.vendors.map((vendor) => this.#vendor(vendor)),
      scope: request.scope,
      deadline: this.#date(ago - request.deadlineInDays),
      communityId: homes[0]?.communityId,
      homeIds: homes.map((home) => home.id),
      message: request.message,
      blind: request.blind === true,
      ...(request.lines !== undefined && { lines: request.lines, bidType: 'both' }),
      sendNow: request.end !== 'draft',
    })
    for (const bid of request.bids) {
      this.#on(ago - bid.daysLater, async (day) => {
        const submitted = await this.#do(day, 'submitBid', {
          bidRequestId: id,
          vendorId: this.#vendor(bid.vendor),
          source: bid.source,
          leadTimeDays: 7 + bid.daysLater,
          durationDays: 12,
          ...(bid.unitPrices === undefined
            ? { amount: Math.round(this.#budget(homes, request.scope) * (bid.share ?? 1)) }
            : { lines: lines.map(({ lineId }, i) => ({ lineId, unitPrice: bid.unitPrices?.[i] })) }),
        })
        if (bid.vendor === request.winner) this.#awardLater(ago - request.deadlineInDays - 1, submitted)
      })
    }
    const { declined, remindedLater } = request
    if (declined !== undefined) {
      const vendorId = this.#vendor(declined.vendor)
      this.#on(ago - declined.daysLater, (day) => {
        const vendor = vendorOf(this.#call.principal.organization, vendorId, vendorId)
        return answerInvitation(this.#then(day, vendor), id, vendorId, 'declined', declined.reason)
      })
    }
    if (remindedLater !== undefined)
      this.#on(ago - remindedLater, (day) => this.#do(day, 'remindInvited', { bidRequestId: id }))
    if (request.end === 'closed')
      this.#on(ago - request.deadlineInDays, (day) => this.#do(day, 'closeBidRequest', { bidRequestId: id }))
    if (request.end === 'cancelled') {
      const reason = 'The buyer of Lot 22 has not signed yet.'
      this.#on(ago - 6, (day) => this.#do(day, 'cancelBidRequest', { bidRequestId: id, reason }))
    }
  }

  #awardLater(day: number, bid: Bid): void {
    this.#on(day, async (ago) => {
      const reason = 'Lowest complete bid.'
      const accepted = await this.#do(ago, 'acceptBid', { bidId: bid.id, createPurchaseOrder: true, reason })
      const purchaseOrderId = accepted.poIds.at(-1)
      for (const status of ['approved', 'issued', 'accepted']) {
        await this.#do(ago, 'changePurchaseOrderStatus', { purchaseOrderId, status })
      }
    })
  }

  async #order(ago: number, { home: name, vendor, scope, share, moves }: (typeof ORDERS)[number]): Promise<void> {
    const home = this.#home(name)
    const { id } = await this.#do(ago, 'createPurchaseOrder', {
      homeId: home.id,
      vendorId: this.#vendor(vendor),
      scope,
      lines: [
        {
          description: `${capital(scope)}, ${home.name}`,
          quantity: 1,
          unitPrice: Math.round(this.#budget([home], scope) * share),
        },
      ],
    })
    moves.forEach((status, i) => {
      const day = Math.max(0, Math.round(ago - (i * ago) / (moves.length + 1)))
      this.#on(day, (at) => this.#do(at, 'changePurchaseOrderStatus', { purchaseOrderId: id, status }))
    })
  }

  async #notify(ago: number, { vendor, home, kind, inDays, message }: (typeof NOTICES)[number]): Promise<void> {
    const date = this.#date(ago - inDays)
    await this.#do(ago, 'notifyVendor', {
      vendorId: this.#vendor(vendor),
      homeId: this.#home(home).id,
      kind,
      date,
      message,
    })
  }

  #budget(homes: readonly Home[], scope: ScopeName): number {
    const sizes = homes.map(
      (home) => HOMES.find((demo) => this.#homes.get(`${demo.community} ${demo.lot}`) === home)?.size ?? 1,
    )
    return sizes.reduce((sum, size) => sum + Math.round(SCOPES[scope].budget * size), 0)
  }

  #community(code: string): string {
    return known(this.#communities, code)
  }

  #vendor(name: string): string {
    return known(this.#vendors, name)
  }

  #home(name: string): Home {
    return known(this.#homes, name)
  }
}

const REASONS: Partial<Record<string, string>> = {
  on_hold: 'The lot drains badly; an engineer looks at it.',
  cancelled: 'The buyer found no financing.',
}

function known<T>(map: ReadonlyMap<string, T>, name: string): T {
  const value = map.get(name)
  if (value === undefined) throw new Error(`The demo knows no ${name}.`)
  return value
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
