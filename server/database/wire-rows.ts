import { createRequire } from 'node:module'

/**
 * A row as it came over the wire: for each column its length and its text. The bytes are those of the connection, which
 * soon has other rows in them, so that a row is read at once.
 */
export class DataRow {
  readonly name = 'dataRow'
  /** Of the message, with the four bytes that say it. */
  readonly length: number
  readonly bytes: Buffer
  /** Where the first column begins. */
  readonly start: number
  readonly end: number

  constructor(bytes: Buffer, start: number, length: number) {
    this.length = length
    this.bytes = bytes
    this.start = start + COUNT_BYTES
    this.end = start + length - LENGTH_BYTES
  }

  /** The texts of the columns, as `pg` would have read them. */
  get fields(): RawRow {
    const { bytes, start, end } = this
    const fields: (string | null)[] = []
    for (let at = start; at < end; ) {
      const length = lengthAt(bytes, at)
      at += LENGTH_BYTES
      fields.push(length === NULL ? null : bytes.toString('utf8', at, at + length))
      if (length !== NULL) at += length
    }
    return fields
  }
}

export type RawRow = readonly (string | null)[]

const COUNT_BYTES = 2
export const LENGTH_BYTES = 4
/** The length of a column that has no value. */
export const NULL = -1

/** The length of the column that begins here. */
export function lengthAt(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
}

type Handle = (this: object, start: number, code: number, length: number, bytes: Buffer) => unknown

/**
 * Has `pg` pass rows on as they are. It makes a text of each column of each row, which is a tenth of the cost of a list,
 * and a list wants hardly any of them.
 */
export function passRowsOn(): void {
  const ofPg = createRequire(createRequire(import.meta.url).resolve('pg'))
  const { Parser }: { Parser: { prototype: { handlePacket: Handle } } } = ofPg('pg-protocol/dist/parser')
  const { handlePacket } = Parser.prototype
  Parser.prototype.handlePacket = function (start, code, length, bytes) {
    return code === DATA_ROW ? new DataRow(bytes, start, length) : handlePacket.call(this, start, code, length, bytes)
  }
}

const DATA_ROW = 'D'.charCodeAt(0)
