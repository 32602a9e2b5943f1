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
 * The caller and its permissions. API keys, users, vendors, and the service itself are all principals. Only the
 * authentication code knows how a caller has signed in. The kind and the ID of the principal are recorded with its
 * changes.
 */
export interface Principal {
  readonly kind: Actor['type']
  /** The ID of the API key, user, or vendor; null for the service. */
  readonly id: string | null
  /** The app that acts for a user; absent if the user acts directly. */
  readonly via?: NonNullable<Actor['via']>
  /** The user who copied the portal link that a vendor uses; absent if the vendor uses its own link. */
  readonly copiedBy?: LinkCopier
  readonly organization: Organization
  readonly permissions: ReadonlySet<string>
  /** The maximum total of a purchase order that the caller can approve; null if there is no limit. */
  readonly poApprovalLimit: number | null
  /**
   * Whether the caller is a web page that sends a browser token instead of an API key (see
   * server/platform/keys/browser-token.ts).
   */
  readonly isInBrowser?: true
  /** Whether all changes of this caller become proposals (see server/interfaces/proposals). */
  readonly isProposeOnly?: true
  /** The ID of the only record that the credential can access; null if there is no such limit. */
  readonly subjectId: string | null
  /**
   * The counters for the rate limits: one for each minute, and one for each day if the requests count toward the daily
   * quota.
   */
  readonly counters: {
    readonly minute: string
    /** Which limit per minute applies. */
    readonly kind: 'key' | 'portal' | 'user' | 'visitor'
    readonly day: string | null
  }
}

/** Returns the actor that is recorded for changes of the principal. */
export function getActor({ kind, id, via, copiedBy }: Principal): Actor {
  if (copiedBy !== undefined && kind === 'vendor') return { type: kind, id, source: 'portal_copied_link', copiedBy }
  return via === undefined || kind !== 'user' ? { type: kind, id } : { type: kind, id, via }
}

/**
 * Returns the ID of the caller's credential (a key, a session, or a grant), which distinguishes it from other
 * credentials of the same caller.
 */
export function getCredentialId({ id, via }: Principal): string | null {
  return via === undefined ? id : via.grantId
}

/** The fields of the builder that all calls use. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly tier: string
  readonly currency: string
  readonly timeZone: string
}

/** The database, and the organization to which a query is limited. All queries have this parameter. */
export interface Tenant {
  readonly db: Db
  readonly organizationId: string
  /** Collects the records that the call reads; null if they are not needed. */
  readonly reads?: RecordReads | null
}

/**
 * A call of an operation, over HTTP or from a skill. The call contains all data that a handler needs besides its input.
 * `now` is constant during the call, so all rows that the call stores have the same timestamp.
 */
export interface Call extends Tenant {
  readonly principal: Principal
  readonly actor: Actor
  readonly permissions: ReadonlySet<Permission | string>
  readonly poApprovalLimit: number | null
  readonly currency: string
  readonly timeZone: string
  readonly requestId: string
  /** The IP address of the request; null for the service itself. */
  readonly address: string | null
  readonly now: Date
  /**
   * The database for single statements. Each statement is a separate transaction, unless the call is part of another
   * transaction. While `write` runs, using this property throws, because statements of the transaction must use the
   * call that `write` provides. In the embedded database, which has only one connection, any other statement would wait
   * forever.
   */
  readonly db: Db
  /** Executes several statements in one transaction. They must use the call that is passed to `work`. */
  write<T>(work: (call: WriteCall) => Promise<T>): Promise<T>
  /** The events recorded so far, in order. */
  readonly events: RecordedEvent[]
  /** The changes that the open transaction has made so far, for the audit trail. */
  readonly changes: Change[]
  /** The rows that the open transaction will store before it commits. */
  readonly pendingRows: PendingRows
  /**
   * The IDs of the blind bid requests that the open transaction has closed, so that their hidden amounts become
   * visible.
   */
  readonly opened: Set<string>
  /**
   * Whether the amounts of the requests in `opened` stay hidden until the transaction ends. The amounts stay hidden
   * during dry runs, batches, and composite skills, because these could read the amounts and then be rolled back.
   */
  readonly keepsHidden: boolean
  /** Whether all changes of the call are rolled back when it ends. */
  readonly isDryRun: boolean
  /**
   * Calls another operation as the same caller and in the same transaction, with all checks. `input` contains all
   * parameters and fields at one level.
   */
  operation<Id extends OperationId>(id: Id, input: Record<string, unknown>): Promise<ResponseBody<Id>>
  readonly reads: RecordReads | null
  readonly services: Services
  readonly isWriting: boolean
}

/**
 * A call that is inside a transaction. Functions that lock rows or record events require a WriteCall, so they cannot be
 * called outside a transaction.
 */
export interface WriteCall extends Call {
  readonly isWriting: true
  /**
   * Registers a function that is called after the outermost transaction has committed. It is not called if the commit
   * fails.
   */
  afterCommit(work: () => void): void
}

export function isWriteCall(call: Call): call is WriteCall {
  return call.isWriting
}

/**
 * A caller that reads only data derived from the API contract: the published document, the skills, and their schemas.
 */
export interface ContractReader {
  readonly permissions: ReadonlySet<string>
  readonly services: { readonly contract: Contract; readonly config: Pick<Config, 'publicUrl'> }
}

