import { stringify } from 'csv-stringify/sync'
import type { LedgerType } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { createFileResponse, type FileResponse } from '../../../platform/calls/file-response.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { MAX_PAGE_BYTES } from '../../../platform/calls/page.ts'
import { CSV_FORM } from '../../../platform/values/csv-form.ts'
import { LEDGER_KINDS, type LinkedRecord, listColumns } from './ledger-kinds.ts'
import { listRecordIdsAfter } from './queries.ts'
import { assertCanAccessRecords } from './sync-queue.ts'

/** The number of records that are read at a time, which limits the number of long records in memory. */
const RECORDS_PER_READ = 50

type ExportQuery = Input<'getAccountingCsv'>['query']

export async function exportRecordsNdjson(call: Call, query: ExportQuery): Promise<FileResponse> {
  const text = await listRecordsAfter(call, query, (record) => `${JSON.stringify(record)}\n`)
  return createFileResponse(`${query.type}.ndjson`, 'application/x-ndjson', Buffer.from(text))
}

export async function exportRecordsCsv(call: Call, query: ExportQuery): Promise<FileResponse> {
  const columns = listColumns(query.type)
  const line = (record: object) => stringify([record], { ...CSV_FORM, columns })
  const header = stringify([], { ...CSV_FORM, columns, header: true })
  return createFileResponse(
    `${query.type}.csv`,
    'text/csv',
    Buffer.from(header + (await listRecordsAfter(call, query, line))),
  )
}

/** Yields the records after the given record, up to the limit or the page size. */
async function listRecordsAfter(
  call: Call,
  { type, afterId = '', limit }: { type: LedgerType; afterId?: string | undefined; limit: number },
  write: (record: LinkedRecord) => string,
): Promise<string> {
  assertCanAccessRecords(call, type, 'read')
  const ids = await listRecordIdsAfter(call, type, afterId, limit)
  let text = ''
  for (let i = 0; i < ids.length; i += RECORDS_PER_READ)
    for (const record of await LEDGER_KINDS[type].findAll(call, ids.slice(i, i + RECORDS_PER_READ))) {
      if (text.length >= MAX_PAGE_BYTES) return text
      text += write(record)
    }
  return text
}
