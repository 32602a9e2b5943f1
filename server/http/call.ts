import type { Actor, Permission } from '../../client/contract.gen.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Db } from '../database/database.ts'
import type { Contract, OperationId } from './contract.ts'
import type { Limits } from './limits.ts'
import type { Answered } from './operation.ts'

/**
 * Who calls, and with what power. An API key, a user, a vendor and the service itself all come in as one of these; the
 * door that let them in knows how, and no room behind it asks. What they do is recorded under this kind and id.
 */
export interface Principal {
  readonly kind: Actor['type']
  /** Of the key, the user or the vendor; null for the service itself. */
  readonly id: string | null
  readonly organization: Organization
  readonly permissions: ReadonlySet<string>
  /** The largest purchase order that may be approved; null means any. */
  readonly poApprovalLimit: number | null
  /** The one thing that its credential was made for, where that is narrower than the permissions; else null. */
  readonly subjectId: string | null
  /** Which counters its requests run up: one of a minute, and one of a day where it spends its organization's quota. */
  readonly counters: {
    readonly minute: string
    /** Whose limit holds for the minute. */
    readonly kind: 'key' | 'portal'
    readonly day: string | null
  }
}

/** What every call needs to know of the builder that it is made for. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly tier: string
  readonly currency: string
  readonly timeZone: string
}

/** Where to read, and whose rows: the one argument of every query. */
export interface Tenant {
  readonly db: Db
  readonly organizationId: string
}

/**
 * One call of one operation, over HTTP or from a skill: everything a handler needs beside its input. Time stands still
 * during a call, so that all that it writes bears the same instant.
 */
export interface Call extends Tenant {
  readonly principal: Principal
  readonly actor: Actor
  readonly permissions: ReadonlySet<Permission | string>
  readonly poApprovalLimit: number | null
  readonly currency: string
  readonly timeZone: string
  readonly requestId: string
  /** Where the request came from; null for what the service does of itself. */
  readonly address: string | null
  readonly now: Date
  /**
   * For single statements: each is a transaction of its own, unless the call is part of a larger one. While `write` is
   * under way it refuses to be used, because the work has a call of its own; on the embedded database, which has but one
   * connection, a statement beside the transaction would wait for it for ever.
   */
  readonly db: Db
  /** Runs several statements as one transaction: all of them hold, or none. The work is given the call to use inside it. */
  write<T>(work: (call: WriteCall) => Promise<T>): Promise<T>
  /** The events recorded so far, in order. */
  readonly events: RecordedEvent[]
  /** What the transaction under way has changed so far, for the audit trail. */
  readonly changes: Change[]
  /**
   * In a dry run, the ids of what held something hidden when the run changed it, though the change may open it. It stays
   * hidden in the result and the events, because the change is undone, and nobody could tell that it was seen. Null
   * where changes hold.
   */
  readonly keptHidden: Set<string> | null
  /** Calls another operation as the same caller, with its input in one flat object: through the same permission check, validation and transaction. */
  operation<Id extends OperationId>(id: Id, input: Record<string, unknown>): Promise<Answered<Id>>
  readonly surroundings: Surroundings
  readonly isWriting: boolean
  /**
   * Its answer is kept for a repeat, in the transaction of what it writes: then no statement that writes may be a
   * transaction of its own.
   */
  readonly answerIsKept: boolean
}

/** A call inside a transaction. What locks rows or records events takes one of these, so that it cannot be had outside. */
export interface WriteCall extends Call {
  readonly isWriting: true
  /** What to do once the outermost transaction is committed. It is not done when that fails. */
  afterCommit(work: () => void): void
}

/** What the process lends to its calls. */
export interface Surroundings {
  readonly contract: Contract
  readonly config: Config
  readonly clock: Clock
  readonly database: Database
  readonly limits: Limits
  /** Tells the dispatcher of events that so many were committed. */
  eventsCommitted(count: number): void
  /** Tells the deliverer that a subscription may have something to send; from `afterCommit`, for it looks at once. */
  deliveriesDue(webhook: { organizationId: string; webhookId: string }): void
  /** Writes down, in the transaction that is about to be committed, those of its changes that no event tells of. */
  recordChanges(call: WriteCall): Promise<void>
  /** Calls an operation in-process on behalf of a call; see `Call.operation`. */
  operate<Id extends OperationId>(call: Call, id: Id, input: Record<string, unknown>): Promise<Answered<Id>>
}

