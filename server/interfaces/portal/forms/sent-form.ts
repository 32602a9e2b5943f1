import type { Request } from 'express'
import type { Services } from '../../../platform/calls/call.ts'
import { readFormBody, type SentForm } from './form-body.ts'

/** Reads a form with a file. If an earlier parser has already read the form, returns its result. */
export async function readSentForm(
  { files, config }: Pick<Services, 'files' | 'config'>,
  req: Request,
  onFile?: (fields: SentForm['fields']) => void,
): Promise<SentForm> {
  if (req.is('multipart/form-data') !== false)
    return readFormBody(req, { files, idleMs: config.requestTimeoutMs, ...(onFile !== undefined && { onFile }) })
  const body = (req.body ?? {}) as Record<string, unknown>
  const fields = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return {
    fields: Object.fromEntries(fields.map(([name, value]) => [name, value.replaceAll('\0', '').toWellFormed()])),
    ...{ file: null, isFileTooLarge: false },
  }
}