/** The services of the process that calls can use. */
export interface Services {
  readonly contract: Contract
  readonly config: Config
  readonly clock: Clock
  readonly database: Database
  readonly limits: RateLimits
  readonly files: Files
  /** Identities for sign-in, sign-in links, and sessions. */
  readonly identity: Identity
  /** The queue of requests for sign-in links. These requests are processed after the response has been sent. */
  readonly linkRequests: LinkRequestQueue
  /** The queue of requests from vendors for the list of their portal links. */
  readonly linkListRequests: LinkRequestQueue
  /** The queue of home owners' requests for a new link. */
  readonly ownerLinkRequests: LinkRequestQueue
  /** Requests that wait for future events. */
  readonly eventWaits: EventWaits
  /** Tells the event dispatcher how many events were committed. */
  eventsCommitted(count: number): void
  /**
   * Tells the deliverer that a webhook subscription may have due deliveries. The deliverer checks immediately, so call
   * this function in `afterCommit`.
   */
  deliveriesDue(webhook: { organizationId: string; webhookId: string }): void
  /** Just before a transaction commits, records its changes that have no event. */
  recordChanges(call: WriteCall): Promise<void>
  /**
   * After a rollback, records which blind bid requests the transaction had closed, because their amounts may have been
   * disclosed.
   */
  recordUndoneOpenings(call: Call, ids: ReadonlySet<string>): Promise<void>
  /**
   * Stores the rows that a transaction has collected, so that statements can read them or a savepoint can roll them
   * back.
   */
  storeRecorded(call: WriteCall): Promise<void>
  /** Calls an operation in this process on behalf of a call; see `Call.operation`. */
  operate<Id extends OperationId>(call: Call, id: Id, input: Record<string, unknown>): Promise<ResponseBody<Id>>
}

export interface RecordedEvent {
  readonly id: string
  readonly type: string
  readonly resourceId: string
  readonly payload: string
}

/**
 * Events and status changes that are stored together. Otherwise, each of them would need a round trip to the database.
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
  /** The request ID and the client address, which the audit trail shows for the event. */
  requestId: string
  address: string | null
  /** The permissions that are required to read this event in addition to the permission of its type; usually none. */
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

/** A change of one record. For a job, the actor and the time can differ from those of the call. */
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
 * Records for the audit trail that a call has changed a record. If the change also has an event, the audit trail shows
 * the event.
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
  /** Defaults to the current time. */
  now?: Date
}

/** Returns a call that is not part of a transaction. */
export function createCall(services: Services, { principal, requestId, address, now }: CallOrigin): Call {
  const { organization, permissions, poApprovalLimit } = principal
  const access = services.database.of(organization.id)
  // Jobs of a builder run one at a time, and must not wait for the requests of the builder.
  const transaction = principal.kind === 'system' ? access.transaction : access.transactionInTurn
  const events: RecordedEvent[] = []
  const changes: Change[] = []
  const pendingRows: PendingRows = { events: [], statusChanges: [] }
  const opened = new Set<string>()
  // Every request creates a call. Therefore, the object is created without the spread operator, which is slower. The
  // same applies to the functions below.
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
          // After a deadlock, the work is executed again. The events of the first execution were rolled back.
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
        // Record the disclosure before the error response is sent, so that every disclosure has an audit entry.
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

/** The `db` of a call while its transaction is open. */
const FORBIDDEN_DB: Db = new Proxy({} as Db, {
  get() {
    throw new Error('Expected the call that call.write passes to its callback.')
  },
})

/**
 * Returns a call inside a transaction that the calling code has opened and will commit. The calling code must store the
 * collected rows with `storePendingRows` and announce the events.
 */
export function createCallInTransaction(services: Services, trx: Db, caller: CallOrigin): WriteCall {
  return writeCall(createCall(services, caller), trx, () => {
    throw new Error('Expected a call that is notified of its commit.')
  })
}

/** Returns the same call in the same transaction with another actor or time, for jobs. */
export function copyCallForPrincipal(call: WriteCall, principal: Principal, now: Date = call.now): WriteCall {
  const { services, requestId, address, events, changes, pendingRows } = call
  const { opened, keepsHidden, isDryRun, reads } = call
  const shared = { events, changes, pendingRows, opened, keepsHidden, isDryRun, reads }
  const other = { ...createCall(services, { principal, requestId, address, now }), ...shared }
  return writeCall(other, call.db, call.afterCommit)
}

/** Returns the same call with the service itself as the principal. */
export function toSystemCall(call: WriteCall): WriteCall {
  return copyCallForPrincipal(call, { ...call.principal, kind: 'system', id: null })
}

/** Returns the same call as a dry run. The calling code will roll back its transaction. */
export function toDryRunCall(call: WriteCall): WriteCall {
  return writeCall({ ...call, keepsHidden: true, isDryRun: true }, call.db, call.afterCommit)
}

/** Returns the same call in the same transaction, with `keepsHidden` set. */
export function toSealedCall(call: WriteCall): WriteCall {
  return writeCall({ ...call, keepsHidden: true }, call.db, call.afterCommit)
}

/** Returns the same call in the same transaction, which then collects the records that it reads. */
export function toReadTrackingCall(call: WriteCall, reads: RecordReads): WriteCall {
  return writeCall({ ...call, reads }, call.db, call.afterCommit)
}

/** The fields of a call that determine whether amounts of bids are hidden. */
export type SealState = Pick<Call, 'opened' | 'keepsHidden'>

/**
 * Returns the IDs of the blind bid requests whose amounts stay hidden although the open transaction has closed the
 * requests.
 */
export function listSealedRequestIds({ opened, keepsHidden }: SealState): string[] {
  return keepsHidden ? [...opened] : []
}

/**
 * Returns the state that determines which amounts are hidden in events. Events can be read only after the commit, so
 * they contain the amounts of requests that the transaction has closed. In a dry run, these amounts are hidden, because
 * a dry run returns its events.
 */
export function getEventSealState({ opened, isDryRun }: Call): SealState {
  return { opened, keepsHidden: isDryRun }
}

/** Returns the call inside the transaction. Events of this call are added to the outer call. */
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
