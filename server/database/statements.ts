import { channel } from 'node:diagnostics_channel'
import { keepLatest } from '../values/keep-latest.ts'
import type { Statement } from './lean-query.ts'
import { isPlannedEachTime } from './planned-each-time.ts'

// By text, which is long: one that is put together for each look-up would be read anew each time.
const statements = new Map<string, Statement>()
const statementsAsJson = new Map<string, Statement>()

/**
 * The texts come from our code, not from callers, but all lists in all their orders are more than a process has use for.
 * What was forgotten is described and prepared anew when it is asked for again.
 */
const MOST_STATEMENTS = 2000

// None is given twice, because connections may still know what is forgotten here.
let names = 0

/** A statement is identified by its text, and prepared unless its text says that it is planned each time. */
export function statementOf(text: string, asJson: boolean): Statement {
  const known = asJson ? statementsAsJson : statements
  let statement = known.get(text)
  if (statement === undefined) {
    const name = isPlannedEachTime(text) ? '' : `s${names++}`
    statement = { name, text, asJson, isReliedOn: false, read: null }
    keepLatest(known, text, statement, MOST_STATEMENTS)
  }
  return statement
}

/** A statement as it is sent, and whether it sees the rows of one organization only. */
export interface SentStatement {
  text: string
  narrow: boolean
}

const sent = channel('plumbline:statement')

/** Publishes each statement to diagnostics_channel subscribers, such as the suite that explains all of them. */
export function publishStatement(text: string, narrow: boolean): void {
  if (sent.hasSubscribers) sent.publish({ text, narrow } satisfies SentStatement)
}
