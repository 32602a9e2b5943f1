import type { Actor, LinkCopier, Permission } from '../../../client/contract.gen.ts'
import type { LinkRequestQueue } from '../../domain/administration/sign-in/link-requests.ts'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../database/database.ts'
import type { EventWaits } from '../events/event-waits.ts'
import type { Files } from '../files/files.ts'
import type { Identity } from '../keys/identity.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { RecordReads } from '../resources/record-reads.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Contract, OperationId } from './contract.ts'
import type { ResponseBody } from './operation.ts'

/**
 * The caller and its permissions. API keys, users, vendors, and the service itself are all represented in this way.
 * Only the authentication code knows how a caller signed in. The actions of a caller are recorded with the principal's
 * kind and ID.
 */
export interface Principal {
  readonly kind: Actor['type']
  /** The ID of the API key, user, or vendor; null for the service itself. */
  readonly id: string | null
  /** The app that acts for a user; absent if the user acts directly. */
  readonly via?: NonNullable<Actor['via']>
  /** The user who copied the portal link through which a vendor acts; absent for the vendor's own link. */
  readonly copiedBy?: LinkCopier
  readonly organization: Organization
  readonly permissions: ReadonlySet<string>
  /** The largest purchase order that the caller may approve; null for no limit. */
  readonly poApprovalLimit: number | null
  /** Whether the caller is a web page with a token instead of the API key (server/platform/keys/browser-token.ts). */
  readonly isInBrowser?: true
  /** Whether all changes of this caller become proposals (server/interfaces/proposals). */
  readonly isProposeOnly?: true
  /** The single record that the credential is limited to; null if it is not limited. */
  readonly subjectId: string | null
  /**
   * The rate-limit counters of the principal's requests: per minute, and per day if the requests count toward the
   * quota.
   */
  readonly counters: {
    readonly minute: string
    /** The per-minute limit that applies. */
    readonly kind: 'key' | 'portal' | 'user' | 'visitor'
    readonly day: string | null
  }
}

/** Returns the actor that is recorded for the principal's changes. */
export function getActor({ kind, id, via, copiedBy }: Principal): Actor {
  if (copiedBy !== undefined && kind === 'vendor') return { type: kind, id, source: 'portal_copied_link', copiedBy }
  return via === undefined || kind !== 'user' ? { type: kind, id } : { type: kind, id, via }
}

/**
 * Returns the ID of the caller's credential: a key, a session, or a grant. The ID distinguishes the credential from
 * other credentials of the same caller.
 */
export function getCredentialId({ id, via }: Principal): string | null {
  return via === undefined ? id : via.grantId
}

/** The fields of the builder that every call needs. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly tier: string
  readonly currency: string
  readonly timeZone: string
}

/** The database and the organization whose rows are read. Every query takes this argument. */
export interface Tenant {
  readonly db: Db
  readonly organizationId: string
  /** Collects the records that the call reads, if requested. */
  readonly reads?: RecordReads | null
}

/**
 * A single call of an operation, over HTTP or from a skill. The call contains all data that a handler needs in addition
 * to its input. `now` does not change during the call, so all rows that the call writes have the same timestamp.
 */
export interface Call extends Tenant {
  readonly principal: Principal
  readonly actor: Actor
  readonly permissions: ReadonlySet<Permission | string>
  readonly poApprovalLimit: number | null
  readonly currency: string
  readonly timeZone: string
  readonly requestId: string
  /** IP address of the request; null for the service itself. */
  readonly address: string | null
  readonly now: Date
  /**
   * The database for single statements. Each statement is its own transaction, unless the call is part of a larger
   * transaction. Throws an error while `write` is running, because that work must use its own call. On the embedded
   * database, which has only one connection, a statement outside the transaction would wait forever.
   */
  readonly db: Db
  /** Runs several statements as one transaction. The work must use the call that is passed to it. */
  write<T>(work: (call: WriteCall) => Promise<T>): Promise<T>
  /** The events recorded so far, in order. */
  readonly events: RecordedEvent[]
  /** The changes of the open transaction so far, for the audit trail. */
  readonly changes: Change[]
  /** Rows that the open transaction stores before it commits. */
  readonly pendingRows: PendingRows
  /**
   * IDs of the blind bid requests that the open transaction has opened. The amounts of these requests were hidden
   * before.
   */
  readonly opened: Set<string>
  /**
   * Whether the amounts of `opened` requests stay hidden until the transaction ends. True for dry runs, batches, and
   * composite skills, which can read the opened requests and still be rolled back. Otherwise, an error could reveal the
   * amounts.
   */
  readonly keepsHidden: boolean
  /** Whether all changes of the call are rolled back at the end. */
  readonly isDryRun: boolean
  /** Calls another operation as the same caller, in the same transaction and with the usual checks. `input` is flat. */
  operation<Id extends OperationId>(id: Id, input: Record<string, unknown>): Promise<ResponseBody<Id>>
  readonly reads: RecordReads | null
  readonly services: Services
  readonly isWriting: boolean
}