export interface RecordedEvent {
  readonly id: string
  readonly type: string
  readonly resourceId: string
  readonly payload: string
}

/** What became of one resource. Who did it and when may differ from the call's: the calendar does things beside a caller. */
export interface Change {
  readonly resourceId: string
  readonly what: 'created' | 'updated' | 'archived' | 'secret_rotated' | 'tested' | 'recovered' | 'sent_again'
  readonly fields: readonly string[]
  readonly by: Actor
  readonly at: Date
}

/** Notes what a call has done to a resource. Where an event tells of it too, the event is what the audit trail shows. */
export function noteChange(
  call: WriteCall,
  resourceId: string,
  what: Change['what'],
  fields: readonly string[] = [],
): void {
  call.changes.push({ resourceId, what, fields, by: call.actor, at: call.now })
}

interface Caller {
  principal: Principal
  requestId: string
  address: string | null
  /** When it is; now where left out. */
  now?: Date
}

/** A call with its own transactions, as it begins. */
export function newCall(surroundings: Surroundings, { principal, requestId, address, now }: Caller): Call {
  const { organization, permissions, poApprovalLimit } = principal
  const access = surroundings.database.of(organization.id)
  // What the calendar does for a builder is one thing at a time, and no builder's flood may hold it up.
  const transaction = principal.kind === 'system' ? access.transaction : access.transactionInTurn
  const events: RecordedEvent[] = []
  const changes: Change[] = []
  // Written out, here and below, because every request makes one of these.
  const call: { -readonly [Member in keyof Call]: Call[Member] } = {
    organizationId: organization.id,
    principal,
    actor: { type: principal.kind, id: principal.id },
    permissions,
    poApprovalLimit,
    currency: organization.currency,
    timeZone: organization.timeZone,
    requestId,
    address,
    now: now ?? surroundings.clock.now(),
    surroundings,
    isWriting: false,
    answerIsKept: false,
    db: access.statements,
    events,
    changes,
    keptHidden: null,
    async write(work) {
      const before = events.length
      const afterwards: (() => void)[] = []
      call.db = REFUSING
      try {
        const result = await transaction(async (trx) => {
          // After a deadlock the work begins anew, and what the first try recorded was never committed.
          events.length = before
          changes.length = 0
          afterwards.length = 0
          const inside = writeCall(call, trx, (each) => afterwards.push(each))
          const result = await work(inside)
          if (changes.length > 0) await surroundings.recordChanges(inside)
          return result
        })
        if (events.length > before) surroundings.eventsCommitted(events.length - before)
        for (const each of afterwards) each()
        return result
      } finally {
        call.db = access.statements
      }
    },
    operation: (id, input) => surroundings.operate(call, id, input),
  }
  return call
}

/** What a call reads by while its transaction is under way. */
const REFUSING: Db = new Proxy({} as Db, {
  get() {
    throw new Error('Inside call.write, use the call that it hands to its work.')
  },
})

/** A call as part of a transaction that somebody else began and will commit, and whose events they will announce. */
export function callWithin(surroundings: Surroundings, trx: Db, caller: Caller): WriteCall {
  return writeCall(newCall(surroundings, caller), trx, () => {
    throw new Error('Nobody tells this call when its transaction is committed.')
  })
}

/** The same work in the same transaction, done by another or at another time: what the calendar does beside a caller. */
export function as(call: WriteCall, principal: Principal, now: Date = call.now): WriteCall {
  const { surroundings, requestId, address, events, changes, keptHidden } = call
  const other = { ...newCall(surroundings, { principal, requestId, address, now }), events, changes, keptHidden }
  return writeCall(other, call.db, call.afterCommit)
}

/** The service itself, acting for the builder of this call. */
export function asSystem(call: WriteCall): WriteCall {
  return as(call, { ...call.principal, kind: 'system', id: null })
}

/** The same work in the same transaction, which its caller is going to undo. */
export function asDryRun(call: WriteCall): WriteCall {
  return writeCall({ ...call, keptHidden: new Set() }, call.db, call.afterCommit)
}

/** The call as its transaction's; it tells its events to the one that it was made of. */
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
    surroundings: outer.surroundings,
    isWriting: true,
    answerIsKept: false,
    db: trx,
    events: outer.events,
    changes: outer.changes,
    keptHidden: outer.keptHidden,
    write: (work) => work(call),
    afterCommit,
    operation: (id, input) => outer.surroundings.operate(call, id, input),
  }
  return call
}
