import { isDeepStrictEqual } from 'node:util'
import type { Operation, OperationId } from '../../server/platform/calls/contract.ts'
import { sendWithFreeNames, shiftDates } from './changed-names.ts'
import { shortenBody, toOperationKeyPath } from './describe-response-errors.ts'
import {
  CONFIRMATION_REQUESTS,
  CREATIONS,
  findBodySchema,
  ISSUING_OPERATIONS,
  isOpenToApiKeys,
  isPortalCreation,
  isSync,
  LINK_COPIES,
  LINK_REPLACEMENTS,
  listCreationsFor,
  PORTAL_DOWNLOADS,
} from './operation-kinds.ts'
import { SeededRandom } from './random.ts'
import {
  EXAMPLE_IDS,
  EXAMPLE_RESOURCES,
  findCreatedPrefix,
  findIdPrefix,
  getIdPrefix,
  listIds,
  type Resource,
  TYPE_ID,
} from './resource-ids.ts'
import type { Service, ServiceResponse } from './service.ts'
import { makeValidValue } from './values.ts'
import { contract, listEntriesAtPath } from './walked-contract.ts'

/**
 * The number of resources in a world. `plenty` sends every creation in all rounds, for suites that use several
 * resources of each kind. `enough` sends a creation again only if it has created nothing yet.
 */
export type WorldSize = 'plenty' | 'enough'

/**
 * A builder with resources of every kind, which are created from the contract's examples. The world sends every example
 * of a creation, with its IDs replaced by the IDs of existing resources. A suite for the whole contract then has
 * resources of every kind, including kinds that are added later.
 */
export class World {
  readonly key: string
  readonly #service: Service
  /** The URL for all webhook subscriptions in this world. */
  readonly receiver: string
  /** The IDs of the resources that exist, by prefix. */
  readonly #existing = new Map<string, string[]>()
  /**
   * The real resource for each ID in the examples. It was created from the example with this ID, so that references
   * between examples stay consistent.
   */
  readonly #standIns = new Map<string, string>()
  /** The similarity of each stand-in to its example, as the number of fields from which it was created. */
  readonly #likeness = new Map<string, number>()
  /** The resources that replace an ID that no example of a creation contains. */
  readonly #makeshifts = new Map<string, string>()
  readonly #made = new Map<string, Operation>()
  /** The tokens of portal links, by the ID of the vendor or invitation that they open. */
  readonly #portalTokens = new Map<string, string>()
  /** The vendor whose portal shows a resource, by the ID of that resource. */
  readonly #shownTo = new Map<string, string>()
  /** The record to which a file is attached, by the ID of the file. */
  readonly #hangsOn = new Map<string, string>()
  /** The last response that rejected each creation. */
  readonly #refusals = new Map<Operation, string>()
  /** A text that distinguishes this world's records from others with the same name. */
  readonly #mark = Math.random().toString(36).slice(2, 8)
  /** The number of weeks before today in which this world enters time. */
  readonly #weeksAgo = 1 + Math.floor(Math.random() * 1000)
  /** The ID of an approved sale with a schedule of values, an application for payment, and a buyer change. */
  #billedSale: string | undefined
  #isSettled = false
  /**
   * Whether the server stores no records and returns the contract's examples. In this case, the IDs in the examples are
   * valid.
   */
  readonly #isStateless: boolean

  constructor(service: Service, key: string, receiver: string, { isStateless = false } = {}) {
    this.#service = service
    this.key = key
    this.receiver = receiver
    this.#isStateless = isStateless
    if (!isStateless) return
    for (const id of EXAMPLE_IDS) this.remember(id)
    for (const id of this.idsFor('vendorId')) this.admit(`${id}.stateless`)
  }

  /** Returns the ID of an existing resource for a field or parameter with this name. */
  idFor(field: string): string | undefined {
    return this.idsFor(field)[0]
  }

