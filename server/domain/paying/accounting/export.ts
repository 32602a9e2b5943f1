import { stringify } from 'csv-stringify/sync'
import type { LedgerType } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { type FileAnswer, madeFile } from '../../../platform/calls/file-answer.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { MOST_PAGE_BYTES } from '../../../platform/calls/page.ts'
import { CSV_FORM } from '../../../platform/values/csv-form.ts'
import { columnsOf, LEDGER_KINDS, type Linked } from './kinds.ts'
import { idsAfter } from './queries.ts'
import { assertMay } from './queue.ts'

/** The number of records read at a time, so that long ones are never all in memory. */
const READ_TOGETHER = 50

type Query = Input<'getAccountingCsv'>['query']

export async function ndjsonOf(call: Call, query: Query): Promise<FileAnswer> {
  const text = await written(call, query, (record) => `${JSON.stringify(record)}\n`)
  return madeFile(`${query.type}.ndjson`, 'application/x-ndjson', Buffer.from(text))
}

export async function csvOf(call: Call, query: Query): Promise<FileAnswer> {
  const columns = columnsOf(query.type)
  const line = (record: object) => stringify([record], { ...CSV_FORM, columns })
  const header = stringify([], { ...CSV_FORM, columns, header: true })
  return madeFile(`${query.type}.csv`, 'text/csv', Buffer.from(header + (await written(call, query, line))))
}

/** Yields the records after the given one, until the limit or the size of a page is reached. */
async function written(
  call: Call,
  { type, afterId = '', limit }: { type: LedgerType; afterId?: string | undefined; limit: number },
  write: (record: Linked) => string,
): Promise<string> {
  assertMay(call, type, 'read')
  const ids = await idsAfter(call, type, afterId, limit)
  let text = ''
  for (let i = 0; i < ids.length; i += READ_TOGETHER)
    for (const record of await LEDGER_KINDS[type].findAll(call, ids.slice(i, i + READ_TOGETHER))) {
      if (text.length >= MOST_PAGE_BYTES) return text
      text += write(record)
    }
  return text
}
