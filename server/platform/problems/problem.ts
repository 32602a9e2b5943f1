import type {
  Actor,
  ConflictReason,
  FieldError,
  Problem as ProblemBody,
  ProblemCode,
  RowProblem,
} from '../../../client/contract.gen.ts'
import { problems } from './problems.gen.ts'

/**
 * An error response. Any code can throw it, and one place writes it. `code` determines the status and the title.
 * `detail` is for the caller, so it must never contain data that is only for the log.
 */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly extras: ProblemExtras
  readonly headers: Record<string, string>
  /**
   * The caller whose credential was rejected, if known. This field is only for the audit trail, never for the response.
   */
  refused: RefusedCaller | null = null
  /** The row whose unique value another record already has. unique-conflict.ts uses it to find `conflictingId`. */
  held: UniqueViolation | null = null

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}, headers: Record<string, string> = {}) {
    super(detail)
    this.code = code
    this.extras = extras
    this.headers = headers
  }

  get status(): number {
    return PROBLEMS[this.code][0]
  }

  /** Returns the same problem after adding the caller whose credential was rejected. */
  refusing(caller: RefusedCaller): this {
    this.refused = caller
    return this
  }

  /** Returns the same problem with other field errors. */
  pointingAt(errors: FieldError[]): Problem {
    const moved = new Problem(this.code, this.message, { ...this.extras, errors }, this.headers)
    moved.held = this.held
    return moved
  }

  body(at: { publicUrl: string; instance: string; requestId: string }): ProblemBody {
    const [status, title] = PROBLEMS[this.code]
    return {
      type: `${at.publicUrl}/docs/problems/${this.code}`,
      title,
      status,
      detail: this.message,
      instance: at.instance.slice(0, MAX_INSTANCE_LENGTH),
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

/** A row with a unique value that another record already has, and the table of this row. */
export interface UniqueViolation {
  readonly table: string
  /** The column that the error of the database contains. */
  readonly column: string
  readonly values: Readonly<Record<string, unknown>>
}

/** The maximum length of pointers in the contract. Longer pointers are truncated. */
export const MAX_POINTER_LENGTH = 500
const MAX_INSTANCE_LENGTH = 4000

type ProblemExtras = Partial<
  Pick<
    ProblemBody,
    | ('changed' | 'errors' | 'permission' | 'from' | 'to' | 'allowed' | 'nearest' | 'candidates' | 'currentVersion')
    | ('conflictingId' | 'earliestDate')
    | 'didYouMean'
    | 'reason'
  >
>

/**
 * The status and title of each code are those of its example in the contract. A code without an example causes a
 * compiler error.
 */
const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = problems

export function problem(code: Exclude<ProblemCode, 'conflict'>, detail: string, extras?: ProblemExtras): Problem {
  return new Problem(code, detail, extras)
}

/**
 * Returns the problem for an operation that is not possible in the current state. `detail` is for users, and `reason`
 * is for programs.
 */
export function conflict(reason: ConflictReason, detail: string, extras?: Omit<ProblemExtras, 'reason'>): Problem {
  return new Problem('conflict', detail, { reason, ...extras })
}

export function notFound(): Problem {
  return new Problem('not_found', 'No resource with this ID exists in your organization.')
}

/**
 * Returns one problem with all errors of an input. `pointer` is a JSON pointer into the body, or the name of a
 * parameter.
 */
export function validationFailed(errors: FieldError[]): Problem {
  return new Problem(
    'validation_failed',
    errors.length === 1
      ? 'The request has 1 validation error. See `errors`.'
      : `The request has ${errors.length} validation errors. See \`errors\`.`,
    { errors },
  )
}

/** Returns the problem for IDs in the input that do not exist in the organization. */
export function unknownReference(pointers: string[]): Problem {
  return new Problem(
    'unknown_reference',
    pointers.length === 1
      ? `The ID in ${pointers[0]} does not match any record in your organization.`
      : `The IDs in ${pointers.join(', ')} do not match any records in your organization.`,
    {
      errors: pointers.map((pointer) => ({
        pointer,
        code: 'unknown_reference',
        message: 'does not exist in your organization',
      })),
    },
  )
}

export function invalidTransition(from: string, to: string, allowed: readonly string[]): Problem {
  const detail =
    allowed.length === 0
      ? `Cannot change the status to ${to}: ${from} is a final status.`
      : `Cannot change the status from ${from} to ${to}. Allowed: ${allowed.join(', ')}.`
  return new Problem('invalid_transition', detail, { from, to, allowed: [...allowed] })
}

/** Throws `invalid_transition` unless the status change is allowed. */
export function assertTransition<Status extends string>(
  moves: Readonly<Record<Status, readonly Status[]>>,
  from: Status,
  to: Status,
): void {
  if (!moves[from].includes(to)) throw invalidTransition(from, to, moves[from])
}

/** Returns the problem of a row in the form that responses for several rows contain. */
export function toRowProblem({ code, message, extras }: Problem): RowProblem {
  return { code, detail: message, errors: extras.errors ?? [], ...conflictDetails(extras) }
}

function conflictDetails({ reason, conflictingId }: ProblemExtras): Pick<RowProblem, 'reason' | 'conflictingId'> {
  return { reason: reason ?? null, conflictingId: conflictingId ?? null }
}

/** Returns the problem for a unique field whose value another record already has. */
export function createValueTakenProblem(field: string, conflictingId?: string): Problem {
  return conflict('value_taken', `Another record already uses this ${field}.`, {
    errors: [{ pointer: `/${field}`, code: 'conflict', message: 'must be unique; another record already uses it' }],
    ...(conflictingId !== undefined && { conflictingId }),
  })
}

/**
 * The identifiers that external systems assign to records. These identifiers are unique among records of the same type.
 */
export const EXTERNAL_IDENTIFIERS: ReadonlySet<string> = new Set(['accountingId', 'externalId'])

const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'

/** Returns the unique column that caused the error; undefined for all other errors. */
export function findUniqueColumn(error: unknown): string | undefined {
  return (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION ? guardedColumnOf(error) : undefined
}

// The name of a table constraint contains the column that it checks. In a distributed database, only the message of the
// error contains the name, followed by the number of the shard.
function guardedColumnOf(error: unknown): string | undefined {
  const { constraint, message } = error as { constraint?: unknown; message?: unknown }
  const name = constraint ?? /constraint "([^"]+)"/.exec(String(message))?.[1]
  return typeof name === 'string' ? /_([A-Za-z]+)_f?key(?:_\d+)?$/.exec(name)?.[1] : undefined
}

/** Converts a thrown value to the problem for the response. Unexpected values become `internal`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code } = error as { code?: unknown }
  const column = guardedColumnOf(error)
  if (code === FOREIGN_KEY_VIOLATION && column !== undefined) return unknownReference([`/${column}`])
  if (code === UNIQUE_VIOLATION && column !== undefined) {
    return createValueTakenProblem(column)
  }
  // Class 22 means that PostgreSQL cannot store a well-formed value, such as a date in the year 0.
  if (typeof code === 'string' && code.startsWith('22')) {
    return validationFailed([{ pointer: '', code: 'out_of_range', message: 'contains a value that is out of range' }])
  }
  if (typeof code === 'string' && TIMEOUT_CODES.has(code)) {
    return new Problem('timed_out', 'The request timed out. Try again.', {}, { 'Retry-After': '1' })
  }
  if (isDatabaseUnreachable(error)) {
    return new Problem(
      'unavailable',
      'The service is temporarily unavailable: the database is not responding. Try again.',
      {},
      { 'Retry-After': '2' },
    )
  }
  if (isDatabaseFailure(error)) {
    return new Problem(
      'unavailable',
      'The database cannot complete this request right now. Try again in 10 seconds.',
      {},
      { 'Retry-After': '10' },
    )
  }
  if (typeof code === 'string' && DISK_CODES.has(code)) {
    return new Problem(
      'unavailable',
      'File storage is temporarily unavailable. Try again in 10 seconds.',
      {},
      { 'Retry-After': '10' },
    )
  }
  return new Problem('internal', 'Something went wrong on our side. Include the `requestId` if you contact support.')
}

// The error codes for exhausted resources such as the disk (class 53), for errors of the operating system (class 58),
// and for changes in a read-only database (25006).
const DATABASE_UNABLE_CODES = /^(53...|58...|25006)$/

// The error codes for a disk that is full, read-only, or defective, and for a process that has opened too many files.
const DISK_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

export function isDatabaseFailure(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && DATABASE_UNABLE_CODES.test(code)
}

// The error codes for statement timeouts, lock timeouts, transactions that were idle too long, and deadlocks that
// remain after the maximum number of retries.
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['57014', '55P03', '25P03', '40P01'])

// The error codes for connection exceptions (class 08), shutdown or startup (57P01 to 57P03), and too many connections,
// and those of the socket and the pool if the database is unreachable.
const DATABASE_AWAY_CODES =
  /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const DATABASE_AWAY_MESSAGES =
  /connection terminated|query read timeout|timeout exceeded when trying to connect|timeout expired|client has encountered a connection error|not queryable|client was closed/i

export function isDatabaseUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnreachable)
  // A problem is an error that the service itself throws. It can mean that the bucket is unavailable, but never that the
  // database is unavailable.
  if (!(error instanceof Error) || error instanceof Problem) return false
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  // The sign-in library wraps the error that caused its own.
  if (cause !== undefined && isDatabaseUnreachable(cause)) return true
  return (typeof code === 'string' && DATABASE_AWAY_CODES.test(code)) || DATABASE_AWAY_MESSAGES.test(error.message)
}