  idsFor(field: string): readonly string[] {
    // A field with this name may contain an ID of any kind.
    if (field === 'resourceId') return [...this.#existing.values()].flat()
    return this.#existing.get(findIdPrefix(field) ?? '') ?? []
  }

  /**
   * Returns the URL of an operation with real IDs and the required query; undefined if an ID is missing. `which`
   * selects one of the resources of each kind; 0 is the first.
   */
  addressOf(operation: Operation, which = 0): string | undefined {
    let path = operation.path
    const query = new URLSearchParams()
    for (const declared of operation.declaration.parameters ?? []) {
      const parameter = contract.resolve(declared)
      if (parameter.required !== true || parameter.in === 'header') continue
      const ids = this.#below(path, this.#idsIn(operation, parameter.name))
      const value = ids[which] ?? shiftDates((parameter as { example?: unknown }).example)
      if (value === undefined) return undefined
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, String(value))
      else query.set(parameter.name, String(value))
    }
    return query.size > 0 ? `${path}?${query}` : path
  }

  /** Uses this token for all later requests to the portal, except for URLs that need another token. */
  admit(portalToken: string): void {
    this.#portalTokens.set(portalToken.slice(0, portalToken.indexOf('.')), portalToken)
  }

  /** Removes a token that is no longer valid. */
  dismiss(portalToken: string): void {
    this.#portalTokens.delete(portalToken.slice(0, portalToken.indexOf('.')))
  }

