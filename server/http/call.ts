import { typeid } from 'typeid-js'
import type { Actor, Permission } from '../../client/contract.gen.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Db } from '../database/database.ts'
import type { Contract, OperationId } from './contract.ts'
import type { Limits } from './limits.ts'
import type { Answered } from './operation.ts'

/** Who calls, with what power, as found from the API key. */
export interface Principal {
  readonly keyId: string
  readonly keyName: string
  readonly organizationId: string
  readonly organizationName: string
  readonly tier: string
  readonly currency: string
  readonly timeZone: string
  /** What the key was given, less what its creator's role does not have now. */
  readonly permissions: ReadonlySet<string>
  /** The largest purchase order that may be approved; null means any. */
  readonly poApprovalLimit: number | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/**
 * One call of one operation, over HTTP or from a skill: everything a handler needs beside its input. Time stands still
 * during a call, so that all that it writes bears the same instant.
 */
export interface Call {
  readonly organizationId: string
  readonly actor: Actor
  readonly principal: Principal
  readonly permissions: ReadonlySet<Permission | string>
  readonly poApprovalLimit: number | null
  readonly currency: string
  readonly timeZone: string
  readonly requestId: string
  readonly now: Date
  /** The If-Match header, where one was sent. */
  readonly ifMatch: string | undefined
  /** For single statements: each is a transaction of its own, unless the call is part of a larger one. */
  readonly db: Db
  /** Whether `db` is a transaction that the call is part of. */
  readonly isWithin: boolean
  /**
   * Runs several statements as one transaction: all of them hold, or none. Inside it every statement has to go through
   * `trx`; the embedded database has but one connection, and `db` would wait for it for ever.
   */
  write<T>(work: (trx: Db) => Promise<T>): Promise<T>
  /** Inside `write`: what to do once its transaction, the outermost one, is committed. It is not done when that fails. */
  afterCommit(work: () => void): void
  /** The events recorded so far, in order. */
  readonly events: RecordedEvent[]
  /** Calls another operation as the same caller, with its input in one flat object: through the same permission check, validation and transaction. */
  operation<Id extends OperationId>(id: Id, input: Record<string, unknown>): Promise<Answered<Id>>
  readonly surroundings: Surroundings
}

/** What the process lends to a call beside the database. */
export interface Surroundings {
  readonly contract: Contract
  readonly config: Config
  readonly clock: Clock
  readonly limits: Limits
  /** Tells the dispatcher of events that so many were committed. */
  eventsCommitted(count: number): void
  /** Tells the deliverer that a subscription may have something to send; from `Call.afterCommit`, for it looks at once. */
  deliveriesDue(webhook: { organizationId: string; webhookId: string }): void
  /** Calls an operation in-process on behalf of a call; see `Call.operation`. */
  operate<Id extends OperationId>(call: Call, id: Id, input: Record<string, unknown>): Promise<Answered<Id>>
}

/** The same call as part of a transaction that is under way: all that its handlers read and write goes through that one. */
export function within(call: Call, trx: Db): Call {
  const inner: Call = {
    ...call,
    db: trx,
    isWithin: true,
    write: (work) => work(trx),
    operation: (id, input) => call.surroundings.operate(inner, id, input),
  }
  return inner
}

/** A call with its own transactions, as it begins. */
export function newCall(
  surroundings: Surroundings,
  database: Database,
  by: { principal: Principal; actor: Actor; requestId: string; ifMatch: string | undefined },
): Call {
  const { principal } = by
  const toDo: (() => void)[] = []
  const call: Call = {
    ...by,
    organizationId: principal.organizationId,
    permissions: principal.permissions,
    poApprovalLimit: principal.poApprovalLimit,
    currency: principal.currency,
    timeZone: principal.timeZone,
    now: surroundings.clock.now(),
    db: database.statements,
    isWithin: false,
    events: [],
    surroundings,
    async write(work) {
      const before = call.events.length
      const result = await database.transaction((trx) => {
        // After a deadlock the work begins anew, and what the first try recorded was never committed.
        call.events.length = before
        toDo.length = 0
        return work(trx)
      })
      if (call.events.length > before) surroundings.eventsCommitted(call.events.length - before)
      for (const work of toDo.splice(0)) work()
      return result
    },
    afterCommit: (work) => toDo.push(work),
    operation: (id, input) => surroundings.operate(call, id, input),
  }
  return call
}

/**
 * A call that no key makes, with all permissions: the clock's (the default actor), or a vendor's through the portal.
 * It counts against no limit.
 */
export async function callWithoutKey(
  surroundings: Surroundings,
  database: Database,
  organizationId: string,
  actor: Actor = { type: 'system', id: null },
  /** A transaction that the call is made for; it is part of it then. */
  trx?: Db,
): Promise<Call> {
  const { name, tier, currency, timeZone } = await (trx ?? database.statements)
    .selectFrom('organizations')
    .select(['name', 'tier', 'currency', 'timeZone'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const known = surroundings.contract.document.components.schemas?.Permission as { enum: string[] }
  const permissions = new Set(known.enum)
  const principal: Principal = {
    ...{ organizationId, organizationName: name, tier, currency, timeZone, permissions },
    ...{ keyId: '', keyName: actor.type, poApprovalLimit: null, expiresAt: null, lastUsedAt: null },
  }
  const requestId = typeid('req').toString()
  const call = newCall(surroundings, database, { principal, actor, requestId, ifMatch: undefined })
  return trx === undefined ? call : within(call, trx)
}

export interface RecordedEvent {
  readonly id: string
  readonly type: string
  readonly payload: string
}
