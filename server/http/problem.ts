import type { Actor, FieldError, Problem as ProblemBody, ProblemCode } from '../../client/contract.gen.ts'
import { problems } from './problems.gen.ts'

/**
 * An answer that refuses, thrown from anywhere and written out in one place. `code` decides status and title; `detail`
 * is for the caller, and never holds what only the log may know.
 */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly extras: ProblemExtras
  readonly headers: Record<string, string>
  /** Whose credential was refused, where it is known whose it was; for the audit trail, and in no answer. */
  refused: RefusedCaller | null = null

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}, headers: Record<string, string> = {}) {
    super(detail)
    this.code = code
    this.extras = extras
    this.headers = headers
  }

  get status(): number {
    return PROBLEMS[this.code][0]
  }

  /** The same problem, with whose credential it refuses. */
  refusing(caller: RefusedCaller): this {
    this.refused = caller
    return this
  }

  body(at: { publicUrl: string; instance: string; requestId: string }): ProblemBody {
    const [status, title] = PROBLEMS[this.code]
    return {
      type: `${at.publicUrl}/docs/problems/${this.code}`,
      title,
      status,
      detail: this.message,
      instance: at.instance.slice(0, LONGEST_INSTANCE),
      code: this.code,
      requestId: at.requestId,
      ...this.extras,
    }
  }
}

export interface RefusedCaller {
  readonly organizationId: string
  readonly actor: Actor
}

/** What the contract allows; a longer one is cut, for it says no more to its reader. */
export const LONGEST_POINTER = 500
const LONGEST_INSTANCE = 4000

type ProblemExtras = Partial<
  Pick<ProblemBody, 'errors' | 'permission' | 'from' | 'to' | 'allowed' | 'nearest' | 'currentVersion'>
>

/** As the contract's example of each code has them; a code without one does not compile. */
const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = problems

export function problem(code: ProblemCode, detail: string, extras?: ProblemExtras): Problem {
  return new Problem(code, detail, extras)
}

export function notFound(): Problem {
  return new Problem('not_found', 'No resource with this id exists in your organization.')
}

/** All faults of an input at once. `pointer` is a JSON pointer into the body, or the name of a parameter. */
export function invalid(errors: FieldError[]): Problem {
  return new Problem(
    'validation_failed',
    errors.length === 1 ? '1 fault was found.' : `${errors.length} faults were found.`,
    {
      errors,
    },
  )
}

/** Ids in the input that name nothing in the organization. */
export function unknownReference(pointers: string[]): Problem {
  return new Problem(
    'unknown_reference',
    `${pointers.join(', ')} ${pointers.length === 1 ? 'names' : 'name'} nothing in your organization.`,
    {
      errors: pointers.map((pointer) => ({
        pointer,
        code: 'unknown_reference',
        message: 'names nothing in your organization',
      })),
    },
  )
}

export function invalidTransition(from: string, to: string, allowed: readonly string[]): Problem {
  const detail =
    allowed.length === 0 ? `${from} is final.` : `From ${from} the status can become ${allowed.join(', ')}, not ${to}.`
  return new Problem('invalid_transition', detail, { from, to, allowed: [...allowed] })
}

/** Throws unless the state machine has the move. */
export function assertMove<Status extends string>(
  moves: Readonly<Record<Status, readonly Status[]>>,
  from: Status,
  to: Status,
): void {
  if (!moves[from].includes(to)) throw invalidTransition(from, to, moves[from])
}

const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'

/**
 * What was thrown, as the problem to answer with. The constraints of the tables are named after the column that they
 * guard, so that a violated one can be answered precisely. Anything that nobody foresaw is `internal`.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  const column = typeof constraint === 'string' ? /_([A-Za-z]+)_f?key$/.exec(constraint)?.[1] : undefined
  if (code === FOREIGN_KEY_VIOLATION && column !== undefined) return unknownReference([`/${column}`])
  if (code === UNIQUE_VIOLATION && column !== undefined) {
    return problem('conflict', `Another record has this ${column}.`, {
      errors: [{ pointer: `/${column}`, code: 'conflict', message: 'is taken by another record' }],
    })
  }
  // Class 22: a value of the right form that PostgreSQL has no place for, such as a date in the year 0.
  if (typeof code === 'string' && code.startsWith('22')) {
    return invalid([{ pointer: '', code: 'out_of_range', message: 'a value is outside of what can be stored' }])
  }
  if (typeof code === 'string' && TIMED_OUT.has(code)) {
    return new Problem('timed_out', 'It was waited for no longer than a request may take.', {}, { 'Retry-After': '1' })
  }
  if (isDatabaseAway(error)) {
    return new Problem('unavailable', 'The database does not answer.', {}, { 'Retry-After': '2' })
  }
  return new Problem('internal', 'It has been recorded under the requestId.')
}

// A statement that was ended for its time, a lock that was not to be had in time, a transaction that paused for too long,
// and one that met others who wanted the same rows more often than it could begin anew.
const TIMED_OUT: ReadonlySet<string> = new Set(['57014', '55P03', '25P03', '40P01'])

// Connection exceptions (class 08), shut down or starting up (57P01 to 57P03), too many connections, and what the
// socket and the pool say when nobody is there.
const AWAY_CODES =
  /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const AWAY_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|timeout expired|client has encountered a connection error|not queryable|client was closed/i

export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway)
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return (typeof code === 'string' && AWAY_CODES.test(code)) || AWAY_MESSAGES.test(error.message)
}
