import type { ConflictReason } from '../../../../client/contract.gen.ts'
import type { Problem } from '../../../platform/problems/problem.ts'
import type { Words } from '../pages/words/english.ts'

export type Notice = keyof Words['notices']

interface ProblemNotice {
  status: number
  notice: Notice
}

/** The messages for invalid fields of a form, by field name. */
const NOTICE_BY_FIELD: Readonly<Record<string, Notice>> = {
  '/proposedStart': 'wrongDate',
  '/date': 'wrongDate',
  '/expirationDate': 'wrongPeriod',
  '/signedBy': 'wrongSignature',
  '/consent': 'wrongSignature',
  '/reason': 'wrongReason',
  '/text': 'tooLong',
  '/entries': 'wrongEntries',
  '/sure': 'wrongSure',
  '/invoiceNumber': 'wrongInvoice',
  '/invoiceDate': 'wrongInvoiceDate',
  '/body': 'wrongMessage',
  '/file': 'wrongFile',
  // A file that must be a photo causes an error in this field.
  kind: 'wrongFile',
  // An error in the content of a file has no field name.
  '': 'wrongFile',
}

/** The messages for problems, by problem code. */
const NOTICE_BY_CODE: { readonly [Code in Problem['code']]?: ProblemNotice } = {
  invalid_key: { status: 404, notice: 'notFound' },
  not_found: { status: 404, notice: 'notFound' },
  unknown_reference: { status: 404, notice: 'notFound' },
  malformed_request: { status: 400, notice: 'wrongForm' },
  request_timeout: { status: 408, notice: 'wrongForm' },
  validation_failed: { status: 422, notice: 'wrongForm' },
  payload_too_large: { status: 413, notice: 'tooLarge' },
  expired_token: { status: 410, notice: 'expired' },
  revoked_token: { status: 410, notice: 'revoked' },
  rate_limited: { status: 429, notice: 'limited' },
  too_many_answers: { status: 429, notice: 'tooManyAnswers' },
}

/** The texts for reasons of conflicts that do not mean that the vendor is too late. */
const NOTICE_BY_REASON: { readonly [Reason in ConflictReason]?: Notice } = {
  limit_reached: 'limitReached',
  value_taken: 'invoiceTaken',
}

/** Returns the message with which a page explains a problem. */
export function toProblemNotice({ code, status, extras }: Problem): ProblemNotice {
  const [wrong] = extras.errors?.flatMap(({ pointer }) => NOTICE_BY_FIELD[pointer] ?? []) ?? []
  if (wrong !== undefined && code === 'validation_failed') return { status: 422, notice: wrong }
  const said = NOTICE_BY_CODE[code]
  if (said !== undefined) return said
  const reason = extras.reason === undefined ? undefined : NOTICE_BY_REASON[extras.reason]
  return { status, notice: status === 409 ? (reason ?? 'tooLate') : 'failed' }
}
