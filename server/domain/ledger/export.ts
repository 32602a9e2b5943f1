import { stringify } from 'csv-stringify/sync'
import type { Posting } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { createFileResponse, type FileResponse } from '../../platform/calls/file-response.ts'
import type { Input } from '../../platform/calls/operation.ts'
import { MAX_PAGE_BYTES } from '../../platform/calls/page.ts'
import { CSV_FORM } from '../../platform/values/csv-form.ts'
import { listPostingsAfter } from './posting-queries.ts'

const COLUMNS = [
  ...['sequence', 'id', 'entryId', 'measure', 'amount', 'effectiveDate', 'recordedAt', 'homeId', 'scope', 'costCodeId'],
  ...['vendorId', 'poId', 'poLineId', 'billId', 'paymentId', 'saleId', 'reversesEntryId', 'basis', 'note'],
  ...['actorType', 'actorId'],
]

type Query = Input<'getPostingsCsv'>['query']

export async function exportPostingsNdjson(call: Call, query: Query): Promise<FileResponse> {
  const text = await writePostings(call, query, (posting) => `${JSON.stringify(posting)}\n`)
  return createFileResponse('postings.ndjson', 'application/x-ndjson', Buffer.from(text))
}

export async function exportPostingsCsv(call: Call, query: Query): Promise<FileResponse> {
  const header = stringify([], { ...CSV_FORM, columns: COLUMNS, header: true })
  const line = ({ actor, ...posting }: Posting) =>
    stringify([{ ...posting, actorType: actor.type, actorId: actor.id }], { ...CSV_FORM, columns: COLUMNS })
  return createFileResponse('postings.csv', 'text/csv', Buffer.from(header + (await writePostings(call, query, line))))
}

/** Writes the postings after the given posting, up to the limit or the page size. */
async function writePostings(
  call: Call,
  { limit, afterSequence, ...filters }: Query,
  write: (posting: Posting) => string,
): Promise<string> {
  let text = ''
  for (const posting of await listPostingsAfter(call, filters, afterSequence, limit)) {
    if (text.length >= MAX_PAGE_BYTES) return text
    text += write(posting)
  }
  return text
}