/**
 * A call inside a transaction. Functions that lock rows or record events require a WriteCall, so they cannot run
 * outside a transaction.
 */
export interface WriteCall extends Call {
  readonly isWriting: true
  /** Registers work to run after the outermost transaction commits. The work does not run if the commit fails. */
  afterCommit(work: () => void): void
}

export function isWriteCall(call: Call): call is WriteCall {
  return call.isWriting
}

/** A reader of data that is derived only from the contract: the published document, the skills, and their schemas. */
export interface ContractReader {
  readonly permissions: ReadonlySet<string>
  readonly services: { readonly contract: Contract; readonly config: Pick<Config, 'publicUrl'> }
}

/** Services that the process provides to its calls. */
export interface Services {
  readonly contract: Contract
  readonly config: Config
  readonly clock: Clock
  readonly database: Database
  readonly limits: RateLimits
  readonly files: Files
  /** Identities, sign-in links, and sessions. */
  readonly identity: Identity
  /** The queue of requests for sign-in links, which are processed after the response is sent. */
  readonly linkRequests: LinkRequestQueue
  /** The queue of vendors' requests for the list of their portal links. */
  readonly linkListRequests: LinkRequestQueue
  /** The queue of home owners' requests for a new link. */
  readonly ownerLinkRequests: LinkRequestQueue
  /** Requests that wait for future events. */
  readonly eventWaits: EventWaits
  /** Informs the event dispatcher of the number of committed events. */
  eventsCommitted(count: number): void
  /**
   * Informs the deliverer that a webhook subscription may have deliveries to send. The deliverer checks immediately, so
   * call this function in `afterCommit`.
   */
  deliveriesDue(webhook: { organizationId: string; webhookId: string }): void
  /** Records the changes of a transaction that no event covers, just before it commits. */
  recordChanges(call: WriteCall): Promise<void>
  /** After a rollback, records the blind bid requests that the transaction had opened. */
  recordUndoneOpenings(call: Call, ids: ReadonlySet<string>): Promise<void>
  /** Stores the rows that a transaction has recorded, so that a statement can read them or roll them back. */
  storeRecorded(call: WriteCall): Promise<void>
  /** Calls an operation in-process on behalf of a call. See `Call.operation`. */
  operate<Id extends OperationId>(call: Call, id: Id, input: Record<string, unknown>): Promise<ResponseBody<Id>>
}

export interface RecordedEvent {
  readonly id: string
  readonly type: string
  readonly resourceId: string
  readonly payload: string
}

/**
 * Events and status changes to be stored together. An operation records several events and status changes, and each
 * statement would be a round trip.
 */
export interface PendingRows {
  readonly events: EventRow[]
  readonly statusChanges: StatusChangeRow[]
}

export interface EventRow {
  organizationId: string
  id: string
  type: string
  resourceId: string
  actorId: string | null
  payload: string
  occurredAt: string
  /** The ID and client address of the request, which the audit trail adds to an event. */
  requestId: string
  address: string | null
  /** Permissions required to read this event, in addition to the permission for its type; usually none. */
  permissions?: string[]
}

export interface StatusChangeRow {
  id: string
  resourceId: string
  from: string | null
  to: string
  at: Date
  by: Actor
  reason: string | null
}

/**
 * The change of a single record. If a due job made the change, the actor and time may differ from those of the call.
 */
export interface Change {
  readonly resourceId: string
  readonly what:
    | ('created' | 'updated' | 'archived' | 'secret_rotated' | 'tested' | 'recovered' | 'sent_again')
    | ('opening_undone' | 'rotated' | 'revoked' | 'passkey_added' | 'passkey_removed' | 'filled' | 'emptied')
  readonly fields: readonly string[]
  readonly by: Actor
  readonly at: Date
}

/**
 * Notes a call's change of a record for the audit trail. If an event also covers the change, the audit trail shows the
 * event.
 */
export function recordChange(
  call: WriteCall,
  resourceId: string,
  what: Change['what'],
  fields: readonly string[] = [],
): void {
  call.changes.push({ resourceId, what, fields, by: call.actor, at: call.now })
}

interface CallOrigin {
  principal: Principal
  requestId: string
  address: string | null
  /** Default: now. */
  now?: Date
}