  // A link to an invitation opens only this invitation. A link to the whole portal opens all records of the vendor.
  #idsIn(operation: Operation, parameter: string): readonly string[] {
    const isOfSale = ['Owner billing', 'Buyer changes'].some((tag) => operation.declaration.tags?.includes(tag))
    if (isOfSale && parameter === 'saleId' && this.#billedSale !== undefined) return [this.#billedSale]
    const ids = this.idsFor(parameter)
    const opened = ids.filter((id) => this.#tokenTo(id) !== undefined)
    return isOpenToApiKeys(operation) || opened.length === 0 ? ids : opened
  }

  /** Filters IDs by the records in the path so far. If no ID belongs to these records, returns all IDs. */
  #below(path: string, ids: readonly string[]): readonly string[] {
    const parts = path.split('/')
    const hanging = ids.filter((id) => parts.includes(this.#hangsOn.get(id) ?? ''))
    return hanging.length > 0 ? hanging : ids
  }

  /**
   * Returns the credential for a request: this world's API key or, for the portal, a token that opens the URL or shows
   * a record in the body.
   */
  credentialFor(operation: Operation, address: string, body?: unknown): string | undefined {
    if (isOpenToApiKeys(operation)) return this.key
    const named = [...address.split(/[/?]/), ...listTexts(body)]
    const [token] = named.flatMap((part) => this.#tokenTo(part) ?? [])
    const entries = [...this.#portalTokens]
    // Prefers a link to the whole portal, which opens more than a link to one invitation.
    const whole = entries.findLast(([opened]) => getIdPrefix(opened) === findIdPrefix('vendorId'))
    return token ?? (whole ?? entries.at(-1))?.[1]
  }

  /** Stores the ID of a record that a vendor has created in its portal. */
  #rememberOfPortal(id: unknown, portalToken: string): void {
    if (typeof id !== 'string') return
    this.#shownTo.set(id, portalToken.slice(0, portalToken.indexOf('.')))
    this.remember(id)
  }

  #tokenTo(id: string): string | undefined {
    return this.#portalTokens.get(id) ?? this.#portalTokens.get(this.#shownTo.get(id) ?? '')
  }

  /** Returns the URL of an operation with real IDs. If an ID is missing, throws an error that contains its kind. */
  addressFor(operation: Operation): string {
    const address = this.addressOf(operation)
    if (address === undefined) throw new Error(this.missingFor(operation) ?? `Expected a URL for ${operation.id}.`)
    return address
  }

  /**
   * Returns why an operation has no URL yet, and the creation that would provide the missing ID; null if the operation
   * has a URL.
   */
  missingFor(operation: Operation): string | null {
    for (const declared of operation.declaration.parameters ?? []) {
      const { name, in: where, required, ...rest } = contract.resolve(declared)
      if (required !== true || where === 'header') continue
      if (this.idFor(name) !== undefined || (rest as { example?: unknown }).example !== undefined) continue
      return `${operation.id}: the world has no value for its ${where} parameter ${name}; ${this.#remedyFor(name)}`
    }
    return null
  }

  #remedyFor(parameter: string): string {
    const prefix = findIdPrefix(parameter)
    if (prefix === undefined)
      return 'no example contains an ID of its kind. Add an example to the parameter, or to the response of an operation.'
    const creation = [...contract.operations.values()].find((operation) => findCreatedPrefix(operation) === prefix)
    if (creation === undefined)
      return `no operation creates a ${prefix}_…. Add an operation with an example, or create the record in scripts/conformance/world.ts.`
    const problem = this.#refusals.get(creation)
    if (problem !== undefined) return `${creation.id} creates one, but failed: ${problem}`
    return this.addressOf(creation) === undefined
      ? `${creation.id} creates one, but its own parameters have no values.`
      : `${creation.id} creates one, but its examples refer to records that do not exist.`
  }

  /**
   * Returns an example with real IDs, and with dates around today or around some weeks ago; undefined if an ID is
   * missing.
   */
  real(example: unknown, weeksAgo = 0): unknown {
    let isWhole = true
    const visit = (value: unknown, field: string): unknown => {
      if (Array.isArray(value)) return value.map((item) => visit(item, field))
      if (typeof value === 'object' && value !== null) {
        return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner, name)]))
      }
      // Deliveries must be sent only to the test's own receiver.
      if (field === 'url' && typeof value === 'string') return this.receiver
      if (typeof value !== 'string' || !TYPE_ID.test(value)) return shiftDates(value, weeksAgo)
      const standIn = this.#standInFor(value)
      if (standIn === undefined) isWhole = false
      return standIn
    }
    const result = visit(example, '')
    return isWhole ? result : undefined
  }

  #standInFor(id: string): string | undefined {
    if (this.#isStateless) return id
    const known = this.#standIns.get(id) ?? this.#makeshifts.get(id)
    if (known !== undefined) return known
    const existing = this.#existing.get(getIdPrefix(id)) ?? []
    const taken = new Set([...this.#standIns.values(), ...this.#makeshifts.values()])
    const free = existing.find((candidate) => !taken.has(candidate))
    // At first, two different IDs are replaced with two different resources. One resource may replace both only after
    // all resources have been created.
    const standIn = free ?? (this.#isSettled ? existing[0] : undefined)
    if (standIn !== undefined) this.#makeshifts.set(id, standIn)
    return standIn
  }

  /**
   * Makes a new resource the stand-in for the most similar example, and its parent the stand-in for the example's
   * parent.
   */
  #bind(example: object, created: Record<string, unknown>): void {
    const fields = Object.entries(example)
    const likeness = (resource: Resource) =>
      fields.filter(([field, value]) => isDeepStrictEqual(resource[field], value)).length
    const [best] = [...EXAMPLE_RESOURCES]
      .filter(([id]) => getIdPrefix(id) === getIdPrefix(String(created.id)))
      .map(([id, resource]) => ({ id, resource, score: likeness(resource) }))
      .filter(({ id, score }) => score > (this.#likeness.get(id) ?? 0))
      .sort((one, other) => other.score - one.score)
    if (best === undefined) return
    this.#likeness.set(best.id, best.score)
    this.#standIns.set(best.id, String(created.id))
    for (const [field, id] of Object.entries(best.resource)) {
      const real = created[field]
      if (typeof id !== 'string' || typeof real !== 'string' || !TYPE_ID.test(id) || !TYPE_ID.test(real)) continue
      if (this.#standIns.has(id)) continue
      // Keeps the stand-in. If a more similar resource replaced it later, the records that belong to it would not
      // belong to the new one.
      this.#standIns.set(id, real)
      this.#likeness.set(id, Number.POSITIVE_INFINITY)
    }
  }

  /**
   * Sends every creation until a record of each kind exists. Also waits for records that the service creates in the
   * background.
   */
  async populate(amount: WorldSize = 'plenty'): Promise<this> {
    await this.#playAll(CREATIONS, amount)
    await this.#tryOut()
    const deadline = Date.now() + 10_000
    for (;;) {
      let missing = 0
      for (const operation of contract.operations.values()) {
        const address = this.addressOf(operation)
        if (address === undefined) missing++
        else if (operation.method === 'GET') this.learn(await this.send(operation), operation)
      }
      // The service creates deliveries shortly after the events.
      if (missing === 0 || Date.now() > deadline) return this
      await new Promise((next) => setTimeout(next, 50))
    }
  }

  /**
   * Creates only the resources that these operations need according to the contract. If these resources are not enough,
   * creates all of them.
   */
  async populateFor(operations: readonly Operation[]): Promise<this> {
    const creations = listCreationsFor(operations)
    await this.#playAll(creations, 'plenty')
    for (const operation of contract.operations.values()) {
      const isOfThese = creations.some(({ path }) => operation.path === path || operation.path.startsWith(`${path}/`))
      if (operation.method === 'GET' && isOfThese && this.addressOf(operation) !== undefined)
        this.learn(await this.send(operation), operation)
    }
    return operations.every((operation) => this.addressOf(operation) !== undefined) ? this : this.populate()
  }

  async #playAll(creations: readonly Operation[], amount: WorldSize): Promise<void> {
    const successful = new Set<Operation>()
    for (let round = 0; round < ROUNDS; round++) {
      this.#isSettled = round >= ROUNDS / 2
      for (const operation of creations) {
        if (amount === 'enough' && this.#isSettled && successful.has(operation)) continue
        for (const { example, body } of this.#playable(operation)) {
          const address = this.addressOf(operation)
          if (address === undefined) continue
          const response = await this.#create(address, body)
          this.learn(response)
          if (response.status !== 201) {
            const { code, detail, errors = [] } = response.body ?? {}
            this.#refusals.set(
              operation,
              `${response.status} ${code}: ${detail} ${errors.length > 0 ? shortenBody(errors) : ''}`.trim(),
            )
            continue
          }
          this.#made.set(getIdPrefix(response.body.id), operation)
          this.#bind(example as object, response.body)
          successful.add(operation)
        }
      }
    }
    await this.#billSale(creations)
    await this.#scheduleVisit(creations)
    await this.#openPortals()
    await this.copyLinks()
    await this.#issue()
    await this.#drawForOrder(creations)
    await this.#share()
  }

  /**
   * Sells one more home, bills it, and adds a buyer change, because the bill and the buyer change require an approved
   * sale. An application for payment also requires a schedule of values.
   */
  async #billSale(creations: readonly Operation[]): Promise<void> {
    const needed = ['createHome', 'createSale', 'createApplication']
    const [createHome, createSale, createApplication] = needed.map((id) => creations.find((one) => one.id === id))
    if (createHome === undefined || createSale === undefined || createApplication === undefined) return
    const [homeBody] = this.bodiesOf(createHome)
    if (homeBody === undefined) return
    const { communityId } = homeBody as { communityId?: unknown }
    const name = `Lot to bill ${this.#mark}`
    const home = await this.#create(createHome.path, { communityId, name })
    const sold = { homeId: home.body?.id, buyers: [{ name: 'Elena Marsh' }], basePrice: 400_000 }
    const sale = await this.#create(createSale.path, sold)
    if (home.status !== 201 || sale.status !== 201) return
    this.#billedSale = sale.body.id
    const path = `${createSale.path}/${sale.body.id}`
    await this.#service.request('POST', `${path}/approve`, {}, { key: this.key })
    const schedule = { lines: [{ description: 'House', scheduledValue: 400_000 }] }
    const set = await this.#service.request('PATCH', `${path}/schedule-of-values`, schedule, { key: this.key })
    const application = { periodTo: '2026-01-31', lines: [{ lineId: 'L1', periodAmount: 100_000 }] }
    const billed = await this.#create(`${path}/applications`, application)
    const porch = { description: 'Screened porch', price: 20_000, cost: 14_000 }
    const changed = await this.#create(`${path}/changes`, { title: 'Screened porch', lines: [porch] })
    for (const response of [home, sale, set, billed, changed]) this.learn(response)
    // Uses the contract's operations, so that these resources are removed together with all others.
    for (const operation of creations)
      for (const { body } of [home, sale, billed, changed])
        if (findCreatedPrefix(operation) === getIdPrefix(String(body?.id)))
          this.#made.set(getIdPrefix(body.id), operation)
  }

  /** Accepts one more warranty request, assigns it, and schedules a visit. No single example does all of this. */
  async #scheduleVisit(creations: readonly Operation[]): Promise<void> {
    const needed = ['createWarrantyRequest', 'createVisit']
    const [createRequest, createVisit] = needed.map((id) => creations.find((one) => one.id === id))
    const [vendorId, homeId] = [this.idFor('vendorId'), this.idFor('homeId')]
    if (createRequest === undefined || createVisit === undefined || vendorId === undefined) return
    const request = await this.#create(createRequest.path, { homeId, description: 'The faucet drips.' })
    if (request.status !== 201) return
    const path = `${createRequest.path}/${request.body.id}`
    await this.#service.request('POST', `${path}/decision`, { decision: 'goodwill' }, { key: this.key })
    await this.#service.request('POST', `${path}/assignment`, { vendorId }, { key: this.key })
    const visit = await this.#create(createVisit.path, { requestIds: [request.body.id], date: '2099-12-02' })
    for (const response of [request, visit]) this.learn(response)
    if (visit.status === 201) this.#made.set(getIdPrefix(visit.body.id), createVisit)
  }

  /** Issues a drawing for the home of an issued order. The order's vendor can then see it. */
  async #drawForOrder(creations: readonly Operation[]): Promise<void> {
    const create = creations.find(({ id }) => id === 'createDrawing')
    const upload = contract.operations.get('uploadAttachment' as OperationId)
    const orderId = this.idsFor('poId').find((id) => this.#shownTo.has(id))
    if (create === undefined || upload === undefined || orderId === undefined) return
    const order = await this.#service.request('GET', `/api/ext/purchase-orders/${orderId}`, undefined, {
      key: this.key,
    })
    const sheet = { sheetNumber: `A-${this.#mark}`, title: 'First floor plan', discipline: 'architectural' }
    const drawing = await this.#create(create.path, { homeId: order.body?.homeId, ...sheet })
    if (drawing.status !== 201) return
    const query = new URLSearchParams({ recordId: drawing.body.id, fileName: 'Sheet.pdf' })
    const file = await this.send(upload, { address: `${upload.path}?${query}` })
    const revision = { attachmentId: file.body?.id, label: 'A' }
    const path = `${create.path}/${drawing.body.id}/revisions`
    const revised = await this.#service.request('POST', path, revision, { key: this.key })
    for (const response of [drawing, file, revised]) this.learn(response)
    this.#shownTo.set(drawing.body.id, String(order.body?.vendorId))
    this.#made.set(getIdPrefix(drawing.body.id), create)
  }

  /**
   * Imports a file with one vendor, because only a finished import can be undone. The service processes the preview and
   * the import in the background.
   */
  async importFile(): Promise<void> {
    const [upload, start, get, getRows] = ['uploadImport', 'startImport', 'getImport', 'getImportRows'].map((id) =>
      contract.operations.get(id as OperationId),
    )
    if (upload === undefined || start === undefined || get === undefined || getRows === undefined) return
    const content = Buffer.from(`Company\nImported Framing ${this.#mark}\n`).toString('base64')
    const uploaded = await this.send(upload, {
      address: `${upload.path}?kind=vendor&fileName=vendors.csv`,
      body: { content },
    })
    this.learn(uploaded, upload)
    const { id } = uploaded.body ?? {}
    const address = ({ path }: Operation) => path.replace(/\{\w+\}/, String(id))
    const deadline = Date.now() + BACKGROUND_MS
    for (const dryRun of [true, false]) {
      let { status, body } = await this.send(start, { address: address(start), body: { dryRun } })
      while (status === 200 && ['checking', 'importing'].includes(body?.status) && Date.now() < deadline) {
        await new Promise((next) => setTimeout(next, 100))
        ;({ status, body } = await this.send(get, { address: address(get) }))
      }
    }
    const { body } = await this.send(getRows, { address: address(getRows) })
    for (const { recordId } of (body?.rows ?? []) as { recordId: string | null }[])
      if (recordId !== null) this.remember(recordId)
    const creation = CREATIONS.find((operation) => findCreatedPrefix(operation) === findIdPrefix('vendorId'))
    if (creation !== undefined) this.#made.set(findIdPrefix('vendorId') ?? '', creation)
  }

  /** Asks vendors to confirm dates. Their portals then show the tasks and visits. */
  async #openPortals(): Promise<void> {
    for (const operation of CONFIRMATION_REQUESTS) {
      const ids = this.idsFor(/\{(\w+)\}/.exec(operation.path)?.[1] ?? '')
      for (const [which] of ids.entries()) {
        const address = this.addressOf(operation, which)
        if (address !== undefined) this.learn(await this.send(operation, { address }), operation)
      }
    }
  }

  /**
   * Copies the portal links for these vendors and invitations, or for all that have no link yet, because no other
   * response contains a token. Without the permission to copy links, this world cannot open the portal.
   */
  async copyLinks(subjects?: readonly string[]): Promise<void> {
    for (const operation of LINK_COPIES) {
      for (const id of this.idsFor(/\{(\w+)\}/.exec(operation.path)?.[1] ?? '')) {
        if (subjects === undefined ? this.#portalTokens.has(id) : !subjects.includes(id)) continue
        this.#portalTokens.delete(id)
        const address = operation.path.replace(/\{\w+\}/, id)
        this.learn(await this.#service.request('POST', address, undefined, { key: this.key }), operation)
      }
    }
  }

  /**
   * Issues the last resource of each kind to a vendor with a portal link, because the portal shows only issued
   * resources.
   */
  async #issue(): Promise<void> {
    for (const operation of ISSUING_OPERATIONS) {
      const ids = this.idsFor(/\{(\w+)\}/.exec(operation.path)?.[1] ?? '')
      for (let which = ids.length - 1; which >= 0; which--) {
        const address = this.addressOf(operation, which)
        if (address === undefined) break
        for (const body of this.bodiesOf(operation)) {
          const response = await this.send(operation, { address, body })
          this.learn(response, operation)
          if (response.status >= 300 || isIssued(response.body)) break
        }
        if (this.#tokenTo(ids[which] ?? '') !== undefined) break
      }
    }
  }

  /** Attaches a shared file to each kind of record whose files the portal shows. */
  async #share(): Promise<void> {
    const upload = contract.operations.get('uploadAttachment' as OperationId)
    if (upload === undefined) return
    for (const operation of PORTAL_DOWNLOADS) {
      const [recordId] = this.#idsIn(operation, /\{(\w+)\}/.exec(operation.path)?.[1] ?? '')
      if (recordId === undefined) continue
      const query = new URLSearchParams({ recordId, fileName: 'Shared.png', shared: 'true' })
      this.learn(await this.send(upload, { address: `${upload.path}?${query}` }), upload)
    }
  }

  /** Runs skills as dry runs, so that there are execution records. */
  async #tryOut(): Promise<void> {
    const execute = contract.operations.get('executeSkill' as OperationId)
    if (execute === undefined) return
    for (const body of this.bodiesOf(execute))
      if ((body as { dryRun?: unknown }).dryRun === true) this.learn(await this.send(execute, { body }), execute)
  }

  async #create(address: string, body: unknown): Promise<ServiceResponse> {
    const create = (content: unknown) => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      return this.#service.request('POST', address, content, { key: this.key, headers })
    }
    return sendWithFreeNames(body, create)
  }

  /**
   * Returns the examples of an operation's body that can be sent now. For an operation without a body, returns a list
   * with the single value undefined.
   */
  bodiesOf(operation: Operation): unknown[] {
    return this.#playable(operation).map(({ body }) => body)
  }

  #playable(operation: Operation): { example: unknown; body: unknown }[] {
    if (!operation.takesBody) return [{ example: {}, body: undefined }]
    return listEntriesAtPath(...toOperationKeyPath(operation), 'requestBody', 'content', 'application/json', 'examples')
      .map(([, { value }]) => ({ example: value, body: this.#bodyLike(value, operation) }))
      .filter(({ body }) => body !== undefined)
  }

  #bodyLike(example: unknown, operation: Operation): unknown {
    if (isSync(operation)) return this.#own(example)
    // A user has one timesheet for each week, and a submitted timesheet cannot be removed.
    const body = this.real(example, operation.declaration.tags?.includes('Timesheets') === true ? this.#weeksAgo : 0)
    return isOpenToApiKeys(operation) ? body : this.#withShownRecords(body)
  }

  /** Replaces each record in a body that the portal does not show with a record of the same kind that it shows. */
  #withShownRecords(value: unknown): unknown {
    if (typeof value === 'string') {
      if (!TYPE_ID.test(value) || this.#tokenTo(value) !== undefined) return value
      const isShown = (id: string) => getIdPrefix(id) === getIdPrefix(value) && this.#tokenTo(id) !== undefined
      return [...this.#shownTo.keys()].findLast(isShown) ?? value
    }
    if (Array.isArray(value)) return value.map((inner) => this.#withShownRecords(inner))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, this.#withShownRecords(inner)]))
  }

  // Changes the builder's own keys in an example, because a sync finds records by these keys and must not find records
  // from before the run.
  #own(example: unknown): unknown {
    const { rows, ...rest } = (this.real(example) ?? {}) as { rows?: Record<string, unknown>[] }
    if (rows === undefined) return undefined
    const marked = rows.map((row) =>
      Object.entries(row).map(([field, value]) => [field, OWN_KEYS.has(field) ? `${value} ${this.#mark}` : value]),
    )
    return { ...rest, rows: marked.map((entries) => Object.fromEntries(entries)) }
  }

  /** Sends a request for an operation with its first usable example, unless the caller overrides parts of it. */
  async send(operation: Operation, other: Partial<OperationRequest> = {}): Promise<ServiceResponse> {
    const address = other.address ?? this.addressFor(operation)
    const body = 'body' in other ? other.body : this.bodyOf(operation)
    const key = other.key === undefined ? this.credentialFor(operation, address, body) : other.key
    const response = await this.#service.request(operation.method, address, body, { key, headers: other.headers ?? {} })
    if (response.status < 300 && LINK_REPLACEMENTS.has(operation) && !this.#isStateless)
      await this.copyLinks(address.split(/[/?]/))
    if (response.status < 300 && isPortalCreation(operation) && typeof key === 'string')
      this.#rememberOfPortal(response.body?.id, key)
    return response
  }

  /** Returns a valid body, either from an example or, if no example can be used, generated from the schema. */
  bodyOf(operation: Operation): unknown {
    if (!operation.takesBody) return undefined
    const [example] = this.bodiesOf(operation)
    return (
      example ??
      makeValidValue(findBodySchema(operation), {
        random: new SeededRandom(1),
        idFor: (field) => this.idFor(field),
        url: this.receiver,
      })
    )
  }

  /**
   * Stores every ID in a response as existing. If the operation is given and its response is not about resources of
   * this world, ignores the kinds that the run can create, because a run may change only its own resources.
   */
  learn(response: ServiceResponse, operation?: Operation): void {
    // A dry run was rolled back, including its tokens.
    if (this.#isStateless || response.status >= 300 || response.body?.dryRun === true) return
    for (const token of listPortalTokens(response.body)) this.admit(token)
    const { id, vendorId, portalStatus, recordId } = response.body ?? {}
    if (typeof recordId === 'string') this.#hangsOn.set(id, recordId)
    if (portalStatus === 'not_invited') this.#portalTokens.delete(id)
    // If a vendor was asked to confirm a record, its portal shows that record.
    const isShown =
      isIssued(response.body) ||
      isConfirmationRequested(response.body) ||
      isAssigned(response.body) ||
      VENDOR_DOCUMENT_PREFIXES.includes(getIdPrefix(String(id)))
    if (isShown && typeof vendorId === 'string') this.#shownTo.set(id, vendorId)
    // A message is visible in the portals of its recipients.
    const { recipients } = (response.body ?? {}) as { recipients?: unknown }
    for (const recipient of Array.isArray(recipients) ? recipients : [])
      if (recipient?.type === 'vendor') this.#shownTo.set(id, recipient.id)
    const makes = operation === undefined || '201' in operation.declaration.responses || isSync(operation)
    const isOwn = makes || this.#isOnOwn(operation)
    for (const id of listIds(omitOutcomes(response.body))) {
      // Ignores IDs from examples. They occur in responses that contain the contract itself, but the resources do not
      // exist.
      if (EXAMPLE_IDS.has(id) || (!isOwn && this.#made.has(getIdPrefix(id)))) continue
      this.remember(id)
    }
  }

  #isOnOwn({ path }: Operation): boolean {
    const [, parameter = ''] = /\{(\w+)\}/.exec(path) ?? []
    return this.#made.has(findIdPrefix(parameter) ?? '')
  }

  /** The kinds that the run has created, by prefix, with the operation that creates each. */
  get made(): ReadonlyMap<string, Operation> {
    return this.#made
  }

  idsOf(prefix: string): readonly string[] {
    return this.#existing.get(prefix) ?? []
  }

  remember(id: string): void {
    const prefix = getIdPrefix(id)
    const known = this.#existing.get(prefix)
    if (known === undefined) this.#existing.set(prefix, [id])
    else if (!known.includes(id)) known.push(id)
  }
}

/** The maximum time to wait for work that the service does in the background. */
const BACKGROUND_MS = 15_000

/**
 * The number of rounds in which creations are sent. A creation may need a resource whose creation comes later in the
 * contract, and that one may need another.
 */
const ROUNDS = 4

export interface OperationRequest {
  address: string
  body: unknown
  key: string | null | undefined
  headers: Record<string, string>
}

const OWN_KEYS = new Set(['sku', 'code', 'parentCode', 'externalId', 'accountingId'])

function isIssued(body: unknown): boolean {
  const { issuedAt } = (body ?? {}) as { issuedAt?: unknown }
  return typeof issuedAt === 'string'
}

/** Returns whether the item is assigned to a vendor. */
function isAssigned(body: unknown): boolean {
  const { status, assignedAt } = (body ?? {}) as { status?: unknown; assignedAt?: unknown }
  return status === 'assigned' && typeof assignedAt === 'string'
}

/** Returns whether the vendor of a task was asked to confirm its date. */
function isConfirmationRequested(body: unknown): boolean {
  const { confirmation } = (body ?? {}) as { confirmation?: { requestedAt?: unknown } | null }
  return typeof confirmation?.requestedAt === 'string'
}

/** Leaves out the outcomes of proposals. Until a proposal is approved, the records in its outcome do not exist. */
function omitOutcomes(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const { outcome, data, ...rest } = body as { outcome?: unknown; data?: unknown; status?: unknown }
  if (rest.status === 'approved') return { ...rest, data, outcome }
  return Array.isArray(data) ? { ...rest, data: data.map(omitOutcomes) } : { ...rest, data }
}

/** Yields every text in a body. */
function* listTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* listTexts(inner)
}

/** Yields the tokens of the portal links in a response. */
function* listPortalTokens(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  const { portalUrl } = value as { portalUrl?: unknown }
  const token = typeof portalUrl === 'string' ? portalUrl.slice(portalUrl.lastIndexOf('/') + 1) : ''
  // Ignores tokens from examples. They occur in responses that contain the contract itself, but open no page.
  const isShown = EXAMPLE_IDS.has(token.slice(0, token.indexOf('.')))
  if (token !== '' && !isShown) yield token
  for (const inner of Object.values(value)) yield* listPortalTokens(inner)
}

/** The ID prefixes of records that a vendor's portal always shows. */
const VENDOR_DOCUMENT_PREFIXES = [
  findIdPrefix('complianceDocumentId'),
  findIdPrefix('lienWaiverId'),
  findIdPrefix('visitId'),
]