/** Returns a new call that opens its own transactions. */
export function createCall(services: Services, { principal, requestId, address, now }: CallOrigin): Call {
  const { organization, permissions, poApprovalLimit } = principal
  const access = services.database.of(organization.id)
  // Scheduled work for a builder runs one task at a time and must not wait for the builder's requests.
  const transaction = principal.kind === 'system' ? access.transaction : access.transactionInTurn
  const events: RecordedEvent[] = []
  const changes: Change[] = []
  const pendingRows: PendingRows = { events: [], statusChanges: [] }
  const opened = new Set<string>()
  // The object is written without the spread operator, here and below, because every request creates a call.
  const call: { -readonly [Member in keyof Call]: Call[Member] } = {
    organizationId: organization.id,
    principal,
    actor: getActor(principal),
    permissions,
    poApprovalLimit,
    currency: organization.currency,
    timeZone: organization.timeZone,
    requestId,
    address,
    now: now ?? services.clock.now(),
    services,
    isWriting: false,
    db: access.statements,
    events,
    changes,
    pendingRows,
    opened,
    keepsHidden: false,
    isDryRun: false,
    reads: null,
    async write(work) {
      const before = events.length
      const afterwards: (() => void)[] = []
      call.db = FORBIDDEN_DB
      try {
        const result = await transaction(async (trx) => {
          // After a deadlock, the work starts again, and the records of the first attempt were not committed.
          events.length = before
          changes.length = 0
          pendingRows.events.length = 0
          pendingRows.statusChanges.length = 0
          opened.clear()
          afterwards.length = 0
          const inside = writeCall(call, trx, (each) => afterwards.push(each))
          const result = await work(inside)
          await services.storeRecorded(inside)
          if (changes.length > 0) await services.recordChanges(inside)
          return result
        })
        if (events.length > before) services.eventsCommitted(events.length - before)
        for (const each of afterwards) each()
        return result
      } catch (error) {
        // The openings are recorded before the error response, so that every disclosure has an audit entry.
        if (opened.size > 0 && principal.kind !== 'system') await services.recordUndoneOpenings(call, opened)
        throw error
      } finally {
        call.db = access.statements
      }
    },
    operation: (id, input) => services.operate(call, id, input),
  }
  return call
}

/** The `db` of a call while the call's transaction is open. */
const FORBIDDEN_DB: Db = new Proxy({} as Db, {
  get() {
    throw new Error('Expected the call that call.write passes to its callback.')
  },
})

/**
 * Returns a call inside a transaction that the caller has opened and will commit. The caller must store the recorded
 * rows with `storePendingRows` and announce the events.
 */
export function createCallInTransaction(services: Services, trx: Db, caller: CallOrigin): WriteCall {
  return writeCall(createCall(services, caller), trx, () => {
    throw new Error('Expected a call that is notified of its commit.')
  })
}

/** Returns the same call in the same transaction, with another actor or time, for due jobs. */
export function copyCallForPrincipal(call: WriteCall, principal: Principal, now: Date = call.now): WriteCall {
  const { services, requestId, address, events, changes, pendingRows } = call
  const { opened, keepsHidden, isDryRun, reads } = call
  const shared = { events, changes, pendingRows, opened, keepsHidden, isDryRun, reads }
  const other = { ...createCall(services, { principal, requestId, address, now }), ...shared }
  return writeCall(other, call.db, call.afterCommit)
}

/** Returns the same call with the service itself as the caller. */
export function toSystemCall(call: WriteCall): WriteCall {
  return copyCallForPrincipal(call, { ...call.principal, kind: 'system', id: null })
}

/** Returns the same call in the same transaction, which the caller will roll back. */
export function toDryRunCall(call: WriteCall): WriteCall {
  return writeCall({ ...call, keepsHidden: true, isDryRun: true }, call.db, call.afterCommit)
}

/** Returns the same call in the same transaction, with `keepsHidden` set. */
export function toSealedCall(call: WriteCall): WriteCall {
  return writeCall({ ...call, keepsHidden: true }, call.db, call.afterCommit)
}

/** Returns the same call in the same transaction, collecting the records that it reads. */
export function toReadTrackingCall(call: WriteCall, reads: RecordReads): WriteCall {
  return writeCall({ ...call, reads }, call.db, call.afterCommit)
}

/** The fields of a call that decide whether the amounts of bids are hidden. */
export type SealState = Pick<Call, 'opened' | 'keepsHidden'>

/** Returns the IDs of the blind bid requests that stay hidden even though the open transaction has opened them. */
export function listSealedRequestIds({ opened, keepsHidden }: SealState): string[] {
  return keepsHidden ? [...opened] : []
}

/**
 * Returns the state that decides which amounts are hidden in events. Events are read only after the commit, so they
 * show the amounts of the requests that the transaction opened. A dry run is an exception, because it returns its
 * events itself.
 */
export function getEventSealState({ opened, isDryRun }: Call): SealState {
  return { opened, keepsHidden: isDryRun }
}

/** Returns the call to use inside the transaction. The inner call passes its events to the outer call. */
function writeCall(outer: Call, trx: Db, afterCommit: WriteCall['afterCommit']): WriteCall {
  const call: WriteCall = {
    organizationId: outer.organizationId,
    principal: outer.principal,
    actor: outer.actor,
    permissions: outer.permissions,
    poApprovalLimit: outer.poApprovalLimit,
    currency: outer.currency,
    timeZone: outer.timeZone,
    requestId: outer.requestId,
    address: outer.address,
    now: outer.now,
    services: outer.services,
    isWriting: true,
    db: trx,
    events: outer.events,
    changes: outer.changes,
    pendingRows: outer.pendingRows,
    opened: outer.opened,
    keepsHidden: outer.keepsHidden,
    isDryRun: outer.isDryRun,
    reads: outer.reads,
    write: (work) => work(call),
    afterCommit,
    operation: (id, input) => outer.services.operate(call, id, input),
  }
  return call
}
